//! Outlines in the plane, the input of all searches.

use glam::DVec2;
use plimsoll_base::math::Rectangle;

/// Closed polygons in sequence.
#[derive(Clone, Copy, Debug)]
pub struct Outlines<'a> {
    /// Vertices, m, counterclockwise.
    pub vertices: &'a [DVec2],
    /// Polygon `k` has the vertices `offsets[k] .. offsets[k + 1]`.
    pub offsets: &'a [u32],
    /// The bounding box of each polygon; empty for a polygon to be ignored.
    pub boxes: &'a [Rectangle],
    /// Which outlines are represented by their edges ([`super::is_complex`]); set once.
    pub complex: &'a [bool],
}

impl<'a> Outlines<'a> {
    /// Vertices of polygon `index`.
    pub fn polygon(&self, index: usize) -> &'a [DVec2] {
        &self.vertices[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}

/// Two outlines as a pair, the lower index first.
pub fn ordered(one: u32, other: u32) -> [u32; 2] {
    [one.min(other), one.max(other)]
}
