//! Unbounded grid of cubic cells, hashed by rows: memory grows with the number of particles, not with the size of the domain.
//!
//! Particles are sorted by cell, and cells by `(z, y, x)`. The occupied cells therefore form a one-dimensional list in which neighbours
//! along x are adjacent. A row (all cells of one `(y, z)`) is found by hashing, and a range within it by binary search. Three neighbouring
//! cells along x are one contiguous range of particles.

use std::ops::Range;

use glam::{DVec3, IVec3, Vec3A};
use plimsoll_base::math::Image;
use rayon::prelude::*;

use super::{CellCoordinate, CellLayout, CellRow};

const COORDINATE_BITS: u32 = 21;
const EMPTY_SLOT: u32 = u32::MAX;

/// The rows of cells around a cell and its neighbours along x, for cells in ascending order in open space: faster than finding each row by hashing.
#[derive(Clone, Debug)]
pub struct RowsAround {
    /// Packed `(y, z)` of the cell.
    row: u64,
    /// For each of the three layers of cells across z, the first occupied row that is not before those around the cell.
    firsts: [usize; 3],
    /// Up to nine occupied rows, ascending.
    rows: [RowAround; 9],
    count: usize,
}

/// A row next to a cell: its occupied cells near the cell, and the end of the row.
#[derive(Clone, Debug)]
struct RowAround {
    /// What the keys of its cells differ by from those with the same x in the row of the cell.
    offset: u64,
    cells: Range<usize>,
    end: usize,
}

impl RowsAround {
    const NONE: Self = Self { row: u64::MAX, firsts: [0; 3], rows: [const { RowAround { offset: 0, cells: 0..0, end: 0 } }; 9], count: 0 };

    /// Moves to a cell after the last one.
    pub fn move_to(&mut self, grid: &CellGrid, cell: usize) {
        let key = grid.keys[cell];
        if key >> COORDINATE_BITS != self.row {
            self.find_rows(grid, key);
        }
        for RowAround { offset, cells, end } in &mut self.rows[..self.count] {
            // Coordinates are limited, so that those of neighbours have room in a key.
            let there = key.wrapping_add(*offset);
            while cells.start < *end && grid.keys[cells.start] < there - 1 {
                cells.start += 1;
            }
            cells.end = cells.end.max(cells.start);
            while cells.end < *end && grid.keys[cells.end] <= there + 1 {
                cells.end += 1;
            }
        }
    }

    /// Finds the occupied rows around that of the cell with this `key`. They are sorted like the cells, so that those of a layer follow each other. A drop
    /// that is alone in its row needs them for itself, and most of them are empty.
    fn find_rows(&mut self, grid: &CellGrid, key: u64) {
        let Self { row, firsts, rows, count } = self;
        (*row, *count) = (key >> COORDINATE_BITS, 0);
        for (first, layer) in firsts.iter_mut().zip([row.wrapping_sub(1 << COORDINATE_BITS), *row, *row + (1 << COORDINATE_BITS)]) {
            *first = advanced(&grid.row_keys, *first, layer - 1);
            for (other, &found) in grid.row_keys[*first..].iter().enumerate().take_while(|(_, found)| **found <= layer + 1) {
                let offset = found.wrapping_sub(*row) << COORDINATE_BITS;
                let [start, end] = [0, 1].map(|next| grid.row_starts[*first + other + next] as usize);
                let start = start + grid.keys[start..end].partition_point(|&other| other < key.wrapping_add(offset) - 1);
                rows[*count] = RowAround { offset, cells: start..start, end };
                *count += 1;
            }
        }
    }

    /// Particles in the cells, row by row.
    pub fn particles<'a>(&'a self, grid: &'a CellGrid) -> impl Iterator<Item = Range<usize>> + 'a {
        let rows = self.rows[..self.count].iter();
        rows.map(|RowAround { cells, .. }| grid.starts[cells.start] as usize..grid.starts[cells.end] as usize)
    }
}

/// The first place from `place` on where ascending `keys` are not below `least`. It is probably near.
fn advanced(keys: &[u64], place: usize, least: u64) -> usize {
    let mut width = 1;
    while keys.get(place + width).is_some_and(|&key| key < least) {
        width *= 2;
    }
    place + keys[place..keys.len().min(place + width + 1)].partition_point(|&key| key < least)
}

/// Occupied cells over sorted particles.
#[derive(Clone, Debug, Default)]
pub struct CellGrid {
    layout: CellLayout,
    /// Packed coordinates of the occupied cells, ascending.
    keys: Vec<u64>,
    /// First particle of each occupied cell, and the number of particles at the end.
    starts: Vec<u32>,
    /// Packed `(y, z)` of each occupied row and its first cell; the number of cells at the end.
    row_keys: Vec<u64>,
    row_starts: Vec<u32>,
    /// Open-addressing hash table of row indices.
    slots: Vec<u32>,
    order: Vec<(u64, u32)>,
}

impl CellGrid {
    /// Sorts particles at `positions` (m) into the cells of `layout`; a number is the edge (m) of cubes in open space. Along periodic axes,
    /// positions must be within the domain. [`CellGrid::order`] then returns the new order of the particles. All ranges that the grid
    /// returns refer to that order.
    pub fn update(&mut self, positions: &[Vec3A], layout: impl Into<CellLayout>) {
        let layout = layout.into();
        self.layout = layout;
        let keyed = positions.par_iter().enumerate().with_min_len(4096);
        keyed.map(|(index, &position)| (pack(layout.cell(position)), index as u32)).collect_into_vec(&mut self.order);
        // From step to step, the particles are nearly sorted. No two entries are equal, so an in-place unstable sort has only one possible
        // result.
        if !self.order.is_sorted() {
            self.order.par_sort_unstable();
        }
        self.list_cells();
        self.hash_rows();
    }

    fn list_cells(&mut self) {
        self.keys.clear();
        self.starts.clear();
        for (place, &(key, _)) in self.order.iter().enumerate() {
            if self.keys.last() != Some(&key) {
                self.keys.push(key);
                self.starts.push(place as u32);
            }
        }
        self.starts.push(self.order.len() as u32);
    }

    fn hash_rows(&mut self) {
        self.row_keys.clear();
        self.row_starts.clear();
        for (cell, &key) in self.keys.iter().enumerate() {
            let row = key >> COORDINATE_BITS;
            if self.row_keys.last() != Some(&row) {
                self.row_keys.push(row);
                self.row_starts.push(cell as u32);
            }
        }
        self.row_starts.push(self.keys.len() as u32);
        let capacity = (2 * self.row_keys.len()).next_power_of_two().max(8);
        self.slots.clear();
        self.slots.resize(capacity, EMPTY_SLOT);
        for (index, &row) in self.row_keys.iter().enumerate() {
            let mut slot = hash(row) & (capacity - 1);
            while self.slots[slot] != EMPTY_SLOT {
                slot = (slot + 1) & (capacity - 1);
            }
            self.slots[slot] = index as u32;
        }
    }

    /// For each position in the order, the index of its particle in the positions last passed to [`CellGrid::update`].
    pub fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.order.iter().map(|&(_, particle)| particle)
    }

    /// Reorders `values`, one per particle, into the grid's order.
    pub fn reorder<T: Copy + Send + Sync>(&self, values: &mut Vec<T>, scratch: &mut Vec<T>) {
        assert_eq!(values.len(), self.order.len(), "one value per particle");
        let source: &[T] = values;
        self.order.par_iter().with_min_len(8192).map(|&(_, particle)| source[particle as usize]).collect_into_vec(scratch);
        std::mem::swap(values, scratch);
    }

    /// Position and size of the cells.
    pub fn layout(&self) -> &CellLayout {
        &self.layout
    }

    /// Number of occupied cells.
    pub fn cell_count(&self) -> usize {
        self.keys.len()
    }

    /// Coordinates of occupied cell `cell`.
    pub fn coordinate(&self, cell: usize) -> CellCoordinate {
        unpack(self.keys[cell])
    }

    /// Keys of the occupied cells, ascending; see [`CellLayout::key`].
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Particles of occupied cell `cell`.
    pub fn particles(&self, cell: usize) -> Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    /// The occupied cell that contains `particle` of the sorted ones.
    pub fn cell_of(&self, particle: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= particle) - 1
    }

    /// Particles in the cells of `row`: contiguous ranges, one for each periodic image, empty where the cells have no particles.
    pub fn particles_in(&self, row: CellRow) -> impl Iterator<Item = (Range<usize>, Image)> {
        self.cells_in(row).map(|(cells, image)| (self.starts[cells.start] as usize..self.starts[cells.end] as usize, image))
    }

    /// Particles in the cells around the cube with this `center` and half its side, m: contiguous ranges with their periodic images.
    pub fn particles_around(&self, center: DVec3, half: f64) -> impl Iterator<Item = (Range<usize>, Image)> {
        let (first, last) = self.layout.cells_around(center, half);
        let rows = (first.z..=last.z).flat_map(move |z| (first.y..=last.y).map(move |y| CellCoordinate::new(first.x, y, z)));
        rows.flat_map(move |first_of_row| self.particles_in(CellRow { first: first_of_row, length: last.x - first.x + 1 }))
    }

    /// Occupied cells of `row`: contiguous ranges, one for each periodic image.
    pub fn cells_in(&self, row: CellRow) -> impl Iterator<Item = (Range<usize>, Image)> {
        self.layout.within(row).map(|(part, image)| (self.occupied(part), image))
    }

    /// Occupied cells of a row within the domain.
    fn occupied(&self, row: CellRow) -> Range<usize> {
        let first = pack(self.layout.clamp(row.first));
        let last = pack(self.layout.clamp(row.first + IVec3::new(row.length - 1, 0, 0)));
        let Some(row) = self.find_row(first >> COORDINATE_BITS) else { return 0..0 };
        let (start, end) = (self.row_starts[row] as usize, self.row_starts[row + 1] as usize);
        let keys = &self.keys[start..end];
        let lower = keys.partition_point(|&key| key < first);
        let upper = lower + keys[lower..].partition_point(|&key| key <= last);
        start + lower..start + upper
    }

    /// The rows around a cell, before the first.
    pub(super) fn rows_around(&self) -> RowsAround {
        RowsAround::NONE
    }

    fn find_row(&self, row: u64) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash(row) & mask;
        while self.slots[slot] != EMPTY_SLOT {
            let index = self.slots[slot] as usize;
            if self.row_keys[index] == row {
                return Some(index);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.keys.capacity() * 8
            + (self.starts.capacity() + self.row_starts.capacity() + self.slots.capacity()) * 4
            + self.row_keys.capacity() * 8
            + self.order.capacity() * 16
    }
}

impl CellLayout {
    /// A number that orders cells like the grid. Cells beyond the limits have the key of the outermost ones, like their particles.
    pub fn key(&self, cell: CellCoordinate) -> u64 {
        pack(self.clamp(cell))
    }
}

fn pack(coordinate: CellCoordinate) -> u64 {
    let biased = (coordinate + IVec3::splat(1 << 20)).as_u64vec3();
    biased.z << (2 * COORDINATE_BITS) | biased.y << COORDINATE_BITS | biased.x
}

fn unpack(key: u64) -> CellCoordinate {
    let mask = (1 << COORDINATE_BITS) - 1;
    let field = |shift: u32| ((key >> shift) & mask) as i32 - (1 << 20);
    IVec3::new(field(0), field(COORDINATE_BITS), field(2 * COORDINATE_BITS))
}

fn hash(row: u64) -> usize {
    // Fibonacci hashing; the high bits are the well-mixed ones.
    (row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}
