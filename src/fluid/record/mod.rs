//! What is written down of a step: figures, momentum, time.

mod diagnostics;
mod interval;
mod ledger;
mod method;
mod stages;

pub use diagnostics::{StepDiagnostics, body_row};
pub use interval::OutputInterval;
pub use ledger::Ledger;
pub use method::{method_frame, segment_meshes};
pub use stages::Stage;
