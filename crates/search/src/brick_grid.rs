//! Brick grid: cells for spheres that move one at a time, stored in memory as bricks of neighbouring cells.
//!
//! A cell is at least as wide as the largest sphere in it, so touching spheres are in the same or adjacent cells. The outermost cells of an
//! axis with walls extend to infinity. The spheres of a cell form a linked list.

use glam::DVec3;
use plimsoll_base::math::Domain;
use serde::{Deserialize, Serialize};

/// End of a list.
pub const NONE: u32 = u32::MAX;

/// Cells per brick along each axis. The cells of a brick are contiguous in memory and fill one cache line.
const BRICK: [u32; 3] = [4, 2, 2];

/// Maximum number of cells on an axis: cell coordinates have 16 bits.
const MAX_CELLS: f64 = 65_000.0;

/// The cells of a box and the first sphere of each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BrickGrid {
    /// The box.
    pub domain: Domain,
    side: DVec3,
    /// Cells along each axis.
    pub counts: [u32; 3],
    /// Periods of the axes, m; zero for axes that are not periodic.
    periods: DVec3,
    /// The places on each axis in order. On a periodic axis, its last place is repeated at the front and its first at the end, both
    /// shifted.
    #[serde(skip)]
    places: [Vec<Place>; 3],
    #[serde(skip)]
    firsts: Vec<u32>,
}

/// A place on an axis: its contribution to the cell index, and the shift of the spheres there (m).
pub type Place = (u32, f64);

impl BrickGrid {
    /// Empty cells at least `side` (m) wide in `domain`; their number does not exceed `spheres` by much.
    pub fn new(domain: Domain, side: f64, spheres: usize) -> Self {
        let Domain { size, periodic, dimension, .. } = domain;
        // No smaller than needed for one sphere per cell on average.
        let roomy = (domain.volume() / spheres.max(1) as f64).powf(1.0 / dimension as f64);
        let wanted = side.max(roomy * CELL_FILL.powf(1.0 / dimension as f64));
        let periods = DVec3::from_array([0, 1, 2].map(|axis| if periodic[axis] { size[axis] } else { 0.0 }));
        let mut cells = Self { domain, side: DVec3::ONE, counts: [1; 3], periods, ..Self::default() };
        for axis in 0..dimension {
            let mut count = (size[axis] / wanted).floor();
            if cells.periods[axis] > 0.0 && count < 3.0 {
                count = (size[axis] / side).floor().min(3.0);
            }
            cells.counts[axis] = count.clamp(1.0, MAX_CELLS) as u32;
            cells.side[axis] = size[axis] / f64::from(cells.counts[axis]);
        }
        cells
    }

    /// Width of the cells along each axis, m.
    pub fn side(&self) -> DVec3 {
        self.side
    }

    /// The cell that contains `x`, after wrapping `x` into the box.
    pub fn locate(&self, x: &mut DVec3) -> [u16; 3] {
        *x = self.domain.wrap(*x);
        std::array::from_fn(|axis| {
            let cell = ((x[axis] - self.domain.low[axis]) / self.side[axis]).floor();
            cell.clamp(0.0, f64::from(self.counts[axis] - 1)) as u16
        })
    }

    /// Index of `cell` in the places of `axis`.
    #[inline]
    fn place(&self, axis: usize, cell: u16) -> usize {
        usize::from(cell) + usize::from(self.periods[axis] > 0.0)
    }

    /// Index of a cell: the sum of the contributions of its place on each axis.
    #[inline]
    fn number(&self, cell: [u16; 3]) -> usize {
        let [x, y, z] = std::array::from_fn(|axis| self.places[axis][self.place(axis, cell[axis])].0);
        (x + y + z) as usize
    }

    /// Empties the cells.
    pub fn clear(&mut self) {
        let bricks: [u32; 3] = std::array::from_fn(|axis| self.counts[axis].div_ceil(BRICK[axis]));
        let (mut inside, mut outside) = (1, BRICK.iter().product::<u32>());
        for axis in 0..3 {
            let offset = |place: u32| place / BRICK[axis] * outside + place % BRICK[axis] * inside;
            let (count, period) = (self.counts[axis], self.periods[axis]);
            let mut places: Vec<Place> = (0..count).map(|place| (offset(place), 0.0)).collect();
            if period > 0.0 {
                places.insert(0, (offset(count - 1), -period));
                places.push((offset(0), period));
            }
            self.places[axis] = places;
            inside *= BRICK[axis];
            outside *= bricks[axis];
        }
        self.firsts.clear();
        self.firsts.resize(outside as usize, NONE);
    }

    /// The first sphere in the cell with index `cell`.
    #[inline]
    pub fn first(&self, cell: u32) -> u32 {
        self.firsts[cell as usize]
    }

    /// The list head of `cell`.
    #[inline]
    pub fn first_mut(&mut self, cell: [u16; 3]) -> &mut u32 {
        let number = self.number(cell);
        &mut self.firsts[number]
    }

    /// The place of `cell` along `axis` and the places next to it.
    #[inline]
    pub fn around(&self, axis: usize, cell: u16) -> &[Place] {
        // With fewer than three cells, the same cell would appear twice. Such axes have walls, or the dimension is absent.
        let (place, places) = (self.place(axis, cell), &self.places[axis]);
        &places[place.saturating_sub(1)..places.len().min(place + 2)]
    }

    /// The place of `cell` and the places next to it, along each axis.
    #[inline]
    pub fn all_around(&self, cell: [u16; 3]) -> [&[Place]; 3] {
        std::array::from_fn(|axis| self.around(axis, cell[axis]))
    }

    /// The cells around `cell` that were not around the cell from which a sphere entered it along `axis`.
    #[inline]
    pub fn new_around(&self, cell: [u16; 3], axis: usize, upwards: bool) -> [&[Place]; 3] {
        let mut around = self.all_around(cell);
        let (place, places) = (self.place(axis, cell[axis]), &self.places[axis]);
        around[axis] = match (upwards, place) {
            (true, place) => places.get(place + 1..place + 2),
            (false, 0) => None,
            (false, place) => places.get(place - 1..place),
        }
        .unwrap_or(&[]);
        around
    }

    /// Time at which a sphere leaves `cell` if it is at `x` at time `start` (s) and has the velocity `v`; also the axis of that face, and
    /// whether it is the upper one.
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
            let time = start + (self.domain.low[axis] + f64::from(edge) * self.side[axis] - x[axis]) / v[axis];
            if time < first.0 {
                first = (time, axis as u8, upwards);
            }
        }
        first
    }

    /// The cell beyond the face of `cell` on `axis`, and the shift (m) of a position that moves there.
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

/// Intended mean number of spheres per cell, if they are small enough.
const CELL_FILL: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_a_number_of_its_own_and_its_neighbours_theirs() {
        let domain = Domain { size: DVec3::new(5.0, 3.0, 7.0), periodic: [true, true, false], dimension: 3, ..Domain::default() };
        let mut cells = BrickGrid::new(domain, 1.0, 1000);
        cells.clear();
        assert_eq!(cells.counts, [5, 3, 7]);
        let all = (0..7).flat_map(|z| (0..3).flat_map(move |y| (0..5).map(move |x| [x, y, z])));
        let mut numbers: Vec<usize> = all.clone().map(|cell| cells.number(cell)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 105);
        for cell in all {
            for axis in 0..3 {
                let mut found: Vec<u32> = cells.around(axis, cell[axis]).iter().map(|(offset, _)| *offset).collect();
                let count = i32::from([5_u16, 3, 7][axis]);
                let wanted = (-1..=1).map(|step| i32::from(cell[axis]) + step);
                let inside = wanted.filter(|place| axis < 2 || (0..count).contains(place));
                let mut expected: Vec<u32> = inside
                    .map(|place| {
                        cells.number(std::array::from_fn(|other| if other == axis { place.rem_euclid(count) as u16 } else { 0 })) as u32
                    })
                    .collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "around {cell:?} along {axis}");
            }
        }
    }
}
