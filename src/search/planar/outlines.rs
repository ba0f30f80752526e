//! Outlines in the plane, as all searches see them.

use glam::DVec2;

use crate::math::Rectangle;

/// Closed polygons, one after another.
#[derive(Clone, Copy, Debug)]
pub struct Outlines<'a> {
    /// Meters, counterclockwise.
    pub vertices: &'a [DVec2],
    /// Polygon `k` has the vertices from `offsets[k]` up to, not including, `offsets[k + 1]`.
    pub offsets: &'a [u32],
    /// The smallest box around each; empty for one that is to be passed over.
    pub boxes: &'a [Rectangle],
    /// Which are entered by their edges ([`super::is_complex`]), set once.
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
