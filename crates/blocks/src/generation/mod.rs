//! Cuts rock into blocks: by joint sets, in courses like masonry, or along the edges of a Voronoi diagram. Also generates arches.
//!
//! All cuts are lines over a region. `i_overlay` slices the region along them in exact integer arithmetic: blocks that share a face have
//! bitwise identical end points, and joints that end within the rock cut nothing off.

mod arch;
mod joints;
mod region;
mod voronoi;

pub use arch::arch;
pub use joints::JointSet;
pub use region::{Cutting, Region, generate, overlap_area};
