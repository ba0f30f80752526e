//! PLY, binary and text, read by `serde-ply`: the coordinates of the vertices and the polygons of the faces.

mod header;

use std::{
    io::{ErrorKind, Read},
    path::Path,
};

use glam::DVec3;
use serde::Deserialize;
use serde_ply::{DeserializeError, ElementDef, PlyReader};

use super::{ImportOptions, MeshError, geometry::Geometry};
use header::Content;

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
    let Content { header, body } = Content::split(bytes).ok_or_else(|| refused("it has no line `end_header`".into()))?;
    let content = header.as_bytes().chain(&*body);
    let mut reader = PlyReader::from_reader(content).map_err(|error| refused(error.0.to_string()))?;
    let (mut vertices, mut faces): (Vec<Vertex>, Vec<Face>) = (Vec::new(), Vec::new());
    while let Some(element) = reader.current_element().cloned() {
        let ElementDef { name, properties, .. } = &element;
        // Its rows have no bytes, so that their number could be any.
        if properties.is_empty() {
            return Err(refused(format!("element {name} has no properties")));
        }
        let invalid = |error| refused(describe(&element, error));
        match name.as_str() {
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

/// What is wrong with the rows of an element.
fn describe(ElementDef { name, count, .. }: &ElementDef, DeserializeError(error): DeserializeError) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => format!("its header counts {count} rows of element {name}, and the file ends before the last of them"),
        _ => format!("element {name}: {error}"),
    }
}
