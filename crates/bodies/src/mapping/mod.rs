//! Mapping of slab-cut balls to the fluid's cells: finds the particles near each segment.
//!
//! Each ball is inflated by the interaction distance and mapped to the grid by index offsets around its center. A cell is stored if its
//! center is in the ball and between the planes, both widened by the cell's half-diagonal; cells without particles are skipped. This gives
//! a list of segments for each occupied cell. The cell's particles are tested against the inflated slab-cut balls of these segments, and
//! only particles inside are passed on. There is no hierarchy. Static bodies keep their cells from step to step.

mod balls_near_cell;
mod cell_search;
mod moving_cells;
mod near_segment;
mod particle_filter;
mod static_cells;

use glam::Vec3A;
use plimsoll_base::math::{Domain, lanes, parallel::InTasks};
use plimsoll_search::{CellCoordinate, CellGrid, concatenate, reuse};
use plimsoll_shape::SlabCutBall;
use rayon::prelude::*;

pub use self::near_segment::{MappingCounters, NearSegment};
use self::{
    cell_search::{CellBox, CellSearch},
    moving_cells::MovingCells,
    near_segment::CELLS_PER_TASK,
    particle_filter::{FilterTask, ParticleFilter, TaskSearch},
    static_cells::StaticCells,
};
use crate::Body;

/// Particles near segments, and the cost of the search.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// Sorted by particle, then body, then image, then segment.
    pub near: Vec<NearSegment>,
    /// The domain of the particles, which gives the shifts of images.
    pub domain: Domain,
    /// Counters of the last mapping.
    pub counters: MappingCounters,
    static_cells: StaticCells,
    moving_cells: MovingCells,
    /// The balls of each body in world coordinates.
    balls: Vec<Vec<SlabCutBall>>,
    tasks: Vec<FilterTask>,
    /// Where the result of each task ends in `near`.
    ends: Vec<usize>,
    /// Number of bodies of the last mapping.
    known: usize,
}

impl Mapping {
    /// Finds all particles within `distance` (m) of the slab-cut balls of `bodies`, across periodic ends, and possibly some that are
    /// farther by a rounding error. `positions` must be sorted in the grid's order.
    pub fn update(&mut self, bodies: &[Body], grid: &CellGrid, positions: &[Vec3A], distance: f64) {
        self.counters = MappingCounters::default();
        self.domain = *grid.layout().domain();
        let search = CellSearch { grid, distance, region: CellBox::occupied(grid) };
        self.place_balls(bodies);
        self.counters.cells_visited += self.static_cells.update(bodies, &self.balls, &search);
        self.counters.cells_visited += self.moving_cells.update(bodies, &self.balls, &search);
        let tasks = reuse(&mut self.tasks, grid.cell_count().div_ceil(CELLS_PER_TASK));
        let filter = ParticleFilter {
            grid,
            domain: &self.domain,
            positions,
            distance,
            static_cells: &self.static_cells,
            moving_cells: &self.moving_cells,
            balls: &self.balls,
        };
        tasks.par_iter_mut().enumerate().in_tasks(1).for_each(|(index, task)| {
            let first = index * CELLS_PER_TASK;
            lanes::compute(TaskSearch { task, filter: &filter, cells: first..(first + CELLS_PER_TASK).min(grid.cell_count()) });
        });
        for task in &*tasks {
            self.counters += task.counters;
        }
        concatenate(tasks, |task| &task.near, &mut self.ends, &mut self.near);
    }

    /// The occupied cells kept by the balls of a body, with the index of the body; each pair once.
    pub fn kept(&self, grid: &CellGrid) -> Vec<(CellCoordinate, u32)> {
        // There are no cells before the first update.
        let known = if self.moving_cells.cell_count() == grid.cell_count() { grid.cell_count() } else { 0 };
        let mut kept = Vec::new();
        for cell in 0..known {
            let coordinate = grid.coordinate(cell);
            let moving = self.moving_cells.of(cell).iter();
            let mut bodies: Vec<u32> = self.static_cells.of(grid.keys()[cell]).chain(moving).map(|&(body, ..)| body).collect();
            bodies.sort_unstable();
            bodies.dedup();
            kept.extend(bodies.into_iter().map(|body| (coordinate, body)));
        }
        kept
    }

    fn place_balls(&mut self, bodies: &[Body]) {
        self.balls.resize(bodies.len(), Vec::new());
        let known = self.known;
        self.known = bodies.len();
        for (index, (balls, body)) in self.balls.iter_mut().zip(bodies).enumerate() {
            let segments = &body.segmentation.segments;
            if body.is_static() && index < known && balls.len() != segments.len() {
                // It has appeared or vanished.
                self.static_cells = StaticCells::default();
            }
            if !body.is_static() || balls.len() != segments.len() {
                segments.par_iter().map(|segment| segment.ball.transformed(&body.pose)).collect_into_vec(balls);
            }
        }
    }
}
