//! Slab-cut balls mapped onto the fluid's cells: which particles are near which segments.
//!
//! Each ball, inflated by the interaction distance, is laid over the grid by index shifts around its centre. A cell is kept if its centre lies
//! in the ball and between the planes, both widened by the cell's half-diagonal; cells without particles are never visited.
//! Particles of kept cells are tested against the inflated slab-cut ball, and only those inside are handed on. There is no hierarchy.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bodies::Body,
    search::{CellCoordinate, CellGrid},
    shape::SlabCutBall,
};

/// A particle within the interaction distance of a segment's slab-cut ball.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NearSegment {
    pub particle: u32,
    pub body: u32,
    pub segment: u32,
}

/// How much the filter looked at and how much it let through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingCounters {
    /// Cells within the index shifts of a ball.
    pub cells_visited: u64,
    /// Cells kept by the slab-cut ball's own test.
    pub cells_kept: u64,
    /// Particles in kept cells.
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

/// Particles near segments, and what it took to find them.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// Sorted by particle, then body, then segment.
    pub near: Vec<NearSegment>,
    pub counters: MappingCounters,
    /// For each static body the cells of each ball, found once; the grid and distance for which they hold.
    kept_cells: Vec<Vec<CellRows>>,
    kept_for: (f32, f64),
}

/// Kept cells of one ball: stretches along x, and the counters of finding them.
#[derive(Clone, Debug, Default)]
struct CellRows {
    rows: Vec<CellRow>,
    visited: u64,
}

#[derive(Clone, Copy, Debug)]
struct CellRow {
    first: CellCoordinate,
    /// Number of cells along x.
    length: i32,
}

impl Mapping {
    /// Finds all particles (positions sorted in the grid's order) within `distance` (metres) of the slab-cut balls of `bodies`.
    pub fn update(&mut self, bodies: &[Body], grid: &CellGrid, positions: &[Vec3A], distance: f64) {
        self.forget_if_changed(bodies, grid, distance);
        let mut found: Vec<(Vec<NearSegment>, MappingCounters)> = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let search = BallSearch { body: index as u32, grid, positions, distance };
            let balls: Vec<SlabCutBall> =
                body.segmentation.segments.par_iter().map(|segment| segment.ball.transformed(&body.pose)).collect();
            if body.is_static() {
                if self.kept_cells[index].is_empty() {
                    self.kept_cells[index] = balls.par_iter().map(|ball| search.kept_cells(ball)).collect();
                }
                let cells = self.kept_cells[index].par_iter().zip(&balls).enumerate();
                found.par_extend(cells.map(|(segment, (cells, ball))| search.particles(segment, ball, cells)));
            } else {
                let each = balls.par_iter().enumerate();
                found.par_extend(each.map(|(segment, ball)| search.particles(segment, ball, &search.kept_cells(ball))));
            }
        }
        self.near.clear();
        self.counters = MappingCounters::default();
        for (near, counters) in found {
            self.near.extend(near);
            self.counters += counters;
        }
        self.near.par_sort_unstable();
    }

    fn forget_if_changed(&mut self, bodies: &[Body], grid: &CellGrid, distance: f64) {
        let wanted = (grid.cell_size(), distance);
        if self.kept_for != wanted || self.kept_cells.len() != bodies.len() {
            self.kept_cells = vec![Vec::new(); bodies.len()];
            self.kept_for = wanted;
        }
    }
}

/// What the search for one body's balls needs.
struct BallSearch<'a> {
    body: u32,
    grid: &'a CellGrid,
    positions: &'a [Vec3A],
    distance: f64,
}

impl BallSearch<'_> {
    /// Cells around `ball` that its widened sphere and planes let through, as stretches along x.
    fn kept_cells(&self, ball: &SlabCutBall) -> CellRows {
        let size = f64::from(self.grid.cell_size());
        let widening = self.distance + 0.5 * 3.0_f64.sqrt() * size;
        let reach = ball.radius + self.distance;
        let first = ((ball.center - reach) / size).floor().as_ivec3();
        let last = ((ball.center + reach) / size).floor().as_ivec3();
        let mut kept = CellRows::default();
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                for x in first.x..=last.x {
                    kept.visited += 1;
                    let center = (DVec3::new(f64::from(x), f64::from(y), f64::from(z)) + 0.5) * size;
                    if ball.contains(center, widening) {
                        kept.push(CellCoordinate::new(x, y, z));
                    }
                }
            }
        }
        kept
    }

    fn particles(&self, segment: usize, ball: &SlabCutBall, cells: &CellRows) -> (Vec<NearSegment>, MappingCounters) {
        let mut counters = MappingCounters { cells_visited: cells.visited, ..MappingCounters::default() };
        let mut near = Vec::new();
        for row in &cells.rows {
            counters.cells_kept += row.length as u64;
            let range = self.grid.row_particles(row.first.x, row.first.x + row.length - 1, row.first.y, row.first.z);
            counters.particles_tested += range.len() as u64;
            for particle in range {
                if ball.contains(self.positions[particle].as_dvec3(), self.distance) {
                    near.push(NearSegment { particle: particle as u32, body: self.body, segment: segment as u32 });
                }
            }
        }
        counters.particles_inside = near.len() as u64;
        (near, counters)
    }
}

impl CellRows {
    fn push(&mut self, cell: CellCoordinate) {
        if let Some(row) = self.rows.last_mut()
            && row.first.y == cell.y
            && row.first.z == cell.z
            && row.first.x + row.length == cell.x
        {
            row.length += 1;
        } else {
            self.rows.push(CellRow { first: cell, length: 1 });
        }
    }
}
