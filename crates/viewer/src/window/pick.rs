//! Finds the body under the cursor.

use glam::{DVec3, Vec3};
use parry3d_f64::{
    math::Pose as ParryPose,
    query::{Ray, RayCast},
    shape::TriMesh,
};
use plimsoll_contract::frame::{BodyFrame, Frame};

/// The point where a ray from the eye hits a body.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    pub body: usize,
    /// World coordinates, meters.
    pub point: DVec3,
    pub distance: f64,
}

/// The nearest hit among the bodies that `wanted` selects, on the ray from `origin` along `direction`.
pub fn pick(frame: &Frame, origin: Vec3, direction: Vec3, wanted: impl Fn(&BodyFrame) -> bool) -> Option<Pick> {
    let ray = Ray::new(origin.as_dvec3(), direction.as_dvec3().normalize());
    let hits = frame.bodies.iter().enumerate().filter(|(_, body)| wanted(body)).filter_map(|(index, body)| {
        let mesh = TriMesh::new(body.mesh.vertices.clone(), body.mesh.triangles.clone()).ok()?;
        let pose = ParryPose::from_parts(body.pose.translation, body.pose.rotation);
        let distance = mesh.cast_ray(&pose, &ray, f64::MAX, false)?;
        Some(Pick { body: index, point: ray.origin + distance * ray.dir, distance })
    });
    hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
}
