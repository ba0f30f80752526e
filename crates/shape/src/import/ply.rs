//! PLY, binary and text, read by `serde-ply`: the coordinates of the vertices and the polygons of the faces.

use std::path::Path;

use glam::DVec3;
use serde::Deserialize;
use serde_ply::{DeserializeError, PlyReader};

use super::{ImportOptions, MeshError, geometry::Geometry};

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

/// A row of an element that is not part of a surface.
#[derive(Deserialize)]
struct Skipped {}

/// Reads the content of the PLY file at `path`.
pub fn read(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Geometry, MeshError> {
    let refused = |reason: String| MeshError::Invalid { path: path.into(), format: "a PLY file", reason };
    let invalid = |error: DeserializeError| refused(error.0.to_string());
    let mut reader = PlyReader::from_reader(bytes).map_err(invalid)?;
    let (mut vertices, mut faces): (Vec<Vertex>, Vec<Face>) = (Vec::new(), Vec::new());
    while let Some(element) = reader.current_element() {
        // Its rows have no bytes, so that their number could be any.
        if element.properties.is_empty() {
            return Err(refused(format!("element {} has no properties", element.name)));
        }
        match element.name.clone().as_str() {
            "vertex" => vertices.append(&mut reader.next_element().map_err(invalid)?),
            "face" => faces.append(&mut reader.next_element().map_err(invalid)?),
            _ => drop(reader.next_element::<Vec<Skipped>>().map_err(invalid)?),
        }
    }
    let mut geometry = Geometry::default();
    for Vertex { x, y, z } in vertices {
        geometry.push_position(DVec3::new(x, y, z), path, options)?;
    }
    for Face { vertex_indices } in faces {
        geometry.push_face(&vertex_indices, path)?;
    }
    Ok(geometry)
}
