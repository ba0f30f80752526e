//! The wall search: from the bodies' slab-cut balls to the wall contacts of particles.

use glam::Vec3A;
use rayon::prelude::*;

use crate::{
    bodies::{Body, Mapping},
    fluid::{coupling::WallContacts, walls::WallSurface},
    search::CellGrid,
};

/// Which particles are near which triangles. Rebuilt in every step, so it is not part of a checkpoint.
#[derive(Clone, Debug, Default)]
pub struct WallSearch {
    /// The surface of each body, ready for integration.
    pub surfaces: Vec<WallSurface>,
    pub mapping: Mapping,
    pub contacts: WallContacts,
}

impl WallSearch {
    /// Finds the contacts of particles at `positions`, sorted into `grid`, with walls closer than `cutoff` (m). Bodies are only ever
    /// appended; the surfaces of known bodies are kept.
    pub fn update(&mut self, bodies: &[Body], grid: &CellGrid, positions: &[Vec3A], cutoff: f64) {
        let surface = |body: &Body| WallSurface::new(&body.segmentation, cutoff);
        self.surfaces.par_extend(bodies[self.surfaces.len()..].par_iter().map(surface));
        self.mapping.update(bodies, grid, positions, cutoff);
        self.contacts.integrate(bodies, &self.surfaces, &self.mapping, positions, cutoff);
    }
}
