//! Reads frames back from the binary polygon files (`.ply`) that runs write.

use std::path::Path;

use plimsoll_base::input;
use plimsoll_contract::frame::{Field, FieldValues, ParticleFrame, PolygonFrame};

use super::{
    bodies::{BodySurface, split_bodies},
    error::RecordingError,
};
use crate::file::OutputError;

const END_OF_HEADER: &[u8] = b"end_header\n";
/// Size of a face: one byte for the number of corners, three corners, the body.
const FACE_BYTES: usize = 1 + 3 * 4 + 4;

/// Particles with all their fields in the order of the file; three reals named after the axes of one name form a vector. The radius is 0.
pub fn read_particles(path: &Path) -> Result<ParticleFrame, RecordingError> {
    let file = PolygonFile::read(path)?;
    file.check_length(path)?;
    let rows = Rows { bytes: &file.bytes[file.start..], stride: file.row_bytes(), count: file.vertices };
    let fields = rows.fields(&file.properties, 3);
    Ok(ParticleFrame { positions: file.rows(0, f32::from_le_bytes), fields, ..ParticleFrame::default() })
}

/// The surfaces of all bodies, world coordinates; velocities, forces and torques are not in the file.
pub fn read_bodies(path: &Path) -> Result<Vec<BodySurface>, RecordingError> {
    let file = PolygonFile::read(path)?;
    file.check_length(path)?;
    let vertices: Vec<[f32; 3]> = file.rows(0, f32::from_le_bytes);
    let (mut triangles, mut owners) = (Vec::new(), Vec::new());
    for face in file.face_bytes().chunks_exact(FACE_BYTES) {
        let word = |start: usize| u32::from_le_bytes(std::array::from_fn(|byte| face[start + byte]));
        let triangle = [1, 5, 9].map(word);
        if face[0] != 3 || triangle.iter().any(|&vertex| vertex as usize >= vertices.len()) {
            let found = format!("a face of {} corners {triangle:?} over {} vertices", face[0], vertices.len());
            return Err(RecordingError::Malformed { path: path.to_owned(), found, expected: "triangles over the vertices" });
        }
        triangles.push(triangle);
        owners.push(word(13));
    }
    split_bodies(&vertices, &triangles, &owners).map_err(|damage| RecordingError::damaged(path, damage))
}

/// Polygons with all their fields in the order of the file.
pub fn read_polygons(path: &Path) -> Result<PolygonFrame, RecordingError> {
    let file = PolygonFile::read(path)?;
    let (mut offsets, mut values, mut place) = (vec![0_u32], Vec::new(), file.start + file.vertices * file.row_bytes());
    let value_bytes = 4 * file.face_properties.len();
    for _ in 0..file.faces {
        let cut = || RecordingError::cut_short(path, "as many polygons as the header specifies");
        let corners = *file.bytes.get(place).ok_or_else(cut)? as usize;
        let after = place + 1 + 4 * corners;
        values.extend_from_slice(file.bytes.get(after..after + value_bytes).ok_or_else(cut)?);
        let first = offsets.last().copied().unwrap_or(0);
        let numbers = file.bytes[place + 1..after].chunks_exact(4).map(|bytes| u32::from_le_bytes(std::array::from_fn(|byte| bytes[byte])));
        if !numbers.eq(first..first + corners as u32) {
            let found = format!("polygon {} with corners out of order", offsets.len() - 1);
            return Err(RecordingError::Malformed { path: path.to_owned(), found, expected: "the vertices of the polygons in order" });
        }
        offsets.push(first + corners as u32);
        place = after + value_bytes;
    }
    if place != file.bytes.len() || offsets.last().copied() != Some(file.vertices as u32) {
        let found = format!("{} corners for {} vertices, {} bytes", offsets.last().unwrap_or(&0), file.vertices, file.bytes.len());
        return Err(RecordingError::Malformed { path: path.to_owned(), found, expected: "each vertex in exactly one polygon" });
    }
    let fields = Rows { bytes: &values, stride: value_bytes, count: file.faces }.fields(&file.face_properties, 0);
    Ok(PolygonFrame { positions: file.rows(0, f32::from_le_bytes), offsets, fields })
}

/// The name of the vector whose three components are `names`, if they are components of one.
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
    /// Whether it is a 32-bit real; otherwise it is an unsigned integer.
    is_real: bool,
}

struct PolygonFile {
    bytes: Vec<u8>,
    /// Byte offset of the first vertex.
    start: usize,
    vertices: usize,
    properties: Vec<Property>,
    faces: usize,
    /// Data of a face after its corners.
    face_properties: Vec<Property>,
}

/// Rows of equal length, of numbers of four bytes each.
struct Rows<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
}

impl Rows<'_> {
    /// All properties starting at `column`; three reals named after the axes of one name form a vector.
    fn fields(&self, properties: &[Property], mut column: usize) -> Vec<Field> {
        let mut fields = Vec::new();
        while let Some(property) = properties.get(column) {
            let next: Vec<&str> = properties[column..].iter().take(3).map(|property| property.name.as_str()).collect();
            let (name, values) = match vector_name(&next) {
                Some(name) => (name, FieldValues::Vector(self.columns(column, f32::from_le_bytes))),
                None if property.is_real => (
                    property.name.clone(),
                    FieldValues::Scalar(self.columns(column, f32::from_le_bytes).into_iter().map(|[value]| value).collect()),
                ),
                None => (
                    property.name.clone(),
                    FieldValues::Integer(self.columns(column, u32::from_le_bytes).into_iter().map(|[value]| value).collect()),
                ),
            };
            column += if matches!(values, FieldValues::Vector(_)) { 3 } else { 1 };
            fields.push(Field { name: name.into(), values });
        }
        fields
    }

    /// `N` consecutive properties of every row, starting at property `column`.
    fn columns<T, const N: usize>(&self, column: usize, number: fn([u8; 4]) -> T) -> Vec<[T; N]> {
        let rows = self.bytes.chunks_exact(self.stride).take(self.count);
        rows.map(|row| std::array::from_fn(|part| number(std::array::from_fn(|byte| row[4 * (column + part) + byte])))).collect()
    }
}

impl PolygonFile {
    fn read(path: &Path) -> Result<Self, RecordingError> {
        let bytes = input::read(path).map_err(|error| OutputError::new(path, "read", error))?;
        let malformed = |found: &str, expected| RecordingError::Malformed { path: path.to_owned(), found: found.to_owned(), expected };
        let Some(end) = bytes.windows(END_OF_HEADER.len()).position(|window| window == END_OF_HEADER) else {
            return Err(RecordingError::cut_short(path, "a PLY header that ends with end_header"));
        };
        let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = header.lines();
        if [lines.next(), lines.next()] != [Some("ply"), Some("format binary_little_endian 1.0")] {
            return Err(malformed("another header", "a PLY file, binary_little_endian 1.0"));
        }
        let (mut vertices, mut faces, mut properties, mut face_properties) = (0_usize, None, Vec::new(), Vec::new());
        for line in lines {
            let number = |text: &str| text.parse().map_err(|_| malformed(line, "a number of elements"));
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["element", "vertex", count] => vertices = number(count)?,
                ["element", "face", count] => faces = Some(number(count)?),
                ["property", kind @ ("float" | "uint"), name] => {
                    let of = if faces.is_none() { &mut properties } else { &mut face_properties };
                    of.push(Property { name: name.to_owned(), is_real: kind == "float" });
                }
                ["property", "list", "uchar", "uint", "vertex_indices"] if faces.is_some() => {}
                _ => return Err(malformed(line, "a header written by plimsoll")),
            }
        }
        let faces = faces.unwrap_or(0);
        let file = Self { start: end + END_OF_HEADER.len(), vertices, properties, faces, face_properties, bytes };
        if !file.properties.iter().take(3).map(|property| property.name.as_str()).eq(["x", "y", "z"]) {
            return Err(malformed("other properties", "vertices that start with x, y and z"));
        }
        let least = vertices.checked_mul(file.row_bytes()).and_then(|length| length.checked_add(file.start));
        if least.is_none_or(|least| least > file.bytes.len()) {
            return Err(file.wrong_length(path));
        }
        Ok(file)
    }

    /// Checks that the file has the bytes that its vertices and triangles require.
    fn check_length(&self, path: &Path) -> Result<(), RecordingError> {
        let faces = self.faces.checked_mul(FACE_BYTES);
        let length = faces.and_then(|length| length.checked_add(self.vertices * self.row_bytes()));
        if length == Some(self.bytes.len() - self.start) { Ok(()) } else { Err(self.wrong_length(path)) }
    }

    fn wrong_length(&self, path: &Path) -> RecordingError {
        let found = format!("{} bytes after the header", self.bytes.len() - self.start);
        let expected = "the size given by the header (truncated file?)";
        RecordingError::Malformed { path: path.to_owned(), found, expected }
    }

    fn row_bytes(&self) -> usize {
        4 * self.properties.len()
    }

    fn face_bytes(&self) -> &[u8] {
        &self.bytes[self.start + self.vertices * self.row_bytes()..]
    }

    /// `N` consecutive properties of every vertex, starting at property `column`.
    fn rows<T, const N: usize>(&self, column: usize, number: fn([u8; 4]) -> T) -> Vec<[T; N]> {
        Rows { bytes: &self.bytes[self.start..], stride: self.row_bytes(), count: self.vertices }.columns(column, number)
    }
}
