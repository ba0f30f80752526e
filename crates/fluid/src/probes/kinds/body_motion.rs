//! Motion of a body.

use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};
use crate::probes::Signal;

/// Motion of a body since time zero: displacement of its center (m) and rotation vector (°) along the world axes, on its continuous path
/// through periodic ends. With y up, the displacement along y is heave and the rotation about y is yaw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyMotion {
    /// Index of the body.
    pub body: usize,
}

impl Instrument for BodyMotion {
    fn quantities(&self) -> Vec<Quantity> {
        let displacement = Quantity::vector("displacement", "m", Signal::State);
        let rotation = Quantity::vector("rotation", "deg", Signal::State);
        let velocity = Quantity::vector("velocity", "m/s", Signal::State);
        [displacement, rotation, velocity].concat()
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        let body = &sample.bodies[self.body];
        let displacement = body.center() + body.wrapped - body.initial_pose.transform_point(body.local_center);
        let turn = body.pose.rotation * body.initial_pose.rotation.conjugate();
        let shortest = if turn.w < 0.0 { -turn } else { turn };
        let rotation = shortest.to_scaled_axis().map(f64::to_degrees);
        [displacement, rotation, body.velocity].map(|vector| vector.to_array()).concat()
    }
}
