//! PLY, binary and text, read by `serde-ply`: the coordinates of the vertices and the polygons of the faces.

use std::path::Path;

use glam::DVec3;
use serde::Deserialize;

use super::{ImportOptions, MeshError, geometry::Geometry};

/// The elements of a file that are part of a surface.
#[derive(Deserialize)]
struct Content {
    vertex: Vec<Vertex>,
    #[serde(default)]
    face: Vec<Face>,
}

#[derive(Deserialize)]
struct Vertex {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Deserialize)]
struct Face {
    #[serde(alias = "vertex_index")]
    vertex_indices: Vec<u32>,
}

/// Reads the content of the PLY file at `path`.
pub fn read(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Geometry, MeshError> {
    let invalid = |error: serde_ply::DeserializeError| MeshError::Invalid { path: path.into(), format: "a PLY file", reason: error.0.to_string() };
    let content: Content = serde_ply::from_bytes(bytes).map_err(invalid)?;
    let mut geometry = Geometry::default();
    for Vertex { x, y, z } in content.vertex {
        geometry.push_position(DVec3::new(x, y, z), path, options)?;
    }
    for Face { vertex_indices } in content.face {
        geometry.push_face(&vertex_indices, path)?;
    }
    Ok(geometry)
}
