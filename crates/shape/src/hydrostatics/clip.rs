//! A triangle clipped at the plane, and the integrals over what is below it.
//!
//! A vertex in the plane counts as above it: volume and section are the limits from below. Seen from the corners of one edge, both triangles
//! at the edge compute the same point of intersection.
//!
//! With a reference point o in the plane, the section closes the clipped surface without a contribution to volume and first moment:
//!
//! ```text
//! V = Σ D / 6,   ∫ x dV = Σ D / 24 (a + b + c),   D = a · (b × c)
//! ```

use glam::{DVec2, DVec3};
use plimsoll_base::math::Aabb;

use crate::polygon::BoundaryIntegrals;

/// Place of a triangle relative to the plane. The edge of corner k goes to corner k + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Below,
    /// The edges of the triangle's corners at which its boundary comes from above and leaves the water.
    Crossing {
        entering: usize,
        leaving: usize,
    },
}

impl Side {
    /// For corners at these heights over the plane.
    pub(super) fn of(heights: [f64; 3]) -> Self {
        let below = heights.map(|height| height < 0.0);
        match below {
            [false, false, false] => Self::Above,
            [true, true, true] => Self::Below,
            _ => {
                let edge = |from_below: bool| (0..3).position(|k| below[k] == from_below && below[(k + 1) % 3] != from_below);
                let [entering, leaving] = [false, true].map(|from_below| edge(from_below).expect("two edges cross the plane"));
                Self::Crossing { entering, leaving }
            }
        }
    }
}

/// The point in the plane between `corners[k]` and the next corner, which are on different sides.
pub(super) fn crossing(corners: [DVec3; 3], heights: [f64; 3], k: usize) -> DVec3 {
    let next = (k + 1) % 3;
    let (below, above) = if heights[k] < 0.0 { (k, next) } else { (next, k) };
    if heights[above] == 0.0 {
        return corners[above];
    }
    corners[below] + (corners[above] - corners[below]) * (heights[below] / (heights[below] - heights[above]))
}

/// Volume, first moment and area of a clipped surface, relative to a point in the plane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SurfaceIntegrals {
    pub volume: f64,
    pub moment: DVec3,
    pub area: f64,
}

impl SurfaceIntegrals {
    pub(super) fn add(&mut self, [a, b, c]: [DVec3; 3]) {
        let determinant = a.dot(b.cross(c));
        self.volume += determinant / 6.0;
        self.moment += determinant / 24.0 * (a + b + c);
        self.area += 0.5 * (b - a).cross(c - a).length();
    }
}

/// Integrals over the section: its boundary is the reversed edge of the clipped triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct SectionIntegrals {
    pub axes: [DVec3; 2],
    pub boundary: BoundaryIntegrals,
    pub aabb: Aabb,
}

impl SectionIntegrals {
    /// `axes` are horizontal and perpendicular, with `axes[0] × axes[1]` upwards.
    pub(super) fn new(axes: [DVec3; 2]) -> Self {
        Self { axes, boundary: BoundaryIntegrals::default(), aabb: Aabb::around([]) }
    }

    fn add(&mut self, from: DVec3, to: DVec3) {
        let flat = |point: DVec3| DVec2::new(point.dot(self.axes[0]), point.dot(self.axes[1]));
        self.boundary.add_edge(flat(from), flat(to));
        self.aabb = self.aabb.including(from).including(to);
    }
}

/// Adds the part of a triangle below the plane. Corners are relative to a point in the plane.
pub(super) fn add_clipped(corners: [DVec3; 3], heights: [f64; 3], surface: &mut SurfaceIntegrals, section: Option<&mut SectionIntegrals>) {
    match Side::of(heights) {
        Side::Above => {}
        Side::Below => surface.add(corners),
        Side::Crossing { entering, leaving } => {
            let [entry, exit] = [entering, leaving].map(|k| crossing(corners, heights, k));
            let first = corners[(entering + 1) % 3];
            if (entering + 1) % 3 != leaving {
                surface.add([first, corners[leaving], exit]);
            }
            surface.add([first, exit, entry]);
            if let Some(section) = section {
                section.add(entry, exit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_in_the_plane_are_above() {
        assert_eq!(Side::of([0.0, 0.0, 0.0]), Side::Above);
        assert_eq!(Side::of([-1.0, -2.0, -3.0]), Side::Below);
        assert_eq!(Side::of([-1.0, 0.0, 0.0]), Side::Crossing { entering: 2, leaving: 0 });
        assert_eq!(Side::of([1.0, -1.0, -1.0]), Side::Crossing { entering: 0, leaving: 2 });
    }

    #[test]
    fn clipped_areas_add_up() {
        let corners = [DVec3::new(0.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];
        for turn in 0..3 {
            for level in [-1.5, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0] {
                let turned = [0, 1, 2].map(|k| corners[(k + turn) % 3] - level * DVec3::Y);
                let mut surface = SurfaceIntegrals::default();
                add_clipped(turned, turned.map(|corner| corner.y), &mut surface, None);
                let above: f64 = (1.0_f64 - level).clamp(0.0, 2.0);
                let expected = 2.0 - 0.5 * above * above;
                assert!((surface.area - expected).abs() < 1e-14, "level {level}: {} instead of {expected}", surface.area);
            }
        }
    }
}
