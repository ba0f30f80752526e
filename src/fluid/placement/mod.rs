//! Placement of fluid: regions are filled with a lattice at time zero, carved by bodies, then relaxed.

mod fills;
mod relaxation;

pub use fills::{obstacle, overlapping, place, takes};
pub use relaxation::{Relaxation, relax};
