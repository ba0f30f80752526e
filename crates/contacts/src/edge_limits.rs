//! Along which normals a triangle of a mesh may push.
//!
//! Where two triangles meet in a plane or a hollow, a body that slides over the edge must not be pushed back by the edge. Where they meet at a
//! ridge, or where a sheet ends, the edge pushes along any normal in the free wedge. Sheets push to both sides, closed surfaces outward.

use std::{
    collections::HashMap,
    f64::consts::{FRAC_PI_2, PI, TAU},
};

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_shape::{
    BoxTree, TriangleMesh,
    topology::{DisjointSets, EdgeTable, EdgeUse},
};

use crate::triangle::Triangle;

/// By how much a normal may exceed a limit, rad: rounding of the vertices.
const TOLERANCE: f64 = 1e-6;

/// The largest tilt of a contact normal from the normals of a triangle beyond each of its edges, rad: half the free wedge at a ridge, π at the end of a
/// sheet, zero where another triangle continues.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TriangleLimits {
    front: [f64; 3],
    back: [f64; 3],
    /// Whether the triangle pushes away from its back, too.
    pub two_sided: bool,
}

impl TriangleLimits {
    /// Whether the only normal is that of the front or, `from_behind`, of the back.
    pub fn is_flat(&self, from_behind: bool) -> bool {
        let (near, far) = if from_behind { (self.back, self.front) } else { (self.front, self.back) };
        near.iter().all(|&limit| limit <= TOLERANCE) && far.iter().all(|&limit| limit <= FRAC_PI_2 + TOLERANCE)
    }

    /// Whether the triangle may push along `direction`.
    pub fn allow(&self, triangle: &Triangle, direction: DVec3) -> bool {
        let upward = direction.dot(triangle.normal());
        if !self.two_sided && upward < -TOLERANCE {
            return false;
        }
        triangle.sides().into_iter().enumerate().all(|(side, outward)| {
            let beyond = direction.dot(outward);
            beyond <= TOLERANCE
                || beyond.atan2(upward) <= self.front[side] + TOLERANCE
                || beyond.atan2(-upward) <= self.back[side] + TOLERANCE
        })
    }
}

/// The limits of all triangles of a mesh.
pub(crate) fn limits_of(mesh: &TriangleMesh) -> Vec<TriangleLimits> {
    let mesh = welded(mesh);
    let edges = EdgeTable::of(&mesh);
    let free: Vec<EdgeUse> = edges.edges().filter_map(|uses| <[EdgeUse; 1]>::try_from(uses).ok()).map(|[only]| only).collect();
    let continued = continued_by(&mesh, &free);
    let mut limits = vec![TriangleLimits::default(); mesh.triangles.len()];
    let mut surfaces = DisjointSets::new(mesh.triangles.len());
    let mut ends = Vec::new();
    let mut free_number = 0;
    for uses in edges.edges() {
        let mut around = uses.to_vec();
        if uses.len() == 1 {
            around.extend(continued[free_number].iter().map(|&other| free[other]));
            free_number += 1;
        }
        if around.len() == 1 {
            ends.push(uses[0].triangle);
        }
        around.windows(2).for_each(|pair| surfaces.join(pair[0].triangle, pair[1].triangle));
        for own in uses {
            let wedges = free_wedges(&mesh, own, &around);
            let [front, back] = wedges.map(|wedge| (wedge - PI).max(0.0));
            let limits = &mut limits[own.triangle as usize];
            (limits.front[usize::from(own.corner)], limits.back[usize::from(own.corner)]) = (front, back);
        }
    }
    let mut is_open = vec![false; mesh.triangles.len()];
    ends.into_iter().for_each(|triangle| is_open[surfaces.root(triangle) as usize] = true);
    for (number, limits) in limits.iter_mut().enumerate() {
        limits.two_sided = is_open[surfaces.root(number as u32) as usize];
    }
    limits
}

/// The mesh with vertices at the same place made one.
fn welded(mesh: &TriangleMesh) -> TriangleMesh {
    let mut first: HashMap<[u64; 3], u32> = HashMap::new();
    // The sum turns negative zeros into positive ones.
    let key = |vertex: DVec3| (vertex + DVec3::ZERO).to_array().map(f64::to_bits);
    let one_of: Vec<u32> =
        mesh.vertices.iter().enumerate().map(|(number, &vertex)| *first.entry(key(vertex)).or_insert(number as u32)).collect();
    let triangles = mesh.triangles.iter().map(|triangle| triangle.map(|vertex| one_of[vertex as usize])).collect();
    TriangleMesh { vertices: mesh.vertices.clone(), triangles }
}

/// For each of the free edges, the others that continue the surface because they overlap it in one line (T-junctions).
fn continued_by(mesh: &TriangleMesh, free: &[EdgeUse]) -> Vec<Vec<usize>> {
    let ends = |edge: &EdgeUse| edge.edge.map(|vertex| mesh.vertices[vertex as usize]);
    let bounds = |edge: &EdgeUse| Aabb::around(ends(edge));
    let tree = BoxTree::new(free.iter().map(bounds));
    let others = |edge: &EdgeUse| {
        let [from, to] = ends(edge);
        let length = from.distance(to);
        let along = (to - from) / length;
        let overlaps = |other: &EdgeUse| {
            let [a, b] = ends(other).map(|point| point - from);
            let [x, y] = [a, b].map(|arm| arm.dot(along));
            let off_line = (a - x * along).length().max((b - y * along).length());
            off_line < TOLERANCE * length && x.max(y) > TOLERANCE * length && x.min(y) < (1.0 - TOLERANCE) * length
        };
        let near = tree.overlapping([bounds(edge).inflated(TOLERANCE * length)]);
        near.into_iter().filter(|&other| free[other].edge != edge.edge && overlaps(&free[other])).collect()
    };
    free.iter().map(others).collect()
}

/// The angles from a triangle about one of its edges to the next triangle, on its front and on its back.
fn free_wedges(mesh: &TriangleMesh, own: &EdgeUse, around: &[EdgeUse]) -> [f64; 2] {
    let [from, to] = own.edge.map(|vertex| mesh.vertices[vertex as usize]);
    let along = (to - from).normalize_or_zero();
    let inward = |edge: &EdgeUse| {
        let apex = mesh.triangles[edge.triangle as usize][(usize::from(edge.corner) + 2) % 3];
        let arm = mesh.vertices[apex as usize] - from;
        (arm - arm.dot(along) * along).normalize_or_zero()
    };
    let [a, b, c] = mesh.corners(own.triangle as usize);
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let start = inward(own);
    let mut wedges = [TAU; 2];
    for other in around.iter().filter(|other| (other.triangle, other.corner) != (own.triangle, own.corner)) {
        let direction = inward(other);
        let angle = direction.dot(normal).atan2(direction.dot(start)).rem_euclid(TAU);
        wedges = [wedges[0].min(angle), wedges[1].min(TAU - angle)];
    }
    wedges
}
