//! Gaps between bodies that are too narrow for the particles that would carry the pressure in them (docs/theory/walls.md, "Narrow gaps").
//!
//! There, the pressure of the water around the gap acts on both surfaces instead of what the particles in the gap press with.

mod facing;
mod film;
mod films;
mod holding;
mod patch;
mod rim;

pub use films::Films;
pub use holding::NarrowGap;
pub use rim::FilmFluid;
