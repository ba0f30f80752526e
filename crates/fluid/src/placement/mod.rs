//! Placement of fluid: regions are filled with a lattice at time zero, carved by bodies, then relaxed and, if it is to be at rest, settled.

mod fill_outcome;
mod fills;
mod free_region;
mod lattice;
mod nearest_fill;
mod obstacles;
mod overlapping;
mod region;
mod relaxation;
mod rounds;
mod settling;

pub use fill_outcome::FillOutcome;
pub use fills::place;
pub use obstacles::Obstacles;
pub use overlapping::overlapping;
pub use relaxation::{Relaxation, relax};
