//! Pressure at a point, as a kernel mean.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};
use crate::probes::means::PressureMean;

/// Pressure at a point, Pa: the mean of the particles around it ([`PressureMean`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PressurePoint {
    /// World coordinates, or those of `body`; m.
    pub position: DVec3,
    /// Index of the body with which the point moves.
    pub body: Option<usize>,
}

impl Instrument for PressurePoint {
    fn quantities(&self) -> Vec<Quantity> {
        vec![Quantity::mean("pressure", "Pa")]
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        let point = self.body.map_or(self.position, |body| sample.bodies[body].previous_pose.transform_point(self.position));
        let (mean, mut sums) = (PressureMean::new(sample), (0.0, 0.0));
        for (i, &position) in sample.positions.iter().enumerate() {
            mean.add(&mut sums, sample.offset(point, position), i);
        }
        vec![mean.value(sums)]
    }
}
