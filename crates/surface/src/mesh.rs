//! A reconstructed surface.

/// A surface, closed unless cut off at periodic ends; triangles are counterclockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// m
    pub vertices: Vec<[f32; 3]>,
    /// Unit outward normals, one per vertex.
    pub normals: Vec<[f32; 3]>,
    /// Velocities of the fluid, m/s, one per vertex; absent if the particles have no field `velocity`.
    pub velocities: Option<Vec<[f32; 3]>>,
    /// Three vertices per triangle.
    pub triangles: Vec<[u32; 3]>,
}
