//! Where fluid is placed: regions filled with a lattice at time zero, carved where bodies stand, then relaxed.

mod fills;
mod relaxation;

pub use fills::{obstacle, overlapping, place};
pub use relaxation::{Relaxation, relax};
