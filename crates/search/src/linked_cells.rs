//! Linked cells: spheres that stay in their cells, one linked list for each cell.

use super::brick_grid::{BrickGrid, NONE};

/// Cells, the first sphere of each cell, and the next sphere after each sphere.
pub struct LinkedCells {
    /// The cells, with the first sphere of each.
    pub cells: BrickGrid,
    next: Vec<u32>,
}

impl LinkedCells {
    /// Empty cells with room for `count` spheres.
    pub fn new(mut cells: BrickGrid, count: usize) -> Self {
        cells.clear();
        Self { cells, next: vec![NONE; count] }
    }

    /// Empties all cells.
    pub fn clear(&mut self) {
        self.cells.clear();
    }

    /// Inserts `sphere` at the front of the list of `cell`.
    #[inline]
    pub fn insert(&mut self, sphere: u32, cell: [u16; 3]) {
        self.next[sphere as usize] = std::mem::replace(self.cells.first_mut(cell), sphere);
    }

    /// The first sphere in the cell with index `cell`.
    #[inline]
    pub fn first(&self, cell: u32) -> u32 {
        self.cells.first(cell)
    }

    /// The sphere after `sphere` in its cell.
    #[inline]
    pub fn after(&self, sphere: u32) -> u32 {
        self.next[sphere as usize]
    }
}
