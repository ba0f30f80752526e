//! Triangulation of a planar polygon in space, convex or not.
//!
//! The polygon is projected onto the plane of its Newell normal `n = ½ Σ p_i × p_{i+1}`. Convex quadrilaterals are cut along the shorter
//! diagonal; all other polygons are triangulated by ear clipping (`earcutr`). That library removes collinear corners, which would break the
//! seam to the next face. If it does, ears are clipped here and every corner is kept.

use glam::{DVec2, DVec3};

/// Triangles over the corners `0..corners.len()` that fill the polygon, with its winding; none if it has no area.
pub fn triangulate(corners: &[DVec3]) -> Vec<[usize; 3]> {
    let Some(flat) = project(corners) else { return Vec::new() };
    match flat.len() {
        3 => return vec![[0, 1, 2]],
        4 if is_convex(&flat) => {
            let first_is_shorter = corners[0].distance_squared(corners[2]) <= corners[1].distance_squared(corners[3]);
            return if first_is_shorter { vec![[0, 1, 2], [0, 2, 3]] } else { vec![[0, 1, 3], [1, 2, 3]] };
        }
        _ => {}
    }
    let cut = cut_by_library(&flat);
    if is_complete(&cut, &flat) {
        return cut;
    }
    cut_keeping_all_corners(&flat).unwrap_or(cut)
}

/// The corners projected onto the plane of the Newell normal, counterclockwise; `None` if the polygon has no area.
fn project(corners: &[DVec3]) -> Option<Vec<DVec2>> {
    let origin = *corners.first()?;
    let following = corners.iter().cycle().skip(1);
    let area_vector: DVec3 = corners.iter().zip(following).map(|(&a, &b)| (a - origin).cross(b - origin)).sum();
    let normal = area_vector.try_normalize()?;
    let (first, second) = normal.any_orthonormal_pair();
    let (first, second) = if first.cross(second).dot(normal) > 0.0 { (first, second) } else { (second, first) };
    Some(corners.iter().map(|&corner| DVec2::new((corner - origin).dot(first), (corner - origin).dot(second))).collect())
}

/// Twice the signed area of the triangle `abc`.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

fn is_convex(flat: &[DVec2]) -> bool {
    let count = flat.len();
    (0..count).all(|i| turn(flat[i], flat[(i + 1) % count], flat[(i + 2) % count]) > 0.0)
}

fn cut_by_library(flat: &[DVec2]) -> Vec<[usize; 3]> {
    let coordinates: Vec<f64> = flat.iter().flat_map(|point| [point.x, point.y]).collect();
    let indices = earcutr::earcut(&coordinates, &[], 2).unwrap_or_default();
    let wound = |[a, b, c]: [usize; 3]| if turn(flat[a], flat[b], flat[c]) < 0.0 { [a, c, b] } else { [a, b, c] };
    indices.chunks_exact(3).map(|corners| wound([corners[0], corners[1], corners[2]])).collect()
}

/// Whether the triangles fill the polygon and use every corner: there are `n - 2` of them, every side of the polygon is a side of exactly
/// one, and the areas add up.
fn is_complete(triangles: &[[usize; 3]], flat: &[DVec2]) -> bool {
    let count = flat.len();
    let mut sides = vec![0; count];
    for triangle in triangles {
        for corner in 0..3 {
            let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
            if (from + 1) % count == to {
                sides[from] += 1;
            }
        }
    }
    let area: f64 = (1..count - 1).map(|i| turn(flat[0], flat[i], flat[i + 1])).sum();
    let filled: f64 = triangles.iter().map(|&[a, b, c]| turn(flat[a], flat[b], flat[c])).sum();
    triangles.len() + 2 == count && sides.iter().all(|&uses| uses == 1) && (filled - area).abs() <= 1e-9 * area.abs()
}

/// Ear clipping that never leaves a corner on a side of a triangle; `None` for a polygon that intersects itself.
fn cut_keeping_all_corners(flat: &[DVec2]) -> Option<Vec<[usize; 3]>> {
    let size = flat.iter().fold(0.0_f64, |size, point| size.max(point.abs().max_element()));
    let tolerance = 1e-12 * size * size;
    let mut rest: Vec<usize> = (0..flat.len()).collect();
    let mut triangles = Vec::with_capacity(flat.len() - 2);
    while rest.len() > 3 {
        let count = rest.len();
        let ear = (0..count).find(|&tip| {
            let [a, b, c] = [rest[(tip + count - 1) % count], rest[tip], rest[(tip + 1) % count]];
            let corners = [flat[a], flat[b], flat[c]];
            turn(corners[0], corners[1], corners[2]) > tolerance
                && rest.iter().all(|&other| [a, b, c].contains(&other) || !covers(corners, flat[other], tolerance))
        })?;
        triangles.push([rest[(ear + count - 1) % count], rest[ear], rest[(ear + 1) % count]]);
        rest.remove(ear);
    }
    triangles.push([rest[0], rest[1], rest[2]]);
    Some(triangles)
}

/// Whether `point` is inside the counterclockwise triangle or on its boundary.
fn covers([a, b, c]: [DVec2; 3], point: DVec2, tolerance: f64) -> bool {
    turn(a, b, point) >= -tolerance && turn(b, c, point) >= -tolerance && turn(c, a, point) >= -tolerance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[DVec3], triangles: &[[usize; 3]]) -> f64 {
        triangles.iter().map(|&[a, b, c]| 0.5 * (corners[b] - corners[a]).cross(corners[c] - corners[a]).length()).sum()
    }

    #[test]
    fn concave_polygon_in_a_tilted_plane_keeps_its_area() {
        let arrow = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (2.0, 0.5), (0.0, 3.0)];
        let tilt = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.4, 1.1, -0.7);
        let corners: Vec<DVec3> = arrow.iter().map(|&(x, y)| tilt * DVec3::new(x, y, 5.0)).collect();
        let triangles = triangulate(&corners);
        assert_eq!(triangles.len(), 3);
        assert!((area(&corners, &triangles) - 7.0).abs() < 1e-12);
        let normal = tilt * DVec3::Z;
        assert!(triangles.iter().all(|&[a, b, c]| (corners[b] - corners[a]).cross(corners[c] - corners[a]).dot(normal) > 0.0));
    }

    #[test]
    fn corners_on_a_straight_side_are_all_used() {
        let corners: Vec<DVec3> = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (3.0, 2.0), (1.5, 2.0), (0.0, 2.0)]
            .iter()
            .map(|&(x, y)| DVec3::new(x, y, 0.0))
            .collect();
        let triangles = triangulate(&corners);
        assert_eq!(triangles.len(), 5);
        assert!((area(&corners, &triangles) - 6.0).abs() < 1e-12);
        assert!((0..7).all(|corner| triangles.iter().any(|triangle| triangle.contains(&corner))));
    }

    #[test]
    fn a_polygon_without_area_gives_nothing() {
        assert!(triangulate(&[DVec3::ZERO, DVec3::X, 2.0 * DVec3::X, 3.0 * DVec3::X]).is_empty());
    }
}
