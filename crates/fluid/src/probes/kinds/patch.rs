//! Pressure and force on a part of a body's surface.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_shape::TriangleMesh;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};
use crate::{
    probes::Signal,
    walls::{SurfaceIntegral, WallTriangle, mirror_layer},
};

/// The pressure force of the fluid on a part of a body's surface: of each particle near it, the share of the triangles of that part,
/// `F = Σ_i V p_i Σ_t w_i ∇f_it`, with the weight w_i of the contact. The forces on parts that cover a body add up to its pressure force. The mean pressure is the normal part
/// divided by the area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// Index of the body.
    pub body: usize,
    /// The part of the surface, in body coordinates, wound as the body.
    pub surface: TriangleMesh,
}

impl Instrument for Patch {
    fn quantities(&self) -> Vec<Quantity> {
        let force = Quantity::vector("force", "N", Signal::Mean);
        std::iter::once(Quantity::mean("pressure", "Pa")).chain(force).collect()
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        let triangles: Vec<WallTriangle> =
            (0..self.surface.triangles.len()).map(|index| WallTriangle::new(self.surface.corners(index), [true; 3])).collect();
        let aabb = Aabb::around(triangles.iter().flat_map(|triangle| triangle.corners));
        let area: f64 = triangles.iter().map(|triangle| triangle.area).sum();
        let (pose, cutoff) = (&sample.bodies[self.body].previous_pose, sample.settings.wall_cutoff());
        let (mut force, mut normal) = (DVec3::ZERO, 0.0);
        let contacts = &sample.walls.contacts;
        for (contact, weight) in contacts.list.iter().zip(&contacts.weights).filter(|(contact, _)| contact.body as usize == self.body) {
            let push = sample.settings.particle_volume() * f64::from(weight * sample.pressures[contact.particle as usize]);
            let point = pose.inverse_transform_point(contact.point.as_dvec3());
            if push == 0.0 || aabb.distance_squared(point) >= cutoff * cutoff {
                continue;
            }
            for triangle in &triangles {
                let SurfaceIntegral { gradient, .. } = triangle.integrate(mirror_layer(), point, cutoff);
                force += push * gradient;
                normal -= push * gradient.dot(triangle.normal);
            }
        }
        let force = pose.transform_vector(force);
        vec![normal / area, force.x, force.y, force.z]
    }
}
