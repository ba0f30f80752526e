//! Cells of all levels in one table, with the spheres sorted by level and cell.
//!
//! On each level, cells are numbered along x, then y, then z. The table stores the first sphere of each cell, so three adjacent cells along
//! x are one contiguous range of spheres. The table covers the bounding box of all spheres; along periodic axes, the whole box. If spheres
//! are sparse, cells are enlarged so that a level has hardly more than [`CELLS_PER_SPHERE`] cells per sphere.

use glam::DVec3;
use plimsoll_base::math::{Domain, OffsetLists};
use rayon::prelude::*;

use super::level_plan::LevelPlan;
use crate::Sphere;

const CELLS_PER_SPHERE: f64 = 4.0;
const FEWEST_CELLS: f64 = 64.0;
/// Relative enlargement of cells, so that rounding never places a pair two cells apart.
const MARGIN: f64 = 1e-9;

/// The cells of one level.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Cells along each axis.
    pub size: [i32; 3],
    /// Edges of a cell, meters; zero along an axis on which all spheres have the same coordinate.
    pub edges: DVec3,
    /// Cells per meter.
    pub inverse: DVec3,
    /// Index of its first cell in the table.
    pub first: usize,
    /// Whether the three cells around a cell are different along every axis; false in a periodic box less than three cells wide.
    pub regular: bool,
}

/// All cells, and the order of the spheres.
#[derive(Clone, Debug)]
pub struct LevelCells {
    /// The box.
    pub domain: Domain,
    /// Lowest corner of the cells, m.
    pub low: DVec3,
    /// Levels, the coarsest first.
    pub levels: Vec<Level>,
    /// Spheres by cell.
    lists: OffsetLists,
    /// Whether the last sorted spheres were already in order.
    pub in_order: bool,
    keys: Vec<u32>,
}

impl LevelCells {
    /// Creates the structure without cells.
    pub fn new(domain: Domain) -> Self {
        Self { domain, low: domain.low, levels: Vec::new(), lists: OffsetLists::default(), in_order: false, keys: Vec::new() }
    }

    /// Sorts spheres by level and cell.
    pub fn sort(&mut self, spheres: &[Sphere], plan: &LevelPlan) {
        let cell_count = self.lay_out(spheres, plan);
        let keys = spheres.par_iter().with_min_len(8192);
        let (levels, low) = (&self.levels, self.low);
        let key = |sphere: &Sphere| {
            let level = &levels[plan.level_of(2.0 * sphere.radius)];
            let [x, y, z] = level.coordinates(sphere.center - low);
            (level.first + level.cell(x, y, z)) as u32
        };
        keys.map(key).collect_into_vec(&mut self.keys);
        self.lists.rebuild(cell_count, self.keys.iter().copied().zip(0..));
        self.in_order = self.order().iter().zip(0..).all(|(&sphere, place)| sphere == place);
    }

    /// First sphere of each cell, and their number at the end.
    #[inline]
    pub fn starts(&self) -> &[u32] {
        self.lists.offsets()
    }

    /// The index of the sphere at each position in the order.
    pub fn order(&self) -> &[u32] {
        self.lists.values()
    }

    /// Computes the number and size of the cells on each level; returns the total number of cells.
    fn lay_out(&mut self, spheres: &[Sphere], plan: &LevelPlan) -> usize {
        let (low, size) = self.extent(spheres);
        self.low = low;
        self.levels.clear();
        let mut first = 0;
        for (&diameter, &spheres) in plan.diameters.iter().zip(&plan.counts) {
            let most = CELLS_PER_SPHERE * spheres as f64 + FEWEST_CELLS;
            let mut edge = (diameter + plan.skin) * (1.0 + MARGIN);
            let count = |edge: f64| (0..self.domain.dimension).map(|axis| (size[axis] / edge).floor().max(1.0)).product::<f64>();
            while count(edge) > most {
                edge *= 1.01 * (count(edge) / most).powf(1.0 / self.domain.dimension as f64);
            }
            let mut level = Level { size: [1; 3], edges: DVec3::ZERO, inverse: DVec3::ZERO, first, regular: true };
            for axis in 0..self.domain.dimension {
                let cells = (size[axis] / edge).floor().max(1.0);
                level.size[axis] = cells as i32;
                level.edges[axis] = size[axis] / cells;
                level.inverse[axis] = if size[axis] > 0.0 { cells / size[axis] } else { 0.0 };
                level.regular &= !self.domain.periodic[axis] || cells >= 3.0;
            }
            first += level.cell_count();
            self.levels.push(level);
        }
        assert!(first < u32::MAX as usize, "{first} cells, fewer than 2^32 can be numbered");
        first
    }

    /// The bounding box of all spheres; along periodic axes the whole box.
    fn extent(&self, spheres: &[Sphere]) -> (DVec3, DVec3) {
        // Ignores NaN, unlike `DVec3::min`: twice as fast.
        let lower = |a: DVec3, b: DVec3| DVec3::select(a.cmplt(b), a, b);
        let higher = |a: DVec3, b: DVec3| DVec3::select(a.cmpgt(b), a, b);
        let around = spheres.par_iter().with_min_len(16384).map(|sphere| (sphere.center, sphere.center));
        let (mut low, mut high) = around.reduce(|| (DVec3::INFINITY, DVec3::NEG_INFINITY), |a, b| (lower(a.0, b.0), higher(a.1, b.1)));
        for axis in 0..3 {
            if self.domain.periodic[axis] || spheres.is_empty() {
                (low[axis], high[axis]) = (self.domain.low[axis], self.domain.low[axis] + self.domain.size[axis]);
            }
        }
        (low, high - low)
    }

    /// Mean edge of a cell on each level, meters.
    pub fn edges(&self) -> Vec<f64> {
        let dimension = self.domain.dimension;
        let edge = |level: &Level| (0..dimension).map(|axis| level.edges[axis]).product::<f64>().powf(1.0 / dimension as f64);
        self.levels.iter().map(edge).collect()
    }

    /// Range of the spheres on level `level`, in the order.
    pub fn places(&self, level: usize) -> std::ops::Range<usize> {
        let Level { first, .. } = self.levels[level];
        self.starts()[first] as usize..self.starts()[first + self.levels[level].cell_count()] as usize
    }

    /// Range of the spheres in the cells `from ..= to` of the row that begins at cell `row` of the table.
    #[inline]
    pub fn stretch(&self, row: usize, from: i32, to: i32) -> std::ops::Range<usize> {
        self.starts()[row + from as usize] as usize..self.starts()[row + to as usize + 1] as usize
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.lists.memory() + 4 * self.keys.capacity()
    }
}

impl Level {
    pub fn cell_count(&self) -> usize {
        self.size.iter().map(|&cells| cells as usize).product()
    }

    /// Edges of the box that the cells cover, meters.
    pub fn extent(&self) -> DVec3 {
        DVec3::new(self.size[0].into(), self.size[1].into(), self.size[2].into()) * self.edges
    }

    /// Whether the cell has neighbours on all sides (in its layer, if there is only one layer).
    #[inline]
    pub fn is_inside(&self, cell: [i32; 3]) -> bool {
        let axes = if self.size[2] > 1 { 3 } else { 2 };
        (0..axes).all(|axis| 0 < cell[axis] && cell[axis] < self.size[axis] - 1)
    }

    /// Approximate upper bound of the number of cell rows along x that intersect a ball of radius `cutoff` (meters).
    pub fn rows(&self, cutoff: f64) -> f64 {
        (1..3).map(|axis| (2.0 * cutoff * self.inverse[axis] + 1.0).min(self.size[axis].into())).product()
    }

    #[inline]
    pub fn cell(&self, x: i32, y: i32, z: i32) -> usize {
        (z as usize * self.size[1] as usize + y as usize) * self.size[0] as usize + x as usize
    }

    /// The cell at `offset` from the lowest corner. Points outside belong to the outermost cells.
    #[inline]
    pub fn coordinates(&self, offset: DVec3) -> [i32; 3] {
        let scaled = offset * self.inverse;
        // `as` rounds toward zero and saturates; negative numbers become zero by clamping anyway.
        let along = |place: f64, cells: i32| (place as i32).clamp(0, cells - 1);
        [along(scaled.x, self.size[0]), along(scaled.y, self.size[1]), along(scaled.z, self.size[2])]
    }
}
