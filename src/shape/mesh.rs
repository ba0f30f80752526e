//! Triangle mesh: welded vertices and the triangles over them.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::math::Aabb;

/// Triangles over shared vertices, wound counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriangleMesh {
    /// Metres.
    pub vertices: Vec<DVec3>,
    /// Three vertex indices each.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// The corners of triangle `index`.
    pub fn corners(&self, index: usize) -> [DVec3; 3] {
        self.triangles[index].map(|vertex| self.vertices[vertex as usize])
    }

    pub fn aabb(&self) -> Aabb {
        Aabb::around(self.vertices.iter().copied())
    }
}
