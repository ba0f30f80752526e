//! Convex hulls whose faces are whole polygons.

use glam::{DVec2, DVec3};
use parry3d_f64::shape::ConvexPolyhedron;
use plimsoll_base::math::OffsetLists;

use crate::polyhedron::{Edge, Polyhedron};

/// Vertices this close to the plane of a face, relative to the size of the hull, belong to it. Coordinates rounded to a hundred-thousandth of the size
/// need it, and a sphere of 1,280 triangles has no two faces within it.
const FLATNESS: f64 = 2e-5;
/// Cosine of the largest angle by which the normal of a face may change while triangles are merged.
const SAME_FACE: f64 = 0.999;

/// A convex polyhedron.
#[derive(Clone, Debug, Default)]
pub struct Hull {
    points: Vec<DVec3>,
    normals: Vec<DVec3>,
    offsets: Vec<f64>,
    face_vertices: OffsetLists,
    edges: Vec<Edge>,
    vertex_faces: OffsetLists,
    vertex_edges: OffsetLists,
}

/// A face while triangles are merged.
struct Face {
    normal: DVec3,
    vertices: Vec<u32>,
}

impl Hull {
    /// The hull of a polyhedron of the rigid-body library. That library merges only triangles within 10⁻⁴ rad; here coplanar ones are merged.
    pub fn new(polyhedron: &ConvexPolyhedron) -> Self {
        let points = polyhedron.points().to_vec();
        let faces = merged_faces(&points, &corners_of(polyhedron));
        Self::with_faces(points, faces)
    }

    fn with_faces(points: Vec<DVec3>, faces: Vec<Face>) -> Self {
        let count = points.len();
        let entries = || faces.iter().enumerate().flat_map(|(face, Face { vertices, .. })| vertices.iter().map(move |&v| (face as u32, v)));
        let mut hull = Self { points, ..Self::default() };
        hull.face_vertices.rebuild(faces.len(), entries());
        hull.vertex_faces.rebuild(count, entries().map(|(face, vertex)| (vertex, face)));
        hull.edges = edges_of(&faces);
        let ends = hull.edges.iter().enumerate().flat_map(|(edge, Edge { vertices, .. })| vertices.map(|vertex| (vertex, edge as u32)));
        hull.vertex_edges.rebuild(count, ends);
        hull.normals = faces.iter().map(|face| face.normal).collect();
        hull.offsets = (0..faces.len() as u32).map(|face| hull.highest_near(face)).collect();
        hull
    }

    /// The largest coordinate along the normal of a face, which no vertex but those of the adjacent faces can have.
    fn highest_near(&self, face: u32) -> f64 {
        let adjacent = self.face_vertices(face).iter().flat_map(|&vertex| self.faces_at(vertex));
        let vertices = adjacent.flat_map(|&other| self.face_vertices(other));
        highest(vertices.map(|&vertex| self.points[vertex as usize]), self.face_normal(face))
    }
}

impl Polyhedron for Hull {
    #[inline]
    fn points(&self) -> &[DVec3] {
        &self.points
    }

    #[inline]
    fn face_normal(&self, face: u32) -> DVec3 {
        self.normals[face as usize]
    }

    #[inline]
    fn face_offset(&self, face: u32) -> f64 {
        self.offsets[face as usize]
    }

    #[inline]
    fn face_vertices(&self, face: u32) -> &[u32] {
        self.face_vertices.of(face as usize)
    }

    #[inline]
    fn edge(&self, edge: u32) -> Edge {
        self.edges[edge as usize]
    }

    #[inline]
    fn faces_at(&self, vertex: u32) -> &[u32] {
        self.vertex_faces.of(vertex as usize)
    }

    #[inline]
    fn edges_at(&self, vertex: u32) -> &[u32] {
        self.vertex_edges.of(vertex as usize)
    }
}

fn highest(points: impl Iterator<Item = DVec3>, normal: DVec3) -> f64 {
    points.fold(f64::NEG_INFINITY, |high, point| high.max(point.dot(normal)))
}

/// The vertices of each face.
fn corners_of(polyhedron: &ConvexPolyhedron) -> Vec<&[u32]> {
    let corners = |first: u32, count: u32| &polyhedron.vertices_adj_to_face()[first as usize..(first + count) as usize];
    polyhedron.faces().iter().map(|face| corners(face.first_vertex_or_edge, face.num_vertices_or_edges)).collect()
}

/// Faces that contain all faces in the same plane, from the largest to the smallest.
fn merged_faces(points: &[DVec3], faces: &[&[u32]]) -> Vec<Face> {
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let flatness = FLATNESS * points.iter().fold(0.0_f64, |most, point| most.max(point.distance(middle)));
    let areas: Vec<DVec3> = faces.iter().map(|vertices| area_vector(points, vertices)).collect();
    let mut around = OffsetLists::new(points.len());
    around.rebuild(
        points.len(),
        faces.iter().enumerate().flat_map(|(face, vertices)| vertices.iter().map(move |&vertex| (vertex, face as u32))),
    );
    let mut order: Vec<usize> = (0..faces.len()).collect();
    order.sort_by(|&a, &b| areas[b].length_squared().total_cmp(&areas[a].length_squared()));
    let mut merged = vec![false; faces.len()];
    let mut result = Vec::new();
    for index in order {
        if std::mem::replace(&mut merged[index], true) {
            continue;
        }
        let Some(normal) = areas[index].try_normalize() else { continue };
        let mut face = Face { normal, vertices: faces[index].to_vec() };
        let level = highest(face.vertices.iter().map(|&vertex| points[vertex as usize]), normal) - 2.0 * flatness;
        let in_plane = |other: usize, normal: DVec3, level: f64| faces[other].iter().all(|&v| points[v as usize].dot(normal) >= level);
        // Most faces of a fine mesh have no neighbour in their plane.
        let mut neighbours = faces[index].iter().flat_map(|&vertex| around.of(vertex as usize)).map(|&other| other as usize);
        if neighbours.any(|other| other != index && in_plane(other, normal, level)) {
            face.grow(points, flatness);
            let level = highest(points.iter().copied(), face.normal) - 2.0 * flatness;
            for (other, merged) in merged.iter_mut().enumerate() {
                *merged |= in_plane(other, face.normal, level);
            }
        }
        result.push(face);
    }
    result
}

impl Face {
    /// Takes all points in the plane; twice, because the normal becomes more exact.
    fn grow(&mut self, points: &[DVec3], flatness: f64) {
        for _ in 0..2 {
            let level = highest(points.iter().copied(), self.normal) - flatness;
            let in_plane: Vec<u32> = (0..points.len() as u32).filter(|&v| points[v as usize].dot(self.normal) >= level).collect();
            let vertices = convex_polygon(points, &in_plane, self.normal);
            let Some(normal) = area_vector(points, &vertices).try_normalize() else { return };
            if normal.dot(self.normal) < SAME_FACE {
                return;
            }
            *self = Self { normal, vertices };
        }
    }
}

/// Twice the area of a polygon times its normal.
fn area_vector(points: &[DVec3], polygon: &[u32]) -> DVec3 {
    let Some((&first, others)) = polygon.split_first() else { return DVec3::ZERO };
    let arm = |vertex: u32| points[vertex as usize] - points[first as usize];
    others.windows(2).map(|pair| arm(pair[0]).cross(arm(pair[1]))).sum()
}

/// The convex hull of points in a plane, counterclockwise seen against `normal` (Andrew's monotone chain).
fn convex_polygon(points: &[DVec3], vertices: &[u32], normal: DVec3) -> Vec<u32> {
    let (u, v) = normal.any_orthonormal_pair();
    let flat = |vertex: u32| DVec2::new(points[vertex as usize].dot(u), points[vertex as usize].dot(v));
    let mut sorted: Vec<(DVec2, u32)> = vertices.iter().map(|&vertex| (flat(vertex), vertex)).collect();
    sorted.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut polygon: Vec<(DVec2, u32)> = Vec::with_capacity(sorted.len() + 1);
    let add = |polygon: &mut Vec<(DVec2, u32)>, at_least: usize, point: (DVec2, u32)| {
        let turns_right = |[a, b]: [DVec2; 2]| (b - a).perp_dot(point.0 - a) <= 0.0;
        while polygon.len() > at_least && turns_right([polygon[polygon.len() - 2].0, polygon[polygon.len() - 1].0]) {
            polygon.pop();
        }
        polygon.push(point);
    };
    sorted.iter().for_each(|&point| add(&mut polygon, 1, point));
    let lower = polygon.len();
    sorted.iter().rev().skip(1).for_each(|&point| add(&mut polygon, lower, point));
    polygon.pop();
    polygon.into_iter().map(|(_, vertex)| vertex).collect()
}

/// The edges between two faces, sorted by their vertices.
fn edges_of(faces: &[Face]) -> Vec<Edge> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::new();
    for (face, Face { vertices, .. }) in faces.iter().enumerate() {
        let next = vertices.iter().cycle().skip(1);
        sides.extend(vertices.iter().zip(next).map(|(&from, &to)| ([from, to], face as u32)));
    }
    sides.sort_unstable();
    let opposite = |[from, to]: [u32; 2]| sides.binary_search_by_key(&[to, from], |&(side, _)| side).ok().map(|found| sides[found].1);
    let upward = sides.iter().filter(|([from, to], _)| from < to);
    upward.filter_map(|&(vertices, face)| Some(Edge { vertices, faces: [face, opposite(vertices)?] })).collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use glam::DQuat;

    use super::*;

    /// Rounded coordinates divide the top of a prism into many triangles that are not quite in one plane.
    #[test]
    fn faces_of_rounded_coordinates_are_whole() {
        let turn = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, 0.7));
        let corner = |side: u32| {
            let (sin, cos) = (TAU * f64::from(side) / 128.0).sin_cos();
            [-0.5, 0.5].map(|level| turn.inverse() * ((turn * DVec3::new(0.5 * cos, level, 0.5 * sin) / 1e-5).round() * 1e-5))
        };
        let points: Vec<DVec3> = (0..128).flat_map(corner).collect();
        let polyhedron = ConvexPolyhedron::from_convex_hull(&points).expect("a hull");
        assert!(polyhedron.faces().len() > 200, "the library has {} faces", polyhedron.faces().len());
        let hull = Hull::new(&polyhedron);
        assert_eq!(hull.normals.len(), 130);
        let largest = (0..130).map(|face| hull.face_vertices(face).len()).max();
        assert_eq!(largest, Some(128));
    }
}
