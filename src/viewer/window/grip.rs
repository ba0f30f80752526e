//! Taking hold of bodies: which one is under the cursor, and the spring that pulls it.

use glam::{DVec3, Vec3};
use rapier3d_f64::parry::{
    math::Pose as ParryPose,
    query::{Ray, RayCast},
    shape::TriMesh,
};

use crate::{
    fluid::FluidSimulation,
    frame::{BodyFrame, Frame},
};

/// Natural frequency of the spring with the body's mass on it, rad/s.
const FREQUENCY: f64 = 9.0;
/// Damping relative to the least that lets nothing swing.
const DAMPING: f64 = 0.7;

/// A body held at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    pub body: usize,
    /// Where it is held, body coordinates, metres.
    pub point: DVec3,
    /// Where that point is drawn to, world coordinates, metres.
    pub target: DVec3,
}

/// Where a ray from the eye meets a body.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    pub body: usize,
    /// World coordinates, metres.
    pub point: DVec3,
    pub distance: f64,
}

/// The nearest of the bodies that `wanted` picks on the ray from `origin` along `direction`.
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

/// A spring between a grip and its target, and the load that the scene gives the body anyway.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    grip: Grip,
    force: DVec3,
    torque: DVec3,
}

impl Pull {
    pub fn new(grip: Grip, fluid: &FluidSimulation) -> Self {
        let floating = fluid.bodies()[grip.body].floating();
        let (force, torque) = floating.map_or((DVec3::ZERO, DVec3::ZERO), |floating| (floating.force, floating.torque));
        Self { grip, force, torque }
    }

    /// The same pull with its target, or its point, elsewhere.
    pub fn moved(self, grip: Grip) -> Self {
        Self { grip, ..self }
    }

    pub fn body(&self) -> usize {
        self.grip.body
    }

    /// Sets the load of the next step: the spring's on top of the scene's.
    ///
    /// `F = m ω² (target − point) − 2 ζ m ω v_point`, with the effective mass m of the body at that point for a force along the spring:
    /// `1/m = 1/m_body + n · ((I⁻¹ (r × n)) × r)`.
    pub fn act(&self, fluid: &mut FluidSimulation) {
        let Some(body) = fluid.bodies().get(self.grip.body).filter(|body| body.floating().is_some()) else { return };
        let point = body.pose.transform_point(self.grip.point);
        let lever = point - body.center();
        let along = (self.grip.target - point).try_normalize().unwrap_or(DVec3::Y);
        let response = body.response();
        let yielding = (response.inverse_inertia * lever.cross(along)).cross(lever);
        let mass = 1.0 / along.dot(response.inverse_mass * along + yielding).max(1.0 / body.mass);
        let force = mass * FREQUENCY * (FREQUENCY * (self.grip.target - point) - 2.0 * DAMPING * body.velocity_at(point));
        fluid.set_external_load(self.grip.body, self.force + force, self.torque + lever.cross(force));
    }

    /// Leaves the body to the scene's load again.
    pub fn let_go(&self, fluid: &mut FluidSimulation) {
        fluid.set_external_load(self.grip.body, self.force, self.torque);
    }
}
