//! Where blocks touch: vertices near edges, and what is remembered of them from step to step.

mod corner;
mod detection;
mod law;
mod memory;
mod state;

pub use detection::{Candidate, detect};
pub use law::{Contact, ContactLaw};
pub use memory::{ContactMemory, Remembered};
pub use state::ContactState;
