//! A triangle as a polyhedron without thickness.

use glam::DVec3;

use crate::polyhedron::{Edge, Polyhedron};

/// Faces: the front (0), the back (1), and a side of two vertices at each edge (2, 3, 4). Each edge counts twice, between its side and the
/// front, and between its side and the back.
#[derive(Clone, Debug)]
pub(crate) struct Triangle {
    points: [DVec3; 3],
    normals: [DVec3; 5],
}

const FACES: [&[u32]; 5] = [&[0, 1, 2], &[0, 2, 1], &[0, 1], &[1, 2], &[2, 0]];
const EDGES: [Edge; 6] = [
    Edge { vertices: [0, 1], faces: [0, 2] },
    Edge { vertices: [1, 2], faces: [0, 3] },
    Edge { vertices: [2, 0], faces: [0, 4] },
    Edge { vertices: [0, 1], faces: [2, 1] },
    Edge { vertices: [1, 2], faces: [3, 1] },
    Edge { vertices: [2, 0], faces: [4, 1] },
];
const FACES_AT: [&[u32]; 3] = [&[0, 1, 2, 4], &[0, 1, 2, 3], &[0, 1, 3, 4]];
const EDGES_AT: [&[u32]; 3] = [&[0, 2, 3, 5], &[0, 1, 3, 4], &[1, 2, 4, 5]];

impl Triangle {
    /// The triangle with these corners, unless it has no area.
    pub fn new(points: [DVec3; 3]) -> Option<Self> {
        let [a, b, c] = points;
        let normal = (b - a).cross(c - a).try_normalize()?;
        let side = |from: DVec3, to: DVec3| (to - from).cross(normal).normalize_or_zero();
        Some(Self { points, normals: [normal, -normal, side(a, b), side(b, c), side(c, a)] })
    }

    /// The unit normal of the front.
    pub fn normal(&self) -> DVec3 {
        self.normals[0]
    }

    /// The outward unit normals of the three sides in the plane of the triangle.
    pub fn sides(&self) -> [DVec3; 3] {
        [self.normals[2], self.normals[3], self.normals[4]]
    }
}

impl Polyhedron for Triangle {
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
        let normal = self.normals[face as usize];
        self.points.iter().fold(f64::NEG_INFINITY, |high, point| high.max(point.dot(normal)))
    }

    #[inline]
    fn face_vertices(&self, face: u32) -> &[u32] {
        FACES[face as usize]
    }

    #[inline]
    fn edge(&self, edge: u32) -> Edge {
        EDGES[edge as usize]
    }

    #[inline]
    fn faces_at(&self, vertex: u32) -> &[u32] {
        FACES_AT[vertex as usize]
    }

    #[inline]
    fn edges_at(&self, vertex: u32) -> &[u32] {
        EDGES_AT[vertex as usize]
    }
}
