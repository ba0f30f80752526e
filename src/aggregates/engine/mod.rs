//! Events of a step: the queue of what may happen, and the cells that say which clusters can meet.

mod event_engine;
mod swept_cells;

pub use event_engine::{Engine, Outcome, SearchCounters};
pub use swept_cells::SweptCells;
