//! Inside tests and signed distances to a surface.
//!
//! The sign comes from the angle-weighted pseudonormal at the feature (face, edge or vertex) of the closest point. It is correct for every
//! position of the closest point (Bærentzen & Aanæs 2005, Signed distance computation using the angle weighted pseudonormal, IEEE TVCG 11,
//! 243-253). The closest point is found with the bounding-volume tree of `parry`.

use glam::DVec3;
use rapier3d_f64::parry::{
    query::PointQuery,
    shape::{TriMesh, TriMeshFlags},
};

use super::TriangleMesh;

/// Point queries against one mesh.
#[derive(Clone)]
pub struct InsideTest {
    tree: TriMesh,
}

impl InsideTest {
    /// For a closed mesh wound outward, all results are valid. For an open mesh, only [`InsideTest::distance`] and
    /// [`InsideTest::closest_point`] are valid.
    ///
    /// # Panics
    /// If the mesh has no triangles.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let tree = TriMesh::with_flags(mesh.vertices.clone(), mesh.triangles.clone(), TriMeshFlags::ORIENTED);
        Self { tree: tree.unwrap_or_else(|error| panic!("a mesh to be tested against has triangles: {error}")) }
    }

    /// Whether `point` is in the solid or on its surface.
    pub fn contains(&self, point: DVec3) -> bool {
        self.tree.local_aabb().contains_local_point(point) && self.tree.project_local_point(point, false).is_inside
    }

    /// Distance to the surface, negative inside; m.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        let projection = self.tree.project_local_point(point, false);
        let distance = point.distance(projection.point);
        if projection.is_inside { -distance } else { distance }
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
}
