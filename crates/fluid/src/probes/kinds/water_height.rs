//! Height of the water over a point: a wave gauge.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};
use crate::probes::surface::{column_height, surface_height};

/// Height of the water (m) above a point, against gravity, in two ways: of the surface, i.e. of the highest place with fluid on the line
/// above the point; and of the column, i.e. the volume of fluid over the point divided by area. They differ where there is air below the
/// surface. The column is too low within a support radius of a wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaterHeight {
    /// Foot of the gauge, m.
    pub position: DVec3,
}

impl Instrument for WaterHeight {
    fn quantities(&self) -> Vec<Quantity> {
        vec![Quantity::state("surface", "m"), Quantity::state("column", "m")]
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        vec![surface_height(sample, self.position), column_height(sample, self.position)]
    }
}
