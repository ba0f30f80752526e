//! Test of the particles of occupied cells against the slab-cut balls mapped to their cells.

use std::ops::Range;

use glam::Vec3A;
use plimsoll_base::math::{
    Domain,
    lanes::{LaneWork, Lanes},
};
use plimsoll_search::CellGrid;
use plimsoll_shape::SlabCutBall;

use crate::mapping::{
    balls_near_cell::BallsNearCell,
    moving_cells::MovingCells,
    near_segment::{BodySegment, MappingCounters, NearSegment},
    static_cells::StaticCells,
};

/// Input of the test.
pub(super) struct ParticleFilter<'a> {
    pub grid: &'a CellGrid,
    pub domain: &'a Domain,
    pub positions: &'a [Vec3A],
    pub distance: f64,
    pub static_cells: &'a StaticCells,
    pub moving_cells: &'a MovingCells,
    pub balls: &'a [Vec<SlabCutBall>],
}

/// Result of the test for some occupied cells. Its buffers are reused.
#[derive(Clone, Debug, Default)]
pub(super) struct FilterTask {
    pub near: Vec<NearSegment>,
    pub counters: MappingCounters,
    /// Segments mapped to one cell, and their balls.
    segments: Vec<BodySegment>,
    balls: BallsNearCell,
    /// The balls that contain one particle.
    found: Vec<u32>,
    /// The place of the last cell in each layer of static cells.
    places: Vec<usize>,
}

/// Tests the particles of some occupied cells.
pub(super) struct TaskSearch<'a> {
    pub task: &'a mut FilterTask,
    pub filter: &'a ParticleFilter<'a>,
    pub cells: Range<usize>,
}

impl LaneWork for TaskSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { task, filter, cells } = self;
        task.near.clear();
        task.counters = MappingCounters::default();
        task.places.clear();
        task.places.resize(filter.static_cells.layers.len(), 0);
        for cell in cells {
            task.list_segments(filter, cell);
            let FilterTask { near, counters, segments, balls, found, .. } = &mut *task;
            let particles = filter.grid.particles(cell);
            counters.cells_kept += segments.len() as u64;
            counters.particles_tested += (segments.len() * particles.len()) as u64;
            if segments.is_empty() {
                continue;
            }
            let origin = filter.positions[particles.start];
            // Not the size of a cell: the outermost ones have all particles farther out.
            let distance = |particle: usize| (filter.positions[particle] - origin).length();
            let size = particles.clone().map(distance).fold(0.0, f32::max);
            filter.place_balls(segments, origin, size.into(), balls);
            for particle in particles {
                let count = balls.containing::<L>(filter.positions[particle] - origin, found);
                near.extend(found[..count].iter().map(|&place| {
                    let (body, image, segment) = segments[place as usize];
                    NearSegment { particle: particle as u32, body, image, segment }
                }));
            }
        }
        task.counters.particles_inside = task.near.len() as u64;
    }
}

impl FilterTask {
    /// Lists the segments mapped to occupied cell `cell`, a later one than before.
    fn list_segments(&mut self, filter: &ParticleFilter, cell: usize) {
        let key = filter.grid.keys()[cell];
        self.segments.clear();
        for (layer, place) in filter.static_cells.layers.iter().zip(&mut self.places) {
            *place = layer.find(*place, key);
            self.segments.extend_from_slice(layer.of(*place, key));
        }
        let of_static = self.segments.len();
        self.segments.extend_from_slice(filter.moving_cells.of(cell));
        if of_static > 0 && of_static < self.segments.len() {
            self.segments.sort_unstable();
        }
    }
}

impl ParticleFilter<'_> {
    /// Places the balls of `segments` relative to `origin` (m), a particle of the cell; the others are within `size` (m) of it.
    fn place_balls(&self, segments: &[BodySegment], origin: Vec3A, size: f64, balls: &mut BallsNearCell) {
        let origin = origin.as_dvec3();
        balls.clear();
        for &(body, image, segment) in segments {
            let ball = &self.balls[body as usize][segment as usize];
            balls.push(ball, ball.center - self.domain.shift(image) - origin, self.distance, size);
        }
    }
}
