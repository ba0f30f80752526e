//! What is written down of a step: figures, momentum, time.

mod diagnostics;
mod interval;
mod ledger;
mod load;
mod method;
mod timing;

pub use diagnostics::{StepDiagnostics, body_row};
pub use interval::OutputInterval;
pub use ledger::Ledger;
pub use load::Load;
pub use method::search_frame;
pub use timing::Stage;
