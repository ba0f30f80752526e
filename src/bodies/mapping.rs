//! Mapping of slab-cut balls to the fluid's cells: finds the particles near each segment.
//!
//! Each ball is inflated by the interaction distance and mapped to the grid by index offsets around its center. A cell is stored if its
//! center is in the ball and between the planes, both widened by the cell's half-diagonal; cells without particles are skipped. This gives
//! a list of segments for each occupied cell. The cell's particles are tested against the inflated slab-cut balls of these segments, and
//! only particles inside are passed on. There is no hierarchy. Static bodies keep their cells from step to step.

use std::{collections::HashMap, ops::Range};

use glam::Vec3A;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bodies::Body,
    math::{Domain, Image},
    search::{CellCoordinate, CellGrid, CellLayout, CellRow, concatenate, reuse},
    shape::SlabCutBall,
};

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
    /// Particles in an inflated slab-cut ball.
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
}

/// Body, image of the particles, and segment.
type BodySegment = (u32, Image, u32);

/// The cells of static bodies, found once per body.
#[derive(Clone, Debug, Default)]
struct StaticCells {
    /// One layer for all initial bodies, and one for each body added later, so that adding a body leaves the other layers unchanged.
    layers: Vec<CellLayer>,
    /// Number of bodies covered by the layers.
    bodies: usize,
    visited: u64,
    /// Cells and distance for which the layers are valid.
    valid_for: Option<(CellLayout, f64)>,
}

/// Cells, and the segments mapped to each.
#[derive(Clone, Debug, Default)]
struct CellLayer {
    /// The range of each cell in `segments`.
    cells: HashMap<CellCoordinate, Range<u32>>,
    segments: Vec<BodySegment>,
}

/// The occupied cells of moving bodies, found in each step.
#[derive(Clone, Debug, Default)]
struct MovingCells {
    /// Occupied cell and segment, sorted.
    entries: Vec<(u32, BodySegment)>,
    /// Index of the first entry of each occupied cell; the number of entries at the end.
    starts: Vec<u32>,
    /// Cells of the balls of one body.
    kept: Vec<KeptCells>,
}

/// Number of occupied cells per task. It is fixed, so that the order of the results does not depend on the number of threads.
const CELLS_PER_TASK: usize = 64;
/// Rounding tolerance, in cells.
const ROUNDING: f64 = 1e-9;

impl Mapping {
    /// Finds all particles within `distance` (m) of the slab-cut balls of `bodies`, across periodic ends. `positions` must be sorted in the
    /// grid's order.
    pub fn update(&mut self, bodies: &[Body], grid: &CellGrid, positions: &[Vec3A], distance: f64) {
        self.counters = MappingCounters::default();
        self.domain = *grid.layout().domain();
        let search = CellSearch { grid, distance };
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
        tasks.par_iter_mut().enumerate().for_each(|(task, found)| found.test_particles(&filter, task));
        for task in &*tasks {
            self.counters += task.counters;
        }
        concatenate(tasks, |task| &task.near, &mut self.ends, &mut self.near);
    }

    /// The occupied cells kept by the balls of a body, with the index of the body; each pair once.
    pub fn kept(&self, grid: &CellGrid) -> Vec<(CellCoordinate, u32)> {
        // There are no cells before the first update.
        let known = if self.moving_cells.starts.len() == grid.cell_count() + 1 { grid.cell_count() } else { 0 };
        let mut kept = Vec::new();
        for cell in 0..known {
            let coordinate = grid.coordinate(cell);
            let moving = self.moving_cells.of(cell).iter().map(|&(_, (body, ..))| body);
            let mut bodies: Vec<u32> = self.static_cells.of(coordinate).map(|(body, ..)| body).chain(moving).collect();
            bodies.sort_unstable();
            bodies.dedup();
            kept.extend(bodies.into_iter().map(|body| (coordinate, body)));
        }
        kept
    }

    fn place_balls(&mut self, bodies: &[Body]) {
        self.balls.resize(bodies.len(), Vec::new());
        for (balls, body) in self.balls.iter_mut().zip(bodies) {
            let segments = &body.segmentation.segments;
            if !body.is_static() || balls.len() != segments.len() {
                segments.par_iter().map(|segment| segment.ball.transformed(&body.pose)).collect_into_vec(balls);
            }
        }
    }
}

/// Input of the test of particles against slab-cut balls.
struct ParticleFilter<'a> {
    grid: &'a CellGrid,
    domain: &'a Domain,
    positions: &'a [Vec3A],
    distance: f64,
    static_cells: &'a StaticCells,
    moving_cells: &'a MovingCells,
    balls: &'a [Vec<SlabCutBall>],
}

/// Result of the test for some occupied cells. Its buffers are reused.
#[derive(Clone, Debug, Default)]
struct FilterTask {
    near: Vec<NearSegment>,
    counters: MappingCounters,
    /// Segments mapped onto one cell.
    segments: Vec<BodySegment>,
}

impl FilterTask {
    /// Tests the particles of the occupied cells of task number `task` against the segments mapped onto their cells.
    fn test_particles(&mut self, filter: &ParticleFilter, task: usize) {
        let Self { near, counters, segments } = self;
        let grid = filter.grid;
        near.clear();
        *counters = MappingCounters::default();
        for cell in task * CELLS_PER_TASK..((task + 1) * CELLS_PER_TASK).min(grid.cell_count()) {
            segments.clear();
            segments.extend(filter.static_cells.of(grid.coordinate(cell)));
            let of_static = segments.len();
            segments.extend(filter.moving_cells.of(cell).iter().map(|&(_, segment)| segment));
            if of_static > 0 && of_static < segments.len() {
                segments.sort_unstable();
            }
            let particles = grid.particles(cell);
            counters.cells_kept += segments.len() as u64;
            counters.particles_tested += (segments.len() * particles.len()) as u64;
            if segments.is_empty() {
                continue;
            }
            for particle in particles {
                let position = filter.positions[particle].as_dvec3();
                for &(body, image, segment) in &*segments {
                    let position = position + filter.domain.shift(image);
                    if filter.balls[body as usize][segment as usize].contains(position, filter.distance) {
                        near.push(NearSegment { particle: particle as u32, body, image, segment });
                    }
                }
            }
        }
        counters.particles_inside = near.len() as u64;
    }
}

impl StaticCells {
    /// Finds the cells of static bodies not yet covered; returns the total number of visited cells of all static bodies.
    fn update(&mut self, bodies: &[Body], balls: &[Vec<SlabCutBall>], search: &CellSearch) -> u64 {
        let wanted = Some((*search.grid.layout(), search.distance));
        if self.valid_for != wanted {
            *self = Self { valid_for: wanted, ..Self::default() };
        }
        let (mut entries, mut kept) = (Vec::<([i32; 3], BodySegment)>::new(), Vec::new());
        for (body, _) in bodies.iter().enumerate().skip(self.bodies).filter(|(_, body)| body.is_static()) {
            for (segment, kept) in search.find_cells(&balls[body], &mut kept).iter().enumerate() {
                self.visited += kept.visited;
                for (part, image) in kept.rows.iter().flat_map(|&row| search.grid.layout().within(row)) {
                    entries.extend(part.cells().map(|cell| (cell.to_array(), (body as u32, image, segment as u32))));
                }
            }
        }
        self.bodies = bodies.len();
        if !entries.is_empty() {
            self.layers.push(CellLayer::new(entries));
        }
        self.visited
    }

    /// The segments mapped to `cell`, in order.
    fn of(&self, cell: CellCoordinate) -> impl Iterator<Item = BodySegment> {
        self.layers.iter().flat_map(move |layer| layer.of(cell).iter().copied())
    }
}

impl CellLayer {
    fn new(mut entries: Vec<([i32; 3], BodySegment)>) -> Self {
        entries.par_sort_unstable();
        let mut layer = Self { cells: HashMap::new(), segments: entries.iter().map(|&(_, segment)| segment).collect() };
        let mut start = 0;
        for stretch in entries.chunk_by(|a, b| a.0 == b.0) {
            let end = start + stretch.len() as u32;
            layer.cells.insert(CellCoordinate::from_array(stretch[0].0), start..end);
            start = end;
        }
        layer
    }

    fn of(&self, cell: CellCoordinate) -> &[BodySegment] {
        self.cells.get(&cell).map_or(&[], |range| &self.segments[range.start as usize..range.end as usize])
    }
}

impl MovingCells {
    /// Finds the occupied cells of all bodies that are not static; returns the number of visited cells.
    fn update(&mut self, bodies: &[Body], balls: &[Vec<SlabCutBall>], search: &CellSearch) -> u64 {
        self.entries.clear();
        let mut visited = 0;
        for (body, _) in bodies.iter().enumerate().filter(|(_, body)| !body.is_static()) {
            for (segment, kept) in search.find_cells(&balls[body], &mut self.kept).iter().enumerate() {
                visited += kept.visited;
                for (occupied, image) in kept.rows.iter().flat_map(|&row| search.grid.cells_in(row)) {
                    self.entries.extend(occupied.map(|cell| (cell as u32, (body as u32, image, segment as u32))));
                }
            }
        }
        self.entries.par_sort_unstable();
        self.starts.clear();
        self.starts.resize(search.grid.cell_count() + 1, 0);
        for &(cell, _) in &self.entries {
            self.starts[cell as usize + 1] += 1;
        }
        for cell in 1..self.starts.len() {
            self.starts[cell] += self.starts[cell - 1];
        }
        visited
    }

    fn of(&self, cell: usize) -> &[(u32, BodySegment)] {
        &self.entries[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}

/// Input of the search for a ball's cells.
struct CellSearch<'a> {
    grid: &'a CellGrid,
    distance: f64,
}

/// Cells stored for a ball, as ranges along x.
#[derive(Clone, Debug, Default)]
struct KeptCells {
    rows: Vec<CellRow>,
    visited: u64,
}

impl CellSearch<'_> {
    /// Finds the cells of each ball.
    fn find_cells<'k>(&self, balls: &[SlabCutBall], buffers: &'k mut Vec<KeptCells>) -> &'k [KeptCells] {
        let kept = reuse(buffers, balls.len());
        kept.par_iter_mut().zip(balls).for_each(|(kept, ball)| self.keep_cells(ball, kept));
        kept
    }

    /// Finds the cells around `ball` within its widened sphere and planes.
    fn keep_cells(&self, ball: &SlabCutBall, kept: &mut KeptCells) {
        let layout = self.grid.layout();
        let widening = self.distance + 0.5 * layout.size.length();
        let (first, last) = layout.cells_around(ball.center, ball.radius + self.distance);
        let visited = (last - first + 1).as_u64vec3();
        kept.visited = visited.x * visited.y * visited.z;
        kept.rows.clear();
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                let [offset, across, up] = (layout.center(CellCoordinate::new(0, y, z)) - ball.center).to_array();
                let Some((from, to)) = ball.chord(across, up, widening) else { continue };
                // All cells of the row with centers on the chord. Rounding may add one at either end but never removes one.
                let cell = |x: f64| (x - offset) / layout.size.x;
                let from = ((cell(from) - ROUNDING).ceil() as i32).max(first.x);
                let to = ((cell(to) + ROUNDING).floor() as i32).min(last.x);
                if from <= to {
                    kept.rows.push(CellRow { first: CellCoordinate::new(from, y, z), length: to - from + 1 });
                }
            }
        }
    }
}
