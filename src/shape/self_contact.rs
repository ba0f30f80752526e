//! Components of a surface that touch or cross each other or themselves, other than at the edges and vertices that their triangles share.
//!
//! Pairs of triangles with overlapping boxes are separated by a plane or suspected. The test is in floating point and on the safe side: triangles
//! that come within rounding of each other are suspected.

use glam::DVec3;
use rayon::prelude::*;

use super::{TriangleMesh, box_tree::BoxTree};
use crate::math::Aabb;

/// Distance within which triangles may touch, as a share of the coordinates relative to a corner.
const ROUNDING: f64 = 1e-12;
/// Sine of the angle within which directions count as the same.
const PARALLEL: f64 = 1e-9;

/// For each of `count` components, whether one of its triangles touches another triangle; `labels` are the components of the triangles.
pub fn touching_components(mesh: &TriangleMesh, labels: &[u32], count: usize) -> Vec<bool> {
    let aabb = |index: usize| Aabb::around(mesh.corners(index));
    let tree = BoxTree::new((0..mesh.triangles.len()).map(aabb));
    let touching = |first: usize| {
        let mut found = Vec::new();
        tree.for_each_overlapping(&aabb(first), |second| {
            if second > first && may_touch(mesh, first, second) {
                found.extend([first, second]);
            }
        });
        found
    };
    let mut marks = vec![false; count];
    for index in (0..mesh.triangles.len()).into_par_iter().flat_map_iter(touching).collect::<Vec<_>>() {
        marks[labels[index] as usize] = true;
    }
    marks
}

/// Whether two triangles may have a point in common that is not on a shared edge or vertex.
fn may_touch(mesh: &TriangleMesh, first: usize, second: usize) -> bool {
    let (a, b) = (mesh.triangles[first], mesh.triangles[second]);
    let shared = a.iter().filter(|vertex| b.contains(vertex)).count();
    let shared_first = |mut corners: [u32; 3], other: [u32; 3]| {
        corners.sort_by_key(|vertex| !other.contains(vertex));
        corners.map(|vertex| mesh.vertices[vertex as usize])
    };
    let (a, b) = (shared_first(a, b), shared_first(b, a));
    match shared {
        0 => !are_apart(&a, &b),
        1 => !are_apart_at_vertex(a, [b[1], b[2]]),
        2 => is_folded([a[0], a[1], a[2], b[2]]),
        _ => true,
    }
}

/// Whether a plane lies between two triangles (separating axis theorem).
fn are_apart(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let origin = a[0];
    let [a, b] = [a, b].map(|corners| corners.map(|corner| corner - origin));
    let size = a.iter().chain(&b).map(|corner| corner.length_squared()).fold(0.0, f64::max).sqrt();
    let is_between = |axis: DVec3| {
        let range = |corners: &[DVec3; 3]| {
            let places = corners.map(|corner| axis.dot(corner));
            (places[0].min(places[1]).min(places[2]), places[0].max(places[1]).max(places[2]))
        };
        let ((low_a, high_a), (low_b, high_b)) = (range(&a), range(&b));
        (low_b - high_a).max(low_a - high_b) > ROUNDING * size * axis.length()
    };
    let sides = |corners: &[DVec3; 3]| [corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]];
    let (sides_a, sides_b) = (sides(&a), sides(&b));
    let (normal_a, normal_b) = (sides_a[0].cross(sides_a[1]), sides_b[0].cross(sides_b[1]));
    is_between(normal_a)
        || is_between(normal_b)
        || sides_a.iter().any(|&side| sides_b.iter().any(|&other| is_between(side.cross(other))))
        || sides_a.iter().any(|side| is_between(normal_a.cross(*side)))
        || sides_b.iter().any(|side| is_between(normal_b.cross(*side)))
}

/// Whether a plane through the vertex that two triangles share, the first corner of the first one, has one of them on one side, and the other
/// corners of the other one beyond it.
fn are_apart_at_vertex(triangle: [DVec3; 3], others: [DVec3; 2]) -> bool {
    let [a, b] = [triangle[1], triangle[2]].map(|corner| corner - triangle[0]);
    let [c, d] = others.map(|corner| corner - triangle[0]);
    let size = [a, b, c, d].iter().map(|corner| corner.length_squared()).fold(0.0, f64::max).sqrt();
    let is_between = |axis: DVec3| {
        let tolerance = ROUNDING * size * axis.length();
        let range = |first: DVec3, second: DVec3| {
            let places = [axis.dot(first), axis.dot(second)];
            (places[0].min(places[1]), places[0].max(places[1]))
        };
        let ((low, high), (other_low, other_high)) = (range(a, b), range(c, d));
        let below = |high: f64, low: f64| (high <= tolerance && low > tolerance) || (high < -tolerance && low >= -tolerance);
        below(high, other_low) || below(other_high, low)
    };
    // A plane along a side of each has the other sides beyond it: what is in the plane are two different directions.
    let is_between_sides = |(side, rest): (DVec3, DVec3), (other_side, other_rest): (DVec3, DVec3)| {
        let axis = side.cross(other_side);
        let (place, other_place, tolerance) = (axis.dot(rest), axis.dot(other_rest), ROUNDING * size * axis.length());
        let is_plane = axis.length() > PARALLEL * side.length() * other_side.length();
        is_plane && place.abs().min(other_place.abs()) > tolerance && place.signum() != other_place.signum()
    };
    let (normal, other_normal) = (a.cross(b), c.cross(d));
    let beside = [normal.cross(a), normal.cross(b), other_normal.cross(c), other_normal.cross(d)];
    [normal, other_normal].into_iter().chain(beside).any(is_between)
        || [(a, b), (b, a)].iter().any(|&first| [(c, d), (d, c)].iter().any(|&second| is_between_sides(first, second)))
}

/// Whether two triangles over the same edge, from the first to the second of four points, lie on each other; the others are their tips.
fn is_folded([from, to, tip, other]: [DVec3; 4]) -> bool {
    let edge = (to - from).normalize_or_zero();
    let [a, b] = [tip, other].map(|tip| (tip - from).reject_from_normalized(edge));
    a.dot(b) > 0.0 && a.cross(b).length() <= PARALLEL * a.length() * b.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Whether a segment passes through a triangle, by the signs of volumes.
    fn pierces([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
        let is_positive = |r: DVec3, s: DVec3, t: DVec3| (r - p).dot((s - p).cross(t - p)) > 0.0;
        let turns = [is_positive(q, a, b), is_positive(q, b, c), is_positive(q, c, a)];
        let other_side = (a - q).dot((b - q).cross(c - q)) > 0.0;
        is_positive(a, b, c) != other_side && turns[0] == turns[1] && turns[1] == turns[2]
    }

    #[test]
    fn triangles_that_cross_are_found_and_others_are_apart() {
        let mut random = Random::new(3);
        let mut counts = [0; 2];
        for _ in 0..20_000 {
            let mut triangle = || [random.point(), random.point(), random.point()];
            let (a, b) = (triangle(), triangle());
            let sides = |[p, q, r]: [DVec3; 3]| [[p, q], [q, r], [r, p]];
            let crosses = sides(a).into_iter().any(|side| pierces(side, b)) || sides(b).into_iter().any(|side| pierces(side, a));
            assert_eq!(!are_apart(&a, &b), crosses, "{a:?} {b:?}");
            // What they have in common besides the shared vertex ends at the side opposite of it, of one or the other.
            let common = [a[0], b[1], b[2]];
            let crosses_at_vertex = pierces([a[1], a[2]], common) || pierces([b[1], b[2]], a);
            assert_eq!(!are_apart_at_vertex(a, [b[1], b[2]]), crosses_at_vertex, "{a:?} {common:?}");
            counts = [counts[0] + usize::from(crosses), counts[1] + usize::from(crosses_at_vertex)];
        }
        assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
    }

    #[test]
    fn touching_parts_are_found() {
        let cube = |at: DVec3| {
            let mut mesh = TriangleMesh::cuboid(DVec3::ONE);
            mesh.vertices.iter_mut().for_each(|vertex| *vertex += at);
            mesh
        };
        let found = |places: &[DVec3]| {
            let mut mesh = TriangleMesh::default();
            let mut labels = Vec::new();
            for (number, part) in places.iter().map(|&at| cube(at)).enumerate() {
                let first = mesh.vertices.len() as u32;
                mesh.vertices.extend(part.vertices);
                mesh.triangles.extend(part.triangles.iter().map(|triangle| triangle.map(|vertex| first + vertex)));
                labels.extend([number as u32; 12]);
            }
            touching_components(&mesh, &labels, places.len())
        };
        let (near, touching) = (DVec3::new(1.0 + 1e-9, 0.0, 0.0), DVec3::new(1.0, 0.3, 0.0));
        assert_eq!(found(&[DVec3::ZERO, near]), [false, false]);
        assert_eq!(found(&[DVec3::ZERO, touching]), [true, true]);
        assert_eq!(found(&[DVec3::ZERO, DVec3::splat(5.0), DVec3::splat(0.5)]), [true, false, true]);
    }
}
