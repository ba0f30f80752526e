//! Simple polygons in the plane: area, centroid and second moments by simplex integration, point location, triangulation.
//!
//! Integrals over a polygon are signed sums of the integrals over the triangles `(v_0, v_k, v_{k+1})` (Shi 1984, simplex integration),
//! which is also valid for concave polygons. Vertices are counterclockwise, m.

mod triangles;

pub use triangles::triangulate;

use glam::DVec2;
use serde::{Deserialize, Serialize};

/// Area, centroid and second moments of area about the centroid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// Area, m²; positive if counterclockwise.
    pub area: f64,
    /// Centroid, m.
    pub centroid: DVec2,
    /// `∫ x² dA`, m⁴
    pub xx: f64,
    /// `∫ y² dA`, m⁴
    pub yy: f64,
    /// `∫ x y dA`, m⁴
    pub xy: f64,
}

impl Moments {
    /// Moments of the polygon with these vertices. If its area is zero, the centroid is its first vertex.
    pub fn of(vertices: &[DVec2]) -> Self {
        let Some(&origin) = vertices.first() else { return Self::default() };
        let mut boundary = BoundaryIntegrals::default();
        for pair in vertices[1..].windows(2) {
            boundary.add_edge(pair[0] - origin, pair[1] - origin);
        }
        let moments = boundary.moments();
        Self { centroid: origin + moments.centroid, ..moments }
    }
}

/// Integrals over a region, as sums over the triangles between the edges of its boundary and the origin. The edges may be added in any
/// order; the region may have several parts and holes.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoundaryIntegrals {
    area: f64,
    first: DVec2,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl BoundaryIntegrals {
    /// Adds the edge from `a` to `b`, which has the region to its left.
    pub fn add_edge(&mut self, a: DVec2, b: DVec2) {
        let twice = a.perp_dot(b);
        self.area += twice / 2.0;
        self.first += twice / 6.0 * (a + b);
        self.xx += twice / 12.0 * (a.x * a.x + a.x * b.x + b.x * b.x);
        self.yy += twice / 12.0 * (a.y * a.y + a.y * b.y + b.y * b.y);
        self.xy += twice / 24.0 * (2.0 * a.x * a.y + a.x * b.y + b.x * a.y + 2.0 * b.x * b.y);
    }

    /// Moments of the region; zero if it has no area.
    pub fn moments(&self) -> Moments {
        let Self { area, first, xx, yy, xy } = *self;
        if area == 0.0 {
            return Moments::default();
        }
        let c = first / area;
        Moments { area, centroid: c, xx: xx - area * c.x * c.x, yy: yy - area * c.y * c.y, xy: xy - area * c.x * c.y }
    }
}

/// Whether no corner is reflex by more than rounding.
pub fn is_convex(vertices: &[DVec2]) -> bool {
    let count = vertices.len();
    (0..count).all(|k| {
        let (before, here, after) = (vertices[(k + count - 1) % count], vertices[k], vertices[(k + 1) % count]);
        let (a, b) = (here - before, after - here);
        a.perp_dot(b) >= -1e-9 * a.length() * b.length()
    })
}

/// Winding number of the polygon around `point`: nonzero inside (Sunday 2001). On an edge it may be either.
pub fn winding_number(vertices: &[DVec2], point: DVec2) -> i32 {
    let mut winding = 0;
    for (k, &a) in vertices.iter().enumerate() {
        let b = vertices[(k + 1) % vertices.len()];
        let side = (b - a).perp_dot(point - a);
        if a.y <= point.y {
            winding += i32::from(b.y > point.y && side > 0.0);
        } else {
            winding -= i32::from(b.y <= point.y && side < 0.0);
        }
    }
    winding
}

/// The first two edges, by the indices of their first vertices, that intersect or touch without being neighbours; `None` if there are none.
pub fn self_crossing(vertices: &[DVec2]) -> Option<(usize, usize)> {
    let count = vertices.len();
    let edge = |k: usize| (vertices[k], vertices[(k + 1) % count]);
    (0..count).flat_map(|k| (k + 2..count).map(move |l| (k, l))).find(|&(k, l)| {
        let neighbours = (l + 1) % count == k;
        !neighbours && segments_touch(edge(k), edge(l))
    })
}

/// Whether two segments have a point in common.
pub fn segments_touch((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> bool {
    let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    let within = |p: DVec2, q: DVec2, r: DVec2| r.cmpge(p.min(q)).all() && r.cmple(p.max(q)).all();
    let (of_c, of_d, of_a, of_b) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    let apart = |one: f64, other: f64| (one > 0.0 && other < 0.0) || (one < 0.0 && other > 0.0);
    (apart(of_c, of_d) && apart(of_a, of_b))
        || (of_c == 0.0 && within(a, b, c))
        || (of_d == 0.0 && within(a, b, d))
        || (of_a == 0.0 && within(c, d, a))
        || (of_b == 0.0 && within(c, d, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_equal_closed_forms_far_from_the_origin() {
        let shift = DVec2::new(1e3, -2e3);
        let rectangle = [(0.0, 0.0), (3.0, 0.0), (3.0, 2.0), (0.0, 2.0)].map(|(x, y)| shift + DVec2::new(x, y));
        let moments = Moments::of(&rectangle);
        assert!((moments.area - 6.0).abs() < 1e-9 && moments.centroid.distance(shift + DVec2::new(1.5, 1.0)) < 1e-9);
        assert!((moments.xx - 2.0 * 27.0 / 12.0).abs() < 1e-9 && (moments.yy - 3.0 * 8.0 / 12.0).abs() < 1e-9 && moments.xy.abs() < 1e-9);
        // Triangle (0,0), (a,0), (0,b): ∫ x y about the centroid is −a² b² / 72.
        let triangle = [(0.0, 0.0), (3.0, 0.0), (0.0, 2.0)].map(|(x, y)| shift + DVec2::new(x, y));
        assert!((Moments::of(&triangle).xy + 36.0 / 72.0).abs() < 1e-9);
    }

    #[test]
    fn a_concave_polygon_is_its_parts() {
        // A square of side 3 with a notch at the top, 1 wide and 2 deep.
        let trough = [(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (2.0, 3.0), (2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)];
        let trough = trough.map(|(x, y)| DVec2::new(x, y));
        let moments = Moments::of(&trough);
        assert!((moments.area - 7.0).abs() < 1e-12);
        assert!(moments.centroid.distance(DVec2::new(1.5, (9.0 * 1.5 - 2.0 * 2.0) / 7.0)) < 1e-12);
        assert!((moments.xx - (81.0 / 12.0 - 2.0 / 12.0)).abs() < 1e-12);
        assert!(!is_convex(&trough) && is_convex(&trough[..4]));
        let inside = |x: f64, y: f64| winding_number(&trough, DVec2::new(x, y)) != 0;
        assert!(inside(0.5, 2.0) && inside(1.5, 0.5) && !inside(1.5, 2.0) && !inside(4.0, 0.5));
        assert_eq!(self_crossing(&trough), None);
        let bow = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)].map(|(x, y)| DVec2::new(x, y));
        assert_eq!(self_crossing(&bow), Some((0, 2)));
    }
}
