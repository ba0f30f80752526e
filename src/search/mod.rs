//! Who is near whom: indices only, no physics.

pub mod brute_force;
mod grid;
pub mod hierarchical_grid;
mod neighbours;
pub mod planar;

pub use grid::{CellCoordinate, CellGrid};
pub use neighbours::{NeighbourLists, concatenate, make_room};
