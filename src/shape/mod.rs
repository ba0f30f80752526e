//! Triangle meshes and what is known of them before anything moves.

mod mesh;

pub use mesh::TriangleMesh;
