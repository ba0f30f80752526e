//! The wall search: from the bodies' slab-cut balls to the wall contacts of particles.

use std::{collections::HashMap, sync::Arc};

use glam::Vec3A;
use plimsoll_bodies::{Body, Mapping};
use plimsoll_search::CellGrid;
use rayon::prelude::*;

use crate::{coupling::WallContacts, walls::WallSurface};

/// Which particles are near which triangles. Rebuilt in every step, so it is not part of a checkpoint.
#[derive(Clone, Debug, Default)]
pub struct WallSearch {
    /// The surface of each body, ready for integration; that of bodies with the same segments is shared.
    pub surfaces: Vec<Arc<WallSurface>>,
    pub mapping: Mapping,
    pub contacts: WallContacts,
}

impl WallSearch {
    /// Finds the contacts of particles at `positions`, sorted into `grid`, with walls closer than `cutoff` (m). Bodies are only ever
    /// appended; the surfaces of known bodies are kept, except those of bodies that deform.
    pub fn update(&mut self, bodies: &[Body], grid: &CellGrid, positions: &[Vec3A], cutoff: f64) {
        self.add_surfaces(bodies, cutoff);
        self.deform_surfaces(bodies);
        self.mapping.update(bodies, grid, positions, cutoff);
        self.contacts.integrate(bodies, &self.surfaces, &self.mapping, positions, cutoff);
    }

    fn add_surfaces(&mut self, bodies: &[Body], cutoff: f64) {
        let known = self.surfaces.len();
        let mut owners = HashMap::new();
        let owner = |(index, body): (usize, &Body)| *owners.entry(Arc::as_ptr(body.whole_segmentation())).or_insert(index);
        let owners: Vec<usize> = bodies.iter().enumerate().map(owner).collect();
        let deforms = |index: usize| bodies[index].deformation().is_some();
        let own = |index: usize| {
            (owners[index] == index && !deforms(index)).then(|| Arc::new(WallSurface::new(bodies[index].whole_segmentation(), cutoff)))
        };
        let own: Vec<Option<Arc<WallSurface>>> = (known..bodies.len()).into_par_iter().map(own).collect();
        for (own, owner) in own.into_iter().zip(&owners[known..]) {
            let surface = own.or_else(|| self.surfaces.get(*owner).cloned()).unwrap_or_default();
            self.surfaces.push(surface);
        }
    }

    fn deform_surfaces(&mut self, bodies: &[Body]) {
        for (surface, body) in self.surfaces.iter_mut().zip(bodies).filter(|(_, body)| body.deformation().is_some()) {
            *surface = Arc::new(WallSurface::deforming(&body.segmentation, &body.surface_motion.velocities));
        }
    }
}
