//! Pair search of one task, and its results.

use std::ops::Range;

use glam::DVec3;

use super::level_cells::{Level, LevelCells};
use crate::Sphere;

/// Cells with the spheres in them.
pub struct PairFinder<'a> {
    pub cells: &'a LevelCells,
    /// Spheres in the order of the cells.
    pub spheres: &'a [Sphere],
    /// Distance beyond the sum of the radii at which pairs are found, meters.
    pub skin: f64,
}

/// A contiguous range of spheres in the cells of a row within the cutoff.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Start: first an index of a cell in the table, later of a sphere.
    pub from: u32,
    /// End, in the same units as `from`.
    pub to: u32,
    /// Shift to be added to the positions of the spheres, meters.
    pub shift: DVec3,
}

/// Results of one task.
#[derive(Clone, Debug, Default)]
pub struct FoundPairs {
    pub pairs: Vec<[u32; 2]>,
    /// Number of pairs of each of the task's spheres on its own level.
    pub counts: Vec<u32>,
    /// Number of cell rows searched.
    pub searches: u64,
    /// Number of pairs whose distance was tested.
    pub tests: u64,
    /// Radius of the largest of the task's spheres, meters.
    pub widest: f64,
    /// Rows on a finer level within the cutoff of the current sphere.
    pub rows: Vec<Stretch>,
}

impl FoundPairs {
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.counts.clear();
        (self.searches, self.tests, self.widest) = (0, 0, 0.0);
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        8 * self.pairs.capacity() + 4 * self.counts.capacity()
    }
}

impl PairFinder<'_> {
    /// Tests a sphere against those at places `range`, and adds `pair(place)` for each one that is near.
    #[inline]
    pub fn test(&self, found: &mut FoundPairs, sphere: Sphere, range: Range<usize>, pair: impl Fn(u32) -> [u32; 2]) {
        found.tests += range.len() as u64;
        let cutoff = sphere.radius + self.skin;
        let first = range.start;
        for (other, place) in self.spheres[range].iter().zip(first as u32..) {
            let limit = cutoff + other.radius;
            if sphere.center.distance_squared(other.center) < limit * limit {
                found.pairs.push(pair(place));
            }
        }
    }

    /// The row or layer `cell` along `axis`, wrapped, and the shift of its spheres along that axis; `None` beyond a border that is not
    /// periodic.
    #[inline]
    pub fn wrapped(&self, level: &Level, axis: usize, cell: i32) -> Option<(i32, f64)> {
        let size = level.size[axis];
        if (0..size).contains(&cell) {
            return Some((cell, 0.0));
        }
        let shift = f64::from(cell.div_euclid(size)) * self.cells.domain.size[axis];
        self.cells.domain.periodic[axis].then(|| (cell.rem_euclid(size), shift))
    }

    /// Visits the cells `from ..= to` of the row that begins at cell `row` of the table, with the shift of their spheres along x: one
    /// range, or several if the row is wrapped.
    #[inline]
    pub fn along(&self, level: &Level, row: usize, [from, to]: [i32; 2], mut visit: impl FnMut(Range<usize>, f64)) {
        let size = level.size[0];
        let cells = |from: i32, to: i32| row + from as usize..row + to as usize;
        if !self.cells.domain.periodic[0] {
            visit(cells(from.max(0), (to + 1).min(size)), 0.0);
        } else if from >= 0 && to < size {
            visit(cells(from, to + 1), 0.0);
        } else {
            for turn in from.div_euclid(size)..=to.div_euclid(size) {
                let before = turn * size;
                visit(cells((from - before).max(0), (to + 1 - before).min(size)), f64::from(turn) * self.cells.domain.size.x);
            }
        }
    }
}
