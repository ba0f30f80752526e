//! Where fluid is placed: regions filled with a lattice at time zero, carved where bodies stand, then relaxed.

mod fills;
mod relaxation;

pub use fills::{Carver, overlapping, place, world_aabb};
pub use relaxation::{Relaxation, relax};
