//! Components of a surface that touch or cross each other or themselves, other than at the edges and vertices that their triangles share.
//!
//! Pairs of triangles near each other are separated by a plane or suspected, unless both are in the same part of a single layer. The test is in
//! floating point and on the safe side: triangles that come within rounding of each other are suspected.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;

use super::{TriangleMesh, pair_search::for_each_near_pair, patches::single_layers, topology::EdgeTable};

/// Distance within which triangles may touch, as a share of the coordinates relative to a corner.
const ROUNDING: f64 = 1e-12;
/// Sine of the angle within which directions count as the same.
const PARALLEL: f64 = 1e-9;

/// For each of `count` components, whether one of its triangles touches another triangle; `labels` are the components of the triangles, and
/// `edges` the edges of `mesh`.
pub fn touching_components(mesh: &TriangleMesh, edges: &EdgeTable, labels: &[u32], count: usize) -> Vec<bool> {
    touching_groups(mesh, &single_layers(mesh, edges), labels, count)
}

/// The same where only triangles of different `groups` may touch.
fn touching_groups(mesh: &TriangleMesh, groups: &[u32], labels: &[u32], count: usize) -> Vec<bool> {
    let triangles: Vec<[DVec3; 3]> = (0..mesh.triangles.len()).map(|index| mesh.corners(index)).collect();
    let marks: Vec<AtomicBool> = (0..count).map(|_| AtomicBool::new(false)).collect();
    for_each_near_pair(&triangles, groups, |first, second| {
        let of_both = [first, second].map(|index| &marks[labels[index] as usize]);
        // What is known of both need not be found again.
        if of_both.iter().any(|mark| !mark.load(Ordering::Relaxed)) && may_touch(mesh, first, second) {
            of_both.iter().for_each(|mark| mark.store(true, Ordering::Relaxed));
        }
    });
    marks.into_iter().map(AtomicBool::into_inner).collect()
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
pub(super) fn are_apart(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
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
    use plimsoll_base::math::Random;

    use super::*;

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
            touching_components(&mesh, &EdgeTable::of(&mesh), &labels, places.len())
        };
        let (near, touching) = (DVec3::new(1.0 + 1e-9, 0.0, 0.0), DVec3::new(1.0, 0.3, 0.0));
        assert_eq!(found(&[DVec3::ZERO, near]), [false, false]);
        assert_eq!(found(&[DVec3::ZERO, touching]), [true, true]);
        assert_eq!(found(&[DVec3::ZERO, DVec3::splat(5.0), DVec3::splat(0.5)]), [true, false, true]);
    }

    /// A square of side 1 around a random place in a random direction, with `bumps` of this height and triangles in random places.
    fn sheet(random: &mut Random, count: u32, bumps: f64) -> TriangleMesh {
        let (direction, place) = (random.direction(3), 2.0 * random.point());
        let (across, up) = direction.any_orthonormal_pair();
        let share = |k: u32, random: &mut Random| (f64::from(k) + random.between(-0.3, 0.3)) / f64::from(count) - 0.5;
        let mut vertices = Vec::new();
        for (x, y) in (0..=count).flat_map(|y| (0..=count).map(move |x| (x, y))) {
            let at = [share(x, random), share(y, random), bumps * random.uniform()];
            vertices.push(place + at[0] * across + at[1] * up + at[2] * direction);
        }
        let corner = |x: u32, y: u32| y * (count + 1) + x;
        let cells = (0..count).flat_map(|y| (0..count).map(move |x| (x, y)));
        let triangles = cells.flat_map(|(x, y)| {
            [[corner(x, y), corner(x + 1, y), corner(x + 1, y + 1)], [corner(x, y), corner(x + 1, y + 1), corner(x, y + 1)]]
        });
        TriangleMesh { vertices, triangles: triangles.collect() }
    }

    #[test]
    fn contacts_are_those_of_all_pairs() {
        let mut random = Random::new(17);
        let mut counts = [0; 2];
        for case in 0..150 {
            let parts = 2 + case % 4;
            let (mut mesh, mut labels) = (TriangleMesh::default(), Vec::new());
            for part in 0..parts as u32 {
                let bumps = [0.0, 0.02, 0.3][case % 3];
                let sheet = sheet(&mut random, 3 + (case % 5) as u32, bumps);
                let first = mesh.vertices.len() as u32;
                labels.extend(vec![part; sheet.triangles.len()]);
                mesh.vertices.extend(sheet.vertices);
                mesh.triangles.extend(sheet.triangles.iter().map(|corners| corners.map(|vertex| first + vertex)));
            }
            let mut expected = vec![false; parts];
            for first in 0..mesh.triangles.len() {
                for second in first + 1..mesh.triangles.len() {
                    if may_touch(&mesh, first, second) {
                        expected[labels[first] as usize] = true;
                        expected[labels[second] as usize] = true;
                    }
                }
            }
            assert_eq!(touching_components(&mesh, &EdgeTable::of(&mesh), &labels, parts), expected, "case {case}");
            expected.iter().for_each(|&touches| counts[usize::from(touches)] += 1);
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}
