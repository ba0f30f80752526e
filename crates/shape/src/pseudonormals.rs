//! Angle-weighted pseudonormals of a closed mesh.
//!
//! A point is outside if it is in front of the pseudonormal of the feature (face, edge or vertex) that is closest to it (Bærentzen & Aanæs
//! 2005, Signed distance computation using the angle weighted pseudonormal, IEEE TVCG 11, 243-253).

use glam::DVec3;
use parry3d_f64::shape::{TriMesh, TrianglePointLocation};
use rayon::prelude::*;

use super::{TriangleMesh, topology::EdgeTable};

/// The pseudonormals of a mesh, not normalized.
#[derive(Clone)]
pub struct Pseudonormals {
    /// The sum of the normals of the triangles at each vertex, weighted by their angles there.
    vertices: Vec<DVec3>,
    /// For each triangle, the sum of the normals of the triangles at each of its edges; edge k is from corner k to the next.
    edges: Vec<[DVec3; 3]>,
}

impl Pseudonormals {
    /// Computes the pseudonormals of `mesh`.
    pub fn of(mesh: &TriangleMesh) -> Self {
        let normals: Vec<Option<DVec3>> = (0..mesh.triangles.len()).into_par_iter().map(|index| normal(mesh.corners(index))).collect();
        let (vertices, edges) = rayon::join(|| at_vertices(mesh, &normals), || at_edges(mesh, &normals));
        Self { vertices, edges }
    }

    /// The pseudonormal at a `location` on triangle `index` of the mesh, given as `tree`.
    pub fn at(&self, tree: &TriMesh, index: u32, location: &TrianglePointLocation) -> DVec3 {
        match *location {
            TrianglePointLocation::OnVertex(corner) => self.vertices[tree.indices()[index as usize][corner as usize] as usize],
            TrianglePointLocation::OnEdge(edge, _) => self.edges[index as usize][edge as usize],
            TrianglePointLocation::OnFace(..) | TrianglePointLocation::OnSolid => tree.triangle(index).scaled_normal(),
        }
    }
}

/// Unit normal of a triangle; `None` if its area is zero.
fn normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    (b - a).cross(c - a).try_normalize()
}

fn at_vertices(mesh: &TriangleMesh, normals: &[Option<DVec3>]) -> Vec<DVec3> {
    let angles: Vec<[f64; 3]> = (0..mesh.triangles.len()).into_par_iter().map(|index| angles(mesh.corners(index))).collect();
    let mut sums = vec![DVec3::ZERO; mesh.vertices.len()];
    for ((triangle, normal), angles) in mesh.triangles.iter().zip(normals).zip(&angles) {
        let Some(normal) = normal else { continue };
        for (&vertex, &angle) in triangle.iter().zip(angles) {
            sums[vertex as usize] += normal * angle;
        }
    }
    sums
}

fn at_edges(mesh: &TriangleMesh, normals: &[Option<DVec3>]) -> Vec<[DVec3; 3]> {
    let mut edges = vec![[DVec3::ZERO; 3]; mesh.triangles.len()];
    for sides in EdgeTable::of(mesh).edges() {
        let sum = sides.iter().filter_map(|side| normals[side.triangle as usize]).fold(DVec3::ZERO, |sum, normal| sum + normal);
        for side in sides {
            edges[side.triangle as usize][usize::from(side.corner)] = sum;
        }
    }
    edges
}

/// The angles at the corners of a triangle, rad.
fn angles([a, b, c]: [DVec3; 3]) -> [f64; 3] {
    [angle(b - a, c - a), angle(a - b, c - b), angle(b - c, a - c)]
}

fn angle(one: DVec3, other: DVec3) -> f64 {
    let lengths = one.length() * other.length();
    if lengths > 0.0 { (one.dot(other) / lengths).clamp(-1.0, 1.0).acos() } else { 0.0 }
}
