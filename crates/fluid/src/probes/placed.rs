//! Where a body is, in a simulation or in a frame.

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_bodies::Body;
use plimsoll_contract::frame::BodyFrame;

/// Where a body is.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Body to world.
    pub pose: Pose,
    /// World coordinates, m.
    pub center: DVec3,
}

impl From<&Body> for Placed {
    fn from(body: &Body) -> Self {
        Self { pose: body.pose, center: body.center() }
    }
}

impl From<&BodyFrame> for Placed {
    fn from(body: &BodyFrame) -> Self {
        Self { pose: body.pose, center: body.center }
    }
}
