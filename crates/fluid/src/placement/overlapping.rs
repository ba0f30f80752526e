//! Points that are too close to particles.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::Domain;
use plimsoll_search::{CellGrid, CellLayout};
use rayon::prelude::*;

/// For each point in `domain`, whether one of the particles at `positions` is closer than `distance`.
pub fn overlapping(positions: &[Vec3A], domain: &Domain, points: &[DVec3], distance: f64) -> Vec<bool> {
    if positions.is_empty() {
        return vec![false; points.len()];
    }
    let mut grid = CellGrid::default();
    grid.update(positions, CellLayout::new(distance as f32, domain));
    let sorted: Vec<Vec3A> = grid.order().map(|index| positions[index as usize]).collect();
    let near = |point: &DVec3| {
        grid.particles_around(*point, distance)
            .any(|(range, image)| sorted[range].iter().any(|other| (other.as_dvec3() + domain.shift(image)).distance(*point) < distance))
    };
    points.par_iter().map(near).collect()
}
