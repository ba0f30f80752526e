//! Volume of fluid in a box.

use plimsoll_base::math::Aabb;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};

/// Volume of fluid (m³) in a box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Volume {
    /// m
    pub region: Aabb,
}

impl Instrument for Volume {
    fn quantities(&self) -> Vec<Quantity> {
        vec![Quantity::state("volume", "m³")]
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        let inside = sample.after.iter().filter(|position| self.region.contains(position.as_dvec3())).count();
        vec![inside as f64 * sample.settings.particle_volume()]
    }
}
