//! The surface of a body that water can reach, with its edges.

use glam::DVec3;
use plimsoll_base::math::Aabb;

use crate::{TriangleMesh, orientation::enclosed_triangles, topology::EdgeTable};

/// The outermost components of a closed mesh.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub mesh: TriangleMesh,
    /// The two vertices and the two triangles of each edge.
    pub edges: Vec<SurfaceEdge>,
    /// Edges of each triangle; edge k is from corner k to corner k + 1.
    pub triangle_edges: Vec<[u32; 3]>,
    /// A triangle at each vertex.
    pub vertex_triangles: Vec<u32>,
    pub aabb: Aabb,
}

/// An edge of a closed surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceEdge {
    pub ends: [u32; 2],
    pub triangles: [u32; 2],
}

impl Surface {
    /// The outer surface of `mesh`, of which every edge has two triangles.
    pub fn of(mesh: &TriangleMesh) -> Self {
        let mesh = outer_mesh(mesh);
        let mut triangle_edges = vec![[0; 3]; mesh.triangles.len()];
        let mut edges = Vec::with_capacity(3 * mesh.triangles.len() / 2);
        for sides in EdgeTable::of(&mesh).edges() {
            for side in sides {
                triangle_edges[side.triangle as usize][usize::from(side.corner)] = edges.len() as u32;
            }
            edges.push(SurfaceEdge { ends: sides[0].edge, triangles: [sides[0].triangle, sides[1].triangle] });
        }
        let mut vertex_triangles = vec![0; mesh.vertices.len()];
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            triangle.iter().for_each(|&vertex| vertex_triangles[vertex as usize] = index as u32);
        }
        Self { aabb: mesh.aabb(), mesh, edges, triangle_edges, vertex_triangles }
    }

    /// Length of the diagonal of the bounding box, m.
    pub fn diagonal(&self) -> f64 {
        self.aabb.extent().length()
    }

    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.mesh.corners(triangle)
    }
}

/// The triangles that are not enclosed by another closed component, with their vertices.
fn outer_mesh(mesh: &TriangleMesh) -> TriangleMesh {
    let enclosed = enclosed_triangles(mesh);
    let mut places = vec![u32::MAX; mesh.vertices.len()];
    let mut outer = TriangleMesh::default();
    for (triangle, _) in mesh.triangles.iter().zip(&enclosed).filter(|&(_, &enclosed)| !enclosed) {
        outer.triangles.push(triangle.map(|vertex| {
            let place = &mut places[vertex as usize];
            if *place == u32::MAX {
                *place = outer.vertices.len() as u32;
                outer.vertices.push(mesh.vertices[vertex as usize]);
            }
            *place
        }));
    }
    outer
}
