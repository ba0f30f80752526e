//! Size limits of segments.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Pose};
use serde::{Deserialize, Serialize};

/// Longest side of the box of a flat segment, in sides of others: the ball of a flat segment is a thin disc however large it is. In a dam break walls
/// take half as long as with one, and memory is a fifth less (docs/performance.md); with 16 both are the same as with 6.
const FLAT_SHARE: f64 = 6.0;

/// Length of a flat piece far from the fine region, in distances from it. Coordinates relative to a piece have 24 bits: where fluid travels away from the
/// region, it meets a wall that is off by about 1e-8 of its way.
const FAR_SHARE: f64 = 0.25;

/// Limits of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentLimits {
    /// Maximum side of a segment's bounding box, m.
    pub size: f64,
    /// The same for a segment whose triangles are coplanar; at least `size`.
    pub flat_size: f64,
    /// Maximum number of triangles in a segment.
    pub triangles: usize,
    /// Where these limits hold; everywhere if absent. A flat piece outside may be as long as a quarter of its distance, so that a ground plane of any
    /// size has only thousands of pieces.
    pub fine: Option<Aabb>,
}

impl SegmentLimits {
    /// Segments of at most `triangles` triangles in a box of at most `size` (m), or six times that if they are coplanar.
    pub fn new(size: f64, triangles: usize) -> Self {
        let flat_size = FLAT_SHARE * size;
        Self { size, flat_size, triangles, fine: None }
    }

    /// The same limits, only around `region`, which may be empty.
    pub fn around(self, region: Aabb) -> Self {
        Self { fine: (!region.is_empty()).then(|| region.inflated(self.flat_size)), ..self }
    }

    /// The same limits everywhere.
    pub fn everywhere(self) -> Self {
        Self { fine: None, ..self }
    }

    /// The same limits for a mesh whose coordinates `pose` transforms to those of the region.
    pub fn in_body(self, pose: &Pose) -> Self {
        let fine = self.fine.map(|region| Aabb::around(region.corners().map(|corner| pose.inverse_transform_point(corner))));
        Self { fine, ..self }
    }

    /// Maximum length of an edge of a flat piece, m. It depends only on the ends of the edge.
    pub(super) fn edge(&self, ends: [DVec3; 2]) -> f64 {
        let far = self.fine.map_or(0.0, |region| FAR_SHARE * region.distance_to(&Aabb::around(ends)));
        self.flat_size.max(far)
    }

    /// The same limits without larger flat segments.
    pub fn even(self) -> Self {
        Self { flat_size: self.size, fine: None, ..self }
    }
}
