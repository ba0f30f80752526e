//! Force and torque on a body.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};
use crate::probes::Signal;

/// Force (N) and torque (N m) of the fluid on a body: pressure, friction and stopped particles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyForce {
    /// Index of the body.
    pub body: usize,
    /// Point for the torque, world coordinates, m; the body's center if absent.
    pub about: Option<DVec3>,
}

impl Instrument for BodyForce {
    fn quantities(&self) -> Vec<Quantity> {
        [Quantity::vector("force", "N", Signal::Mean), Quantity::vector("torque", "N m", Signal::Mean)].concat()
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        let (force, torque) = sample.loads[self.body].total().mean(sample.dt);
        let lever = self.about.map_or(DVec3::ZERO, |about| sample.bodies[self.body].center() - about);
        [force.to_array(), (torque + lever.cross(force)).to_array()].concat()
    }
}
