//! Overlap of bodies at the start of a simulation.

use glam::DVec3;
use plimsoll_base::math::{Domain, Pose};
use plimsoll_shape::{BoxTree, Obstacle, TriangleMesh};

/// Depth of overlap that is attributed to rounding, as a share of a body's size, so that a body may rest on another.
const CONTACT_TOLERANCE: f64 = 1e-6;

/// A body at its pose at the start.
pub struct PlacedSolid<'a> {
    /// Body coordinates.
    pub mesh: &'a TriangleMesh,
    /// Body to world.
    pub pose: Pose,
    /// Whether the mesh has an inside.
    pub closed: bool,
    /// Whether the body floats.
    pub floating: bool,
    /// The mesh at its pose.
    pub obstacle: &'a Obstacle,
}

/// Pairs of a floating body and another body that overlap, or whose periodic images in `domain` do, as indices. Two floating bodies are one
/// pair, the later one first.
pub fn overlapping_pairs(solids: &[PlacedSolid], domain: &Domain) -> Vec<[usize; 2]> {
    let tree = BoxTree::new(solids.iter().map(|solid| solid.obstacle.aabb()));
    let mut pairs = Vec::new();
    for (index, body) in solids.iter().enumerate().filter(|(_, body)| body.floating) {
        let mesh = shrunk(&body.in_world());
        let images: Vec<Obstacle> =
            domain.images().map(|image| Obstacle::new(&mesh, Pose::from_translation(domain.shift(image)), body.closed)).collect();
        for other_index in tree.overlapping(images.iter().map(Obstacle::aabb)) {
            let other = &solids[other_index];
            let seen = other_index == index || other.floating && other_index > index;
            if !seen && images.iter().any(|image| image.overlaps(other.obstacle)) {
                pairs.push([index, other_index]);
            }
        }
    }
    pairs
}

impl PlacedSolid<'_> {
    fn in_world(&self) -> TriangleMesh {
        let mut mesh = self.mesh.clone();
        for vertex in &mut mesh.vertices {
            *vertex = self.pose.transform_point(*vertex);
        }
        mesh
    }
}

/// The mesh with its vertices moved inwards by the contact tolerance.
fn shrunk(mesh: &TriangleMesh) -> TriangleMesh {
    let mut normals = vec![DVec3::ZERO; mesh.vertices.len()];
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = mesh.corners(index);
        for &vertex in triangle {
            normals[vertex as usize] += (b - a).cross(c - a);
        }
    }
    let distance = CONTACT_TOLERANCE * mesh.aabb().extent().length();
    let inwards = mesh.vertices.iter().zip(&normals).map(|(&vertex, normal)| vertex - distance * normal.normalize_or_zero());
    TriangleMesh { vertices: inwards.collect(), triangles: mesh.triangles.clone() }
}
