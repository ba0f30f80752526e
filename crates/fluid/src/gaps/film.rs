//! The film of water in a gap: the patches that it presses on, and the particles in it.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::Domain;
use plimsoll_bodies::Body;
use plimsoll_search::{CellGrid, CellLayout};
use rayon::prelude::*;

use super::{facing::Facing, patch::Patch};

/// Widths in particle radii. Up to the first, surfaces lie on each other and no water is between them; from the second on, there is.
pub const TOUCHING: [f64; 2] = [0.05, 0.15];
/// Widths in particle radii. Up to the first, particles press wrongly by more than a tenth, from the second on, they do not (table in
/// docs/theory/walls.md).
pub const WIDE: [f64; 2] = [2.75, 3.25];
/// Cosines of the angle between the surfaces: from the second on, they are parallel enough for the forces on both to be opposite, below the first, they
/// are not.
const PARALLEL: [f64; 2] = [0.85, 0.95];
/// Speeds at which the gap closes or opens, over that of a fall through a particle radius: up to the first, the pressure is that of water at rest, from the
/// second on, it is not.
const FAST: [f64; 2] = [0.25, 0.5];
/// Areas of a film over the square of a particle radius: up to the first, particles at its rim are not told apart from those in it, from the second on,
/// they are. With smaller films a ball of five radii that floats beside a wall stands up to 0.23 radii too high, from 20 on up to 0.14, and without 0.11.
const EXTENDED: [f64; 2] = [30.0, 60.0];
/// How far beside a patch, and before or behind the gap, a particle is still in it, in particle radii. Some particles are at the rim and press on the edges
/// of the body: with 0.2 aside, the lift of a box is right within a tenth at 2 and 2.5 radii, with 0.5 it is 11 and with 0.9 42 % too small.
const ASIDE: f64 = 0.2;
const BEYOND: f64 = 0.3;

/// A patch that a film presses on.
#[derive(Clone, Copy, Debug)]
pub struct FilmPatch {
    pub patch: Patch,
    /// Distance between the surfaces, m.
    width: f64,
    /// Share of the pressure on it that comes from the film and not from particles.
    pub share: f64,
}

impl FilmPatch {
    /// `fall` is the speed after a fall through a particle `radius`.
    fn of(facing: &Facing, bodies: [&Body; 2], radius: f64, fall: f64) -> Option<Self> {
        let &Facing { patch, width, cosine } = facing;
        let narrow = rise(width / radius, TOUCHING) * (1.0 - rise(width / radius, WIDE));
        let [own, other] = bodies.map(|body| body.velocity_at(patch.point));
        let speed = (own - other).dot(patch.normal).abs() / fall;
        let share = narrow * rise(cosine, PARALLEL) * (1.0 - rise(speed, FAST));
        (share > 0.0).then_some(Self { patch, width, share })
    }

    /// Distance of a position (m) to the line through the center of the patch, if it is in the gap.
    fn aside(&self, position: DVec3, radius: f64) -> Option<f64> {
        let offset = position - self.patch.point;
        let height = offset.dot(self.patch.normal);
        let aside = (offset - height * self.patch.normal).length();
        let reach = ASIDE * radius + 0.5 * self.patch.area.sqrt();
        let in_gap = height > -BEYOND * radius && height < self.width + BEYOND * radius && aside < reach;
        in_gap.then_some(aside)
    }
}

/// The film between two bodies; never empty.
pub struct Film {
    pub patches: Vec<FilmPatch>,
    /// Particle radius, m.
    radius: f64,
}

impl Film {
    /// The film on the first of two bodies whose patches `facing` are near the second, if there is one; particle `radius` in m, `gravity` in m/s².
    pub fn between(bodies: [&Body; 2], facing: &[Facing], radius: f64, gravity: f64) -> Option<Self> {
        let fall = (2.0 * gravity * radius).sqrt();
        let patches: Vec<FilmPatch> = facing.iter().filter_map(|facing| FilmPatch::of(facing, bodies, radius, fall)).collect();
        let area: f64 = patches.iter().map(|film| film.share * film.patch.area).sum();
        let extended = rise(area / radius.powi(2), EXTENDED);
        let patches = patches.into_iter().map(|film| FilmPatch { share: extended * film.share, ..film }).collect();
        (extended > 0.0).then_some(Self { patches, radius })
    }

    /// For each of the positions (m), the share of the patch that it is in front of, in the gap; zero outside.
    pub fn shares(&self, positions: &[DVec3]) -> Vec<f64> {
        let points: Vec<Vec3A> = self.patches.iter().map(|film| film.patch.point.as_vec3a()).collect();
        let reach = (WIDE[1] + BEYOND) * self.radius;
        let mut grid = CellGrid::default();
        grid.update(&points, CellLayout::new(reach as f32, &Domain::OPEN));
        let sorted: Vec<FilmPatch> = grid.order().map(|index| self.patches[index as usize]).collect();
        let share = |&position: &DVec3| {
            let near = grid.particles_around(position, reach).flat_map(|(range, _)| &sorted[range]);
            let in_gap = near.filter_map(|film| Some((film.aside(position, self.radius)?, film.share)));
            in_gap.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(0.0, |(_, share)| share)
        };
        positions.par_iter().map(share).collect()
    }
}

/// Zero below `from`, one above `to`, linear between.
fn rise(value: f64, [from, to]: [f64; 2]) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}
