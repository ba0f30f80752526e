//! Detection of the edges of a mesh at which the surface bends or ends.

use glam::DVec3;

use crate::{
    TriangleMesh,
    topology::{EdgeTable, EdgeUse, consistent},
};

/// Sine of the angle below which two faces count as one plane. It is far larger than the angles in a flat wall read from decimal numbers or
/// rotated in double precision; a sphere reaches it at about 10¹³ triangles.
const COPLANAR: f64 = 1e-6;
/// Rounding error of a vertex, as a fraction of the largest coordinate. It is the tolerance of slivers for the distance to the neighbour's
/// plane.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// For each triangle, whether its edges 0, 1, 2 are sharp.
pub(super) fn of(mesh: &TriangleMesh) -> Vec<[bool; 3]> {
    let aabb = mesh.aabb();
    let rounding = ROUNDING * aabb.min.abs().max(aabb.max.abs()).max_element();
    let mut sharp = vec![[true; 3]; mesh.triangles.len()];
    for sides in EdgeTable::of(mesh).edges() {
        if let [first, second] = sides
            && consistent(first, second)
            && coplanar(mesh, first, second, rounding)
        {
            sharp[first.triangle as usize][usize::from(first.corner)] = false;
            sharp[second.triangle as usize][usize::from(second.corner)] = false;
        }
    }
    sharp
}

/// Whether the two triangles are in one plane, on opposite sides of their common edge. The plane is that of the triangle with the larger
/// height over the edge, because its normal is more accurate. The apex of the other must not deviate from it by more than the tolerated
/// angle.
fn coplanar(mesh: &TriangleMesh, first: &EdgeUse, second: &EdgeUse, rounding: f64) -> bool {
    let start = mesh.vertices[first.edge[0] as usize];
    let along = mesh.vertices[first.edge[1] as usize] - start;
    let apex = |side: &EdgeUse| -> DVec3 {
        let corners = mesh.corners(side.triangle as usize);
        corners[(usize::from(side.corner) + 2) % 3] - start
    };
    let (apex_1, apex_2) = (apex(first), apex(second));
    let (across_1, across_2) = (along.cross(apex_1), along.cross(apex_2));
    if across_1.dot(across_2) >= 0.0 {
        return false;
    }
    let length = along.length();
    let (plane, low_apex, low_height) = if across_1.length_squared() >= across_2.length_squared() {
        (across_1, apex_2, across_2.length() / length)
    } else {
        (across_2, apex_1, across_1.length() / length)
    };
    let deviation = low_apex.dot(plane).abs() / plane.length();
    deviation <= COPLANAR * low_height + rounding
}
