//! How large a segment may get.

use serde::{Deserialize, Serialize};

/// Bounds of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentLimits {
    /// Longest side of a segment's box, m.
    pub size: f64,
    /// Triangles in a segment.
    pub triangles: usize,
}
