//! The fast version and what it stands on: cells, the order of spheres in memory, the queue of events.

mod cells;
mod chains;
mod engine;
mod foresight;
mod order;
mod queue;
mod sphere;
mod survey;

pub(super) use cells::{Cells, NONE};
pub(super) use chains::Chains;
pub use engine::Gas;
