//! What enters and leaves a box.

use plimsoll_base::math::Aabb;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};

/// Particles and bodies that enter or leave a box. It has no quantities: its table has a row for each event.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoxEvents {
    /// World coordinates, m.
    pub region: Aabb,
}

impl Instrument for BoxEvents {
    fn quantities(&self) -> Vec<Quantity> {
        Vec::new()
    }

    fn measure(&self, _: &FluidSample) -> Vec<f64> {
        Vec::new()
    }
}
