//! A particle near a segment, as the parts of the mapping pass it on, and how many were tested.

use plimsoll_base::math::Image;
use serde::{Deserialize, Serialize};

/// A particle within the interaction distance of a segment's slab-cut ball.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NearSegment {
    /// Index of the particle.
    pub particle: u32,
    /// Index of the body.
    pub body: u32,
    /// The image of the particle that is near the segment.
    pub image: Image,
    /// Index of the segment in its body.
    pub segment: u32,
}

/// Numbers of candidates tested and accepted by the filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingCounters {
    /// Cells within the index range of a ball. Those of static bodies are visited once, but counted in every step.
    pub cells_visited: u64,
    /// Occupied cells accepted by a ball's own test, counted once per ball.
    pub cells_kept: u64,
    /// Particles in these cells, counted once per ball.
    pub particles_tested: u64,
    /// Particles in an inflated slab-cut ball, within rounding.
    pub particles_inside: u64,
}

impl std::ops::AddAssign for MappingCounters {
    fn add_assign(&mut self, other: Self) {
        self.cells_visited += other.cells_visited;
        self.cells_kept += other.cells_kept;
        self.particles_tested += other.particles_tested;
        self.particles_inside += other.particles_inside;
    }
}

/// Body, image of the particles, and segment.
pub(super) type BodySegment = (u32, Image, u32);

/// Number of occupied cells per task. It is fixed, so that the order of the results does not depend on the number of threads.
pub(super) const CELLS_PER_TASK: usize = 64;
