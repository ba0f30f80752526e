//! The fast version and what it stands on: cells, the order of spheres in memory, the queue of events.

mod brick_grid;
mod engine;
mod linked_cells;
mod order;
mod prefetch;
mod queue;
mod sphere;
mod validate;

pub(super) use brick_grid::{BrickGrid, NONE};
pub use engine::Gas;
pub(super) use linked_cells::LinkedCells;
