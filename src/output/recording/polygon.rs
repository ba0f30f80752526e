//! Frames read back from the binary polygon files (`.ply`) that runs write.

use std::{fs, path::Path};

use super::{
    bodies::{BodySurface, split_bodies},
    error::RecordingError,
};
use crate::{
    frame::{Field, FieldValues, ParticleFrame},
    output::file::OutputError,
};

const END_OF_HEADER: &[u8] = b"end_header\n";
/// One byte for the number of corners, three corners, the body.
const FACE_BYTES: usize = 1 + 3 * 4 + 4;

/// Particles with all their fields in the order of the file; three reals that are the axes of one name are a vector. Radius 0.
pub fn read_particles(path: &Path) -> Result<ParticleFrame, RecordingError> {
    let file = PolygonFile::read(path)?;
    let mut fields = Vec::new();
    let mut column = 3;
    while let Some(property) = file.properties.get(column) {
        let next: Vec<&str> = file.properties[column..].iter().take(3).map(|property| property.name.as_str()).collect();
        let vector = vector_name(&next);
        let (name, values) = match vector {
            Some(name) => (name, FieldValues::Vector(file.rows(column, f32::from_le_bytes))),
            None if property.is_real => (
                property.name.clone(),
                FieldValues::Scalar(file.rows(column, f32::from_le_bytes).into_iter().map(|[value]| value).collect()),
            ),
            None => (
                property.name.clone(),
                FieldValues::Integer(file.rows(column, u32::from_le_bytes).into_iter().map(|[value]| value).collect()),
            ),
        };
        column += if matches!(values, FieldValues::Vector(_)) { 3 } else { 1 };
        fields.push(Field { name: name.into(), values });
    }
    Ok(ParticleFrame { radius: 0.0, positions: file.rows(0, f32::from_le_bytes), fields })
}

/// The surfaces of all bodies, world coordinates; velocities, forces and torques are not in the file.
pub fn read_bodies(path: &Path) -> Result<Vec<BodySurface>, RecordingError> {
    let file = PolygonFile::read(path)?;
    let vertices: Vec<[f32; 3]> = file.rows(0, f32::from_le_bytes);
    let (mut triangles, mut owners) = (Vec::new(), Vec::new());
    for face in file.faces().chunks_exact(FACE_BYTES) {
        let word = |start: usize| u32::from_le_bytes(std::array::from_fn(|byte| face[start + byte]));
        let triangle = [1, 5, 9].map(word);
        if face[0] != 3 || triangle.iter().any(|&vertex| vertex as usize >= vertices.len()) {
            let found = format!("a face of {} corners {triangle:?} over {} vertices", face[0], vertices.len());
            return Err(RecordingError::Malformed { path: path.to_owned(), found, expected: "triangles over the vertices" });
        }
        triangles.push(triangle);
        owners.push(word(13));
    }
    Ok(split_bodies(&vertices, &triangles, &owners))
}

/// The vector of which `names` are the three components, if they are.
fn vector_name(names: &[&str]) -> Option<String> {
    let [x, y, z] = names else { return None };
    if [*x, *y, *z] == ["vx", "vy", "vz"] {
        return Some("velocity".to_owned());
    }
    let name = x.strip_suffix("_x")?;
    (y.strip_suffix("_y") == Some(name) && z.strip_suffix("_z") == Some(name)).then(|| name.to_owned())
}

/// A vertex property, four bytes wide.
struct Property {
    name: String,
    /// 32-bit real, if not an unsigned integer.
    is_real: bool,
}

struct PolygonFile {
    bytes: Vec<u8>,
    /// Where the vertices begin.
    start: usize,
    vertices: usize,
    properties: Vec<Property>,
}

impl PolygonFile {
    fn read(path: &Path) -> Result<Self, RecordingError> {
        let bytes = fs::read(path).map_err(|error| OutputError::new(path, "read", error))?;
        let malformed = |found: &str, expected| RecordingError::Malformed { path: path.to_owned(), found: found.to_owned(), expected };
        let Some(end) = bytes.windows(END_OF_HEADER.len()).position(|window| window == END_OF_HEADER) else {
            return Err(RecordingError::cut_short(path, "the header of a PLY file up to end_header"));
        };
        let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = header.lines();
        if [lines.next(), lines.next()] != [Some("ply"), Some("format binary_little_endian 1.0")] {
            return Err(malformed("another beginning", "a PLY file, binary_little_endian 1.0"));
        }
        let (mut vertices, mut faces, mut properties) = (0_usize, None, Vec::new());
        for line in lines {
            let number = |text: &str| text.parse().map_err(|_| malformed(line, "a number of elements"));
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["element", "vertex", count] => vertices = number(count)?,
                ["element", "face", count] => faces = Some(number(count)?),
                ["property", kind @ ("float" | "uint"), name] if faces.is_none() => {
                    properties.push(Property { name: name.to_owned(), is_real: kind == "float" });
                }
                ["property", "list", "uchar", "uint", "vertex_indices"] | ["property", "uint", "body"] if faces.is_some() => {}
                _ => return Err(malformed(line, "what a run writes into the header")),
            }
        }
        let file = Self { start: end + END_OF_HEADER.len(), vertices, properties, bytes };
        if !file.properties.iter().take(3).map(|property| property.name.as_str()).eq(["x", "y", "z"]) {
            return Err(malformed("other properties", "vertices that begin with x, y and z"));
        }
        let length =
            vertices.checked_mul(file.row_bytes()).and_then(|length| length.checked_add(faces.unwrap_or(0).checked_mul(FACE_BYTES)?));
        if length != Some(file.bytes.len() - file.start) {
            let found = format!("{} bytes after the header", file.bytes.len() - file.start);
            let expected = "as many as the header's elements take (a file cut short?)";
            return Err(RecordingError::Malformed { path: path.to_owned(), found, expected });
        }
        Ok(file)
    }

    fn row_bytes(&self) -> usize {
        4 * self.properties.len()
    }

    fn faces(&self) -> &[u8] {
        &self.bytes[self.start + self.vertices * self.row_bytes()..]
    }

    /// `N` neighbouring properties of every vertex, from property `column` on.
    fn rows<T, const N: usize>(&self, column: usize, number: fn([u8; 4]) -> T) -> Vec<[T; N]> {
        let rows = self.bytes[self.start..].chunks_exact(self.row_bytes()).take(self.vertices);
        rows.map(|row| std::array::from_fn(|part| number(std::array::from_fn(|byte| row[4 * (column + part) + byte])))).collect()
    }
}
