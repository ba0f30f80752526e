//! Contacts of blocks: vertices near edges, and the data kept from step to step.

mod corner;
mod detection;
mod law;
mod memory;
mod state;

pub use detection::{Candidate, detect};
pub use law::{Contact, ContactLaw};
pub use memory::{ContactMemory, Remembered};
pub use state::ContactState;
