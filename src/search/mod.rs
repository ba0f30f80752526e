//! Who is near whom: indices only, no physics.

pub mod brute_force;
mod grid;
mod neighbours;
pub mod octree;
pub mod planar;

pub use grid::{CellCoordinate, CellGrid};
pub use neighbours::NeighbourLists;
pub(crate) use neighbours::{concatenate, make_room};
