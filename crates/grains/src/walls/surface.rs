//! The triangles of a body and the flat faces they form.

use glam::DVec3;
use plimsoll_shape::{
    Segmentation,
    topology::{DisjointSets, EdgeTable},
};

use super::closest::closest_point;

/// Triangles of a segmentation, in body coordinates.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    corners: Vec<[DVec3; 3]>,
    /// Flat face of each triangle: a set of triangles connected by edges at which the surface does not bend.
    faces: Vec<u32>,
}

impl Surface {
    pub fn of(segmentation: &Segmentation) -> Self {
        let mesh = &segmentation.mesh;
        let mut sets = DisjointSets::new(mesh.triangles.len());
        for sides in EdgeTable::of(mesh).edges() {
            if let [first, second] = sides
                && !segmentation.sharp_edges[first.triangle as usize][usize::from(first.corner)]
            {
                sets.join(first.triangle, second.triangle);
            }
        }
        let (faces, _) = sets.numbered();
        Self { corners: (0..mesh.triangles.len()).map(|index| mesh.corners(index)).collect(), faces }
    }

    pub fn face(&self, triangle: u32) -> u32 {
        self.faces[triangle as usize]
    }

    /// The point of a triangle closest to `point`, and whether it is inside the triangle.
    pub fn closest(&self, triangle: u32, point: DVec3) -> (DVec3, bool) {
        closest_point(self.corners[triangle as usize], point)
    }
}
