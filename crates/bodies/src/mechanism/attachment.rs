//! A point of a body or of the world.

use glam::DVec3;
use plimsoll_base::math::Pose;
use serde::{Deserialize, Serialize};

use crate::{Body, Compliance, Momentum};

/// A point of a body, or of the world if it has no body.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Attachment {
    pub body: Option<usize>,
    /// In body or world coordinates, m.
    pub point: DVec3,
}

impl Attachment {
    /// The point at `position` (m, world at time zero) of a body that was at `pose` then.
    pub fn new(body: Option<usize>, position: DVec3, pose: impl Fn(usize) -> Pose) -> Self {
        Self { body, point: body.map_or(position, |body| pose(body).inverse_transform_point(position)) }
    }

    /// m, world coordinates.
    pub fn position(&self, bodies: &[Body]) -> DVec3 {
        self.body.map_or(self.point, |body| bodies[body].pose.transform_point(self.point))
    }

    /// m/s
    pub fn velocity(&self, bodies: &[Body]) -> DVec3 {
        self.body.map_or(DVec3::ZERO, |body| bodies[body].velocity_at(self.position(bodies)))
    }

    /// Velocity that the body would have here with the velocities (m/s and rad/s) `motions[body]` about its center, m/s.
    pub fn velocity_with(&self, bodies: &[Body], motions: &[[DVec3; 2]]) -> DVec3 {
        self.body.map_or(DVec3::ZERO, |body| {
            let [velocity, angular_velocity] = motions[body];
            velocity + angular_velocity.cross(self.position(bodies) - bodies[body].center())
        })
    }

    /// Velocity along the unit vector `direction` per impulse in this direction, 1/kg.
    pub fn mobility(&self, bodies: &[Body], direction: DVec3) -> f64 {
        let of = |compliance: Compliance| compliance.mobility(self.position(bodies), direction);
        self.body.map_or(0.0, |body| of(bodies[body].compliance()))
    }

    /// The impulse `linear` (N s) at this point, with its angular part about the center of the body.
    pub fn impulse(&self, bodies: &[Body], linear: DVec3) -> Momentum {
        let lever = self.body.map_or(DVec3::ZERO, |body| self.position(bodies) - bodies[body].center());
        Momentum { linear, angular: lever.cross(linear) }
    }
}
