//! The wall search: from the bodies' slab-cut balls to the wall contacts of particles.

use glam::Vec3A;

use crate::{
    bodies::{Body, Mapping},
    fluid::{coupling::WallContacts, walls::WallTriangle},
    search::CellGrid,
};

/// Which particles are near which triangles. Rebuilt in every step, so it is not part of a checkpoint.
#[derive(Clone, Debug, Default)]
pub struct WallSearch {
    /// The triangles of each body's segments, ready for integration.
    pub triangles: Vec<Vec<WallTriangle>>,
    pub mapping: Mapping,
    pub contacts: WallContacts,
}

impl WallSearch {
    /// Finds the contacts of particles at `positions`, sorted into `grid`, with walls closer than `cutoff` (m). Bodies are only ever
    /// appended; the triangles of known bodies are kept.
    pub fn update(&mut self, bodies: &[Body], grid: &CellGrid, positions: &[Vec3A], cutoff: f64) {
        self.triangles.extend(bodies[self.triangles.len()..].iter().map(wall_triangles));
        self.mapping.update(bodies, grid, positions, cutoff);
        self.contacts.integrate(bodies, &self.triangles, &self.mapping, positions, cutoff);
    }
}

fn wall_triangles(body: &Body) -> Vec<WallTriangle> {
    let segmentation = &body.segmentation;
    let corners = (0..segmentation.mesh.triangles.len()).map(|index| segmentation.mesh.corners(index));
    corners.zip(&segmentation.sharp_edges).map(|(corners, &sharp)| WallTriangle::new(corners, sharp)).collect()
}
