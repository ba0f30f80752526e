//! Cells with the spheres in them, so that a sphere is tested against its neighbours only.
//!
//! A cell is at least as wide as the largest sphere it holds, so spheres that touch lie in the same cell or in adjacent ones. The outermost
//! cells of an axis with walls reach to infinity. Spheres are linked in chains, one a cell.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::gas::container::Container;

/// End of a chain.
pub const NONE: u32 = u32::MAX;

/// Cells that lie together in memory, in one line of cache, along each axis.
const BRICK: [u32; 3] = [4, 2, 2];

/// Most cells on an axis: their numbers are 16 bits wide.
const MOST_CELLS: f64 = 65_000.0;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cells {
    low: DVec3,
    side: DVec3,
    pub counts: [u32; 3],
    pub periods: DVec3,
    /// What each place on an axis adds to the number of a cell.
    #[serde(skip)]
    offsets: [Vec<u32>; 3],
    #[serde(skip)]
    heads: Vec<u32>,
    #[serde(skip)]
    next: Vec<u32>,
}

/// Cells next to a cell along one axis: what each adds to the number of a cell, and by how much its spheres appear shifted (m).
#[derive(Clone, Copy, Debug)]
pub struct Neighbours {
    entries: [(u32, f64); 3],
    length: usize,
}

impl Neighbours {
    #[inline]
    pub fn as_slice(&self) -> &[(u32, f64)] {
        &self.entries[..self.length]
    }

    /// Whether any of them appears shifted.
    #[inline]
    pub fn is_shifted(&self) -> bool {
        self.entries[0].1 != 0.0 || self.entries[2].1 != 0.0
    }
}

impl Cells {
    /// Empty cells at least `side` (m) wide for a container at time zero of the clock, not many more of them than `spheres`.
    pub fn new(container: &Container, side: f64, spheres: usize) -> Self {
        let (low, size) = container.extent_at(0.0);
        let dimension = container.axes.len();
        // No smaller than for one sphere a cell, on average.
        let roomy = (container.volume_at(0.0) / spheres.max(1) as f64).powf(1.0 / dimension as f64);
        let wanted = side.max(roomy * CELL_FILL.powf(1.0 / dimension as f64));
        let mut cells = Self { low, side: DVec3::ONE, counts: [1; 3], periods: container.periods(), ..Self::default() };
        for axis in 0..dimension {
            let mut count = (size[axis] / wanted).floor();
            if cells.periods[axis] > 0.0 && count < 3.0 {
                count = (size[axis] / side).floor().min(3.0);
            }
            cells.counts[axis] = count.clamp(1.0, MOST_CELLS) as u32;
            cells.side[axis] = size[axis] / f64::from(cells.counts[axis]);
        }
        cells
    }

    /// Width of the cells along each axis, m.
    pub fn side(&self) -> DVec3 {
        self.side
    }

    /// The cell that holds `x`, brought into it by whole periods.
    pub fn locate(&self, x: &mut DVec3) -> [u16; 3] {
        std::array::from_fn(|axis| {
            let period = self.periods[axis];
            if period > 0.0 {
                x[axis] -= period * ((x[axis] - self.low[axis]) / period).floor();
            }
            let cell = ((x[axis] - self.low[axis]) / self.side[axis]).floor();
            cell.clamp(0.0, f64::from(self.counts[axis] - 1)) as u16
        })
    }

    /// Its number: the sum of what its place on each axis adds.
    #[inline]
    fn number(&self, cell: [u16; 3]) -> usize {
        let [x, y, z] = std::array::from_fn(|axis| self.offsets[axis][usize::from(cell[axis])]);
        (x + y + z) as usize
    }

    /// Empties the cells and makes room for `count` spheres.
    pub fn clear(&mut self, count: usize) {
        let bricks: [u32; 3] = std::array::from_fn(|axis| self.counts[axis].div_ceil(BRICK[axis]));
        let (mut inside, mut outside) = (1, BRICK.iter().product::<u32>());
        for axis in 0..3 {
            let offset = |place: u32| place / BRICK[axis] * outside + place % BRICK[axis] * inside;
            self.offsets[axis] = (0..self.counts[axis]).map(offset).collect();
            inside *= BRICK[axis];
            outside *= bricks[axis];
        }
        self.heads.clear();
        self.heads.resize(outside as usize, NONE);
        self.next.clear();
        self.next.resize(count, NONE);
    }

    /// Number of spheres there is room for.
    pub fn capacity(&self) -> usize {
        self.next.len()
    }

    #[inline]
    pub fn insert(&mut self, sphere: u32, cell: [u16; 3]) {
        let number = self.number(cell);
        self.next[sphere as usize] = self.heads[number];
        self.heads[number] = sphere;
    }

    #[inline]
    pub fn remove(&mut self, sphere: u32, cell: [u16; 3]) {
        let number = self.number(cell);
        let after = self.next[sphere as usize];
        if self.heads[number] == sphere {
            self.heads[number] = after;
            return;
        }
        let mut before = self.heads[number];
        while self.next[before as usize] != sphere {
            before = self.next[before as usize];
        }
        self.next[before as usize] = after;
    }

    /// The first sphere in the cell with number `cell`.
    #[inline]
    pub fn first(&self, cell: u32) -> u32 {
        self.heads[cell as usize]
    }

    /// The sphere after `sphere` in its cell.
    #[inline]
    pub fn after(&self, sphere: u32) -> u32 {
        self.next[sphere as usize]
    }

    /// The cells up to one away from `cell` along `axis`.
    #[inline]
    pub fn around(&self, axis: usize, cell: u16) -> Neighbours {
        let mut neighbours = Neighbours { entries: [(0, 0.0); 3], length: 0 };
        // With less than three cells the same one would be met twice; such axes have walls, or one dimension less.
        for step in -1..=1 {
            if let Some(entry) = self.beside(axis, cell, step) {
                neighbours.entries[neighbours.length] = entry;
                neighbours.length += 1;
            }
        }
        neighbours
    }

    /// The cells up to one away from `cell`, along each axis.
    #[inline]
    pub fn all_around(&self, cell: [u16; 3]) -> [Neighbours; 3] {
        std::array::from_fn(|axis| self.around(axis, cell[axis]))
    }

    /// Those cells around `cell` that are not around the one from which a sphere came into it along `axis`.
    #[inline]
    pub fn new_around(&self, cell: [u16; 3], axis: usize, upwards: bool) -> [Neighbours; 3] {
        let step = if upwards { 1 } else { -1 };
        std::array::from_fn(|other| if other == axis { self.only(axis, cell[axis], step) } else { self.around(other, cell[other]) })
    }

    /// The cell `step` away from `cell` along `axis`, alone.
    #[inline]
    fn only(&self, axis: usize, cell: u16, step: i32) -> Neighbours {
        match self.beside(axis, cell, step) {
            Some(entry) => Neighbours { entries: [entry; 3], length: 1 },
            None => Neighbours { entries: [(0, 0.0); 3], length: 0 },
        }
    }

    #[inline]
    fn beside(&self, axis: usize, cell: u16, step: i32) -> Option<(u32, f64)> {
        let offsets = &self.offsets[axis];
        let count = self.counts[axis] as i32;
        let (period, place) = (self.periods[axis], i32::from(cell) + step);
        if (0..count).contains(&place) {
            return Some((offsets[place as usize], 0.0));
        }
        if period == 0.0 {
            return None;
        }
        if place < 0 { Some((offsets[count as usize - 1], -period)) } else { Some((offsets[0], period)) }
    }

    /// When a sphere that is at `x` at `start` (s) and moves at `v` leaves `cell`, and through which side: the axis, and whether upwards.
    #[inline]
    pub fn leaving(&self, x: DVec3, v: DVec3, start: f64, cell: [u16; 3]) -> (f64, u8, bool) {
        let mut first = (f64::INFINITY, 0, false);
        for axis in 0..3 {
            let upwards = v[axis] > 0.0;
            let edge = u32::from(cell[axis]) + u32::from(upwards);
            let outermost = edge == 0 || edge == self.counts[axis];
            if v[axis] == 0.0 || outermost && self.periods[axis] == 0.0 {
                continue;
            }
            let time = start + (self.low[axis] + f64::from(edge) * self.side[axis] - x[axis]) / v[axis];
            if time < first.0 {
                first = (time, axis as u8, upwards);
            }
        }
        first
    }

    /// The cell beyond the side of `cell` on `axis`, and the shift (m) that brings a position there.
    #[inline]
    pub fn beyond(&self, cell: u16, axis: usize, upwards: bool) -> (u16, f64) {
        let count = self.counts[axis] as u16;
        match (upwards, cell) {
            (true, cell) if cell + 1 == count => (0, -self.periods[axis]),
            (true, cell) => (cell + 1, 0.0),
            (false, 0) => (count - 1, self.periods[axis]),
            (false, cell) => (cell - 1, 0.0),
        }
    }
}

/// Spheres wanted in a cell, on average, if they are small enough.
const CELL_FILL: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gas::container::{Axis, Wall};

    #[test]
    fn every_cell_has_a_number_of_its_own_and_its_neighbours_theirs() {
        let mut container = Container { axes: vec![Axis::Periodic { low: 0.0, length: 5.0 }, Axis::Periodic { low: 0.0, length: 3.0 }] };
        container.axes.push(Axis::Walls { low: Wall::at_rest(0.0), high: Wall::at_rest(7.0) });
        let mut cells = Cells::new(&container, 1.0, 1000);
        cells.clear(105);
        assert_eq!(cells.counts, [5, 3, 7]);
        let all = (0..7).flat_map(|z| (0..3).flat_map(move |y| (0..5).map(move |x| [x, y, z])));
        let mut numbers: Vec<usize> = all.clone().map(|cell| cells.number(cell)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 105);
        for cell in all {
            for axis in 0..3 {
                let mut found: Vec<u32> = cells.around(axis, cell[axis]).as_slice().iter().map(|(offset, _)| *offset).collect();
                let count = i32::from([5_u16, 3, 7][axis]);
                let wanted = (-1..=1).map(|step| i32::from(cell[axis]) + step);
                let inside = wanted.filter(|place| axis < 2 || (0..count).contains(place));
                let mut expected: Vec<u32> = inside.map(|place| cells.offsets[axis][place.rem_euclid(count) as usize]).collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "around {cell:?} along {axis}");
            }
        }
    }
}
