//! Neighbourhoods of the particles: cells, pairs, kernel gradients and densities.

mod isotropy;
mod kernel;
mod pairs;
mod prefetch;
mod smoothing;

pub use kernel::Kernel;
pub use pairs::{PairBatch, Pairs, symmetric};
pub use prefetch::{AHEAD, prefetch};

use glam::Mat3A;
use plimsoll_search::CellGrid;

use crate::{FluidSettings, coupling::WallContacts, particles::Particles};

/// Everything computed from the positions of the particles. Rebuilt in every step, so it is not part of a checkpoint.
#[derive(Clone, Debug, Default)]
pub struct Neighbourhood {
    pub grid: CellGrid,
    pub pairs: Pairs,
}

impl Neighbourhood {
    /// Sorts the particles into cells and lists the pairs within the support radius.
    pub fn find_pairs(&mut self, settings: &FluidSettings, particles: &mut Particles) {
        particles.sort(&mut self.grid, &settings.cell_layout());
        self.pairs.neighbours.rebuild(&self.grid, &particles.positions);
    }

    /// Computes the pairs' gradients, their isotropy `corrections` (one per particle), and the relative densities of the particles, walls included.
    pub fn compute_densities(
        &mut self,
        settings: &FluidSettings,
        particles: &mut Particles,
        contacts: &WallContacts,
        corrections: &mut Vec<Mat3A>,
    ) {
        self.pairs.update(&settings.kernel(), settings.particle_volume() as f32, particles, contacts, corrections);
    }
}
