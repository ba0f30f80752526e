//! Size limits of segments.

use serde::{Deserialize, Serialize};

/// Longest side of the box of a flat segment, in sides of others. A particle near a flat wall is then near one or two segments instead of five, and the
/// ball of a flat segment is a thin disc however large it is: walls take a tenth less time among five meshes in a tank (docs/performance.md).
const FLAT_SHARE: f64 = 3.0;

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
    /// Segments of at most `triangles` triangles in a box of at most `size` (m), or three times that if they are coplanar.
    pub fn new(size: f64, triangles: usize) -> Self {
        let flat_size = FLAT_SHARE * size;
        Self { size, flat_size, triangles }
    }

    /// The same limits without larger flat segments.
    pub fn even(self) -> Self {
        Self { flat_size: self.size, ..self }
    }
}
