//! Inside tests and signed distances to a surface.
//!
//! The sign comes from the pseudonormal at the feature (face, edge or vertex) of the closest point. It is correct for every position of the
//! closest point. The closest point is found with the bounding-volume tree of `parry`.

use glam::DVec3;
use parry3d_f64::{
    query::{PointQuery, PointQueryWithLocation},
    shape::{TriMesh, TriMeshFlags},
};
use plimsoll_base::math::Aabb;

use super::{TriangleMesh, pseudonormals::Pseudonormals};

/// Point queries against one mesh.
#[derive(Clone)]
pub struct InsideTest {
    aabb: Aabb,
    tree: TriMesh,
    pseudonormals: Pseudonormals,
}

impl InsideTest {
    /// For a closed mesh wound outward, all results are valid. For an open mesh, only [`InsideTest::distance`] and
    /// [`InsideTest::closest_point`] are valid.
    ///
    /// # Panics
    /// If the mesh has no triangles.
    pub fn new(mesh: &TriangleMesh) -> Self {
        // The pseudonormals of the library take three times as long.
        let tree = || TriMesh::with_flags(mesh.vertices.clone(), mesh.triangles.clone(), TriMeshFlags::empty());
        let (tree, pseudonormals) = rayon::join(tree, || Pseudonormals::of(mesh));
        let tree = tree.unwrap_or_else(|error| panic!("a mesh to be tested against has triangles: {error}"));
        Self { aabb: mesh.aabb(), tree, pseudonormals }
    }

    /// Whether `point` is in the solid or on its surface.
    pub fn contains(&self, point: DVec3) -> bool {
        self.aabb.contains(point) && self.project(point).1
    }

    /// Distance to the surface, negative inside; m.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        let (closest, is_inside) = self.project(point);
        let distance = point.distance(closest);
        if is_inside { -distance } else { distance }
    }

    /// Distance to the surface from either side, m; also for open meshes.
    pub fn distance(&self, point: DVec3) -> f64 {
        point.distance(self.closest_point(point))
    }

    /// The bounding-volume tree of the mesh.
    pub(super) fn tree(&self) -> &TriMesh {
        &self.tree
    }

    /// The point of the surface closest to `point`; also for open meshes.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        self.tree.project_local_point(point, false).point
    }

    /// The closest point, and whether `point` is behind the surface there.
    fn project(&self, point: DVec3) -> (DVec3, bool) {
        let (projection, (triangle, location)) = self.tree.project_local_point_and_get_location(point, false);
        let normal = self.pseudonormals.at(&self.tree, triangle, &location);
        (projection.point, (point - projection.point).dot(normal) <= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::Random;

    use super::*;

    /// The library's own pseudonormals give the same answers, bit by bit, also at vertices and edges and for a mesh with holes and folds.
    #[test]
    fn the_side_is_that_of_the_library() {
        let mut random = Random::new(8);
        let soup = TriangleMesh {
            vertices: (0..12).map(|_| random.point()).collect(),
            triangles: (0..40)
                .map(|_| [0; 3].map(|_| (12.0 * random.uniform()) as u32))
                .filter(|[a, b, c]| a != b && b != c && c != a)
                .collect(),
        };
        for mesh in [TriangleMesh::cuboid(DVec3::new(1.0, 0.7, 0.4)), TriangleMesh::basin(DVec3::ONE), soup] {
            let expected = TriMesh::with_flags(mesh.vertices.clone(), mesh.triangles.clone(), TriMeshFlags::ORIENTED).expect("triangles");
            let found = InsideTest::new(&mesh);
            let midpoints = mesh.triangles.iter().map(|&[a, b, _]| 0.5 * (mesh.vertices[a as usize] + mesh.vertices[b as usize]));
            let mut points: Vec<DVec3> = mesh.vertices.iter().copied().chain(midpoints).collect();
            for index in 0..points.len() {
                let near = points[index] + 1e-3 * (random.point() - 0.5);
                points.extend([near, 2.0 * random.point() - 0.5]);
            }
            for point in points {
                let projection = expected.project_local_point(point, false);
                assert_eq!(found.project(point), (projection.point, projection.is_inside), "{point}");
            }
        }
    }
}
