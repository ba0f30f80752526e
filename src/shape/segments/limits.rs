//! Size limits of segments.

use serde::{Deserialize, Serialize};

/// Limits of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentLimits {
    /// Maximum side of a segment's bounding box, m.
    pub size: f64,
    /// Maximum number of triangles in a segment.
    pub triangles: usize,
}
