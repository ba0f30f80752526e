//! A convex polyhedron as the search for contacts sees it.

use glam::DVec3;

/// Vertices, faces and edges of a convex polyhedron in its own frame, all by number.
pub(crate) trait Polyhedron {
    /// Positions of the vertices.
    fn points(&self) -> &[DVec3];

    /// Outward unit normal of a face.
    fn face_normal(&self, face: u32) -> DVec3;

    /// The largest coordinate of any vertex along the normal of a face.
    fn face_offset(&self, face: u32) -> f64;

    /// Vertices of a face, counterclockwise seen from outside.
    fn face_vertices(&self, face: u32) -> &[u32];

    /// Vertices and adjacent faces of an edge.
    fn edge(&self, edge: u32) -> Edge;

    /// Faces at a vertex.
    fn faces_at(&self, vertex: u32) -> &[u32];

    /// Edges at a vertex.
    fn edges_at(&self, vertex: u32) -> &[u32];
}

/// An edge of a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub vertices: [u32; 2],
    pub faces: [u32; 2],
}

/// The vertices within some distance of a plane.
#[derive(Debug, Default)]
pub(crate) struct NearVertices {
    numbers: Vec<u32>,
    is_near: Vec<bool>,
}

impl NearVertices {
    /// Selects those of `points` for which `near` holds.
    pub fn select(&mut self, points: &[DVec3], near: impl Fn(DVec3) -> bool) {
        self.numbers.clear();
        self.is_near.clear();
        for (number, &point) in points.iter().enumerate() {
            let is_near = near(point);
            self.is_near.push(is_near);
            if is_near {
                self.numbers.push(number as u32);
            }
        }
    }

    /// The selected vertices in ascending order.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Replaces `faces` by those with a selected vertex, each once.
    pub fn faces(&self, polyhedron: &impl Polyhedron, faces: &mut Vec<u32>) {
        faces.clear();
        for &vertex in &self.numbers {
            let first = |face: u32| polyhedron.face_vertices(face).iter().find(|&&other| self.is_near[other as usize]) == Some(&vertex);
            faces.extend(polyhedron.faces_at(vertex).iter().copied().filter(|&face| first(face)));
        }
    }

    /// Replaces `edges` by those with a selected vertex, each once.
    pub fn edges(&self, polyhedron: &impl Polyhedron, edges: &mut Vec<u32>) {
        edges.clear();
        for &vertex in &self.numbers {
            let first = |edge: u32| {
                let [a, _] = polyhedron.edge(edge).vertices;
                a == vertex || !self.is_near[a as usize]
            };
            edges.extend(polyhedron.edges_at(vertex).iter().copied().filter(|&edge| first(edge)));
        }
    }
}
