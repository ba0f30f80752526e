//! Neighbour search and free space: indices only, without physics.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod brick_grid;
pub mod brute_force;
mod buffers;
mod cell_layout;
mod grid;
pub mod hierarchical_grid;
mod linked_cells;
mod neighbours;
mod occupancy;
pub mod planar;
mod sphere;
mod swept_cells;

pub use brick_grid::BrickGrid;
pub use buffers::{concatenate, make_room, reuse};
pub use cell_layout::{CellCoordinate, CellLayout, CellRow};
pub use grid::CellGrid;
pub use linked_cells::LinkedCells;
pub use neighbours::NeighbourLists;
pub use occupancy::Occupancy;
pub use sphere::Sphere;
pub use swept_cells::SweptCells;
