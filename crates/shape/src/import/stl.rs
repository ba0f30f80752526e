//! STL, binary and text, read by `stl_io`.
//!
//! The library takes every file that begins with `solid ` for text and stops after the first solid. Binary files are therefore recognized by
//! their length, and each solid of a text is read by itself.

use std::{io::Cursor, path::Path};

use glam::DVec3;

use super::{ImportOptions, MeshError, geometry::Geometry};

/// Bytes before the triangles of a binary file: a free header and their number.
const HEADER: usize = 84;
/// Bytes of a triangle.
const TRIANGLE: usize = 50;
const SOLID: &str = "solid";

/// Reads the content of the STL file at `path`.
pub fn read(path: &Path, mut bytes: Vec<u8>, options: &ImportOptions) -> Result<Geometry, MeshError> {
    let mut geometry = Geometry::default();
    let mut solids = Solids { path, options, geometry: &mut geometry };
    if is_binary(&bytes) {
        // A header that begins like a text would be taken for one.
        bytes[..SOLID.len()].fill(0);
        solids.read(bytes)?;
    } else {
        let text = String::from_utf8_lossy(&bytes);
        for (name, solid) in split(&text) {
            solids.geometry.begin_object(name);
            solids.read(solid.into_bytes())?;
        }
    }
    Ok(geometry)
}

/// Whether the file has the length that its number of triangles requires, or does not begin like a text.
fn is_binary(bytes: &[u8]) -> bool {
    let Some(count) = bytes.get(HEADER - 4..HEADER) else { return false };
    let count = u32::from_le_bytes(count.try_into().expect("four bytes"));
    let expected = HEADER as u64 + TRIANGLE as u64 * u64::from(count);
    bytes.len() as u64 == expected || !bytes.trim_ascii_start().starts_with(SOLID.as_bytes())
}

/// The name and the text of each solid, which begins as the library expects it.
fn split(text: &str) -> Vec<(&str, String)> {
    let mut solids: Vec<(&str, String)> = Vec::new();
    for line in text.lines().map(str::trim) {
        match line.strip_prefix(SOLID) {
            Some(name) => solids.push((name.trim(), format!("{SOLID} {}\n", name.trim()))),
            None => {
                if let Some((_, solid)) = solids.last_mut() {
                    solid.push_str(line);
                    solid.push('\n');
                }
            }
        }
    }
    solids
}

struct Solids<'a> {
    path: &'a Path,
    options: &'a ImportOptions,
    geometry: &'a mut Geometry,
}

impl Solids<'_> {
    fn read(&mut self, bytes: Vec<u8>) -> Result<(), MeshError> {
        let invalid =
            |source: std::io::Error| MeshError::Invalid { path: self.path.into(), format: "an STL file", reason: source.to_string() };
        let mesh = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(invalid)?;
        let first = self.geometry.positions.len();
        for vertex in &mesh.vertices {
            self.geometry.push_position(DVec3::from_array(vertex.0.map(f64::from)), self.path, self.options)?;
        }
        for face in &mesh.faces {
            self.geometry.push_face(&face.vertices.map(|vertex| (first + vertex) as u32), self.path)?;
        }
        Ok(())
    }
}
