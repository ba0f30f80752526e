//! Size limits of segments.

use serde::{Deserialize, Serialize};

/// Longest side of the box of a flat segment, in sides of others: the ball of a flat segment is a thin disc however large it is. In a dam break walls
/// take half as long as with one, and memory is a fifth less (docs/performance.md); with 16 both are the same as with 6.
const FLAT_SHARE: f64 = 6.0;

/// Limits of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentLimits {
    /// Maximum side of a segment's bounding box, m.
    pub size: f64,
    /// The same for a segment whose triangles are coplanar; at least `size`.
    pub flat_size: f64,
    /// Maximum number of triangles in a segment.
    pub triangles: usize,
}

impl SegmentLimits {
    /// Segments of at most `triangles` triangles in a box of at most `size` (m), or six times that if they are coplanar.
    pub fn new(size: f64, triangles: usize) -> Self {
        let flat_size = FLAT_SHARE * size;
        Self { size, flat_size, triangles }
    }

    /// The same limits without larger flat segments.
    pub fn even(self) -> Self {
        Self { flat_size: self.size, ..self }
    }
}
