//! Triangle meshes and their static properties.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod box_tree;
pub mod clip;
mod extract;
mod fins;
mod holes;
pub mod hydrostatics;
pub mod import;
mod inside;
mod mass;
mod mesh;
mod nesting;
mod obstacle;
mod orientation;
mod overlaps;
mod pair_search;
mod patches;
pub mod polygon;
pub mod principal;
mod pseudonormals;
mod report;
mod segments;
mod self_contact;
mod sheets;
mod slab_cut_ball;
mod solid;
pub mod topology;
mod touching;

pub use box_tree::BoxTree;
pub use holes::{Hole, HoleReport, close_holes};
pub use import::{ImportOptions, ImportSummary, MeshError, Repair, UpAxis};
pub use inside::InsideTest;
pub use mass::{MassProperties, surface_area, triangle_area};
pub use mesh::TriangleMesh;
pub use obstacle::Obstacle;
pub use orientation::{OrientationReport, orient_outwards};
pub use overlaps::{OverlapReport, join_inner_parts};
pub use report::MeshReport;
pub use segments::{PartitionItem, partition_items};
pub use segments::{Segment, SegmentLimits, Segmentation};
pub use sheets::{has_inside, solid_part};
pub use slab_cut_ball::SlabCutBall;
pub use solid::{SolidReport, make_solid};
pub use topology::{is_convex, is_watertight};
