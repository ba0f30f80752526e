//! What one task does to find pairs, and what it finds.

use std::ops::Range;

use glam::DVec3;

use super::{
    cells::{Cells, Level},
    space::Sphere,
};

/// Cells with the spheres in them.
pub struct Finder<'a> {
    pub cells: &'a Cells,
    /// In the order of the cells.
    pub spheres: &'a [Sphere],
    /// Pairs are nearer than the sum of their radii and this, metres.
    pub skin: f64,
}

/// What one task has found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub pairs: Vec<[u32; 2]>,
    /// Pairs of each of the task's spheres on its own level.
    pub counts: Vec<u32>,
    /// Rows of cells looked at.
    pub searches: u64,
    /// Pairs whose distance was tested.
    pub tests: u64,
    /// Radius of the largest of the task's spheres, metres.
    pub widest: f64,
    /// Of the sphere at hand: places of spheres in rows of cells, and the shifts of these.
    pub rows: Vec<(Range<usize>, DVec3)>,
}

impl Found {
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.counts.clear();
        (self.searches, self.tests, self.widest) = (0, 0, 0.0);
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        8 * self.pairs.capacity() + 4 * self.counts.capacity()
    }
}

impl Finder<'_> {
    /// Tests a sphere against those at places `range`; what is near is found as the pair of its place.
    #[inline]
    pub fn test(&self, found: &mut Found, sphere: Sphere, range: Range<usize>, pair: impl Fn(u32) -> [u32; 2]) {
        found.tests += range.len() as u64;
        let reach = sphere.radius + self.skin;
        let first = range.start;
        for (offset, other) in self.spheres[range].iter().enumerate() {
            let limit = reach + other.radius;
            if sphere.center.distance_squared(other.center) < limit * limit {
                found.pairs.push(pair((first + offset) as u32));
            }
        }
    }

    /// The row or layer `cell` along `axis`, wrapped round, and the shift of what is in it; nothing beyond a border.
    #[inline]
    pub fn wrapped(&self, level: &Level, axis: usize, cell: i32) -> Option<(i32, DVec3)> {
        let size = level.size[axis];
        if (0..size).contains(&cell) {
            return Some((cell, DVec3::ZERO));
        }
        if !self.cells.space.periodic[axis] {
            return None;
        }
        let mut shift = DVec3::ZERO;
        shift[axis] = f64::from(cell.div_euclid(size)) * self.cells.space.size[axis];
        Some((cell.rem_euclid(size), shift))
    }

    /// The spheres in cells `from ..= to` of the row that begins at cell `row` of the table, with their shifts along x: one stretch, or
    /// several where the row is wrapped round.
    #[inline]
    pub fn along(&self, level: &Level, row: usize, [from, to]: [i32; 2], mut visit: impl FnMut(Range<usize>, DVec3)) {
        let size = level.size[0];
        if !self.cells.space.periodic[0] {
            visit(row + from.max(0) as usize..row + (to + 1).min(size) as usize, DVec3::ZERO);
        } else if from >= 0 && to < size {
            visit(row + from as usize..row + to as usize + 1, DVec3::ZERO);
        } else {
            for turn in from.div_euclid(size)..=to.div_euclid(size) {
                let cells = row + (from - turn * size).max(0) as usize..row + (to + 1 - turn * size).min(size) as usize;
                visit(cells, DVec3::X * (f64::from(turn) * self.cells.space.size.x));
            }
        }
    }
}
