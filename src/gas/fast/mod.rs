//! The fast version and what it stands on: cells, the order of spheres in memory, the queue of events.

mod cells;
mod engine;
mod foresight;
mod order;
mod queue;
mod survey;

pub(super) use cells::{Cells, NONE};
pub use engine::Gas;
