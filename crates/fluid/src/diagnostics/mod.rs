//! What a step reports: numbers, frames, timings.

mod interval;
mod rows;
mod search_frame;
mod timing;

pub use interval::OutputInterval;
pub use rows::{StepDiagnostics, StepReport, body_row};
pub use search_frame::search_frame;
pub use timing::Stage;
