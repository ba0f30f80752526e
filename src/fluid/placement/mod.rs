//! Placement of fluid: regions are filled with a lattice at time zero, carved by bodies, then relaxed and, if it is to be at rest, settled.

mod fills;
mod relaxation;
mod rounds;
mod settling;

pub use fills::{obstacle, overlapping, place, takes};
pub use relaxation::{Relaxation, relax};
