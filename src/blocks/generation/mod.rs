//! Rock cut into blocks: by joint sets, in courses like masonry, or along the borders of a Voronoi diagram; and arches.
//!
//! All cuts are lines laid over a region; `i_overlay` slices the region along them in exact integer arithmetic, so that blocks that share a
//! face share its ends to the last bit, and joints that end within the rock cut nothing off.

mod arch;
mod joints;
mod region;
mod voronoi;

pub use arch::arch;
pub use joints::JointSet;
pub use region::{Cutting, Region, generate, overlap_area};
