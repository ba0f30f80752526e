//! STL, binary and text.
//!
//! An STL library takes every file that begins with `solid ` for text, stops after the first solid, knows keywords in lower case only and
//! reports no line numbers.

mod binary;
mod corners;
mod text;

use std::path::Path;

use super::{ImportOptions, MeshError, geometry::Geometry};

/// Reads the content of the STL file at `path`.
pub fn read(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Geometry, MeshError> {
    if is_text(bytes) { text::read(path, &String::from_utf8_lossy(bytes), options) } else { binary::read(path, bytes, options) }
}

/// Whether the file is a text. The first word does not decide: headers of binary files may contain any text, also one that begins with
/// `solid`. The last byte of the number of triangles, which follows the header, is a control character unless there are more than 150 million,
/// or 0xff if all bits of the number are set; a text contains neither.
fn is_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(binary::HEADER)];
    !start.iter().any(|&byte| byte == 0xff || byte.is_ascii_control() && !byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write, io::Cursor};

    use plimsoll_base::math::Random;

    use super::*;

    /// Ten triangles with random corners, some of them in common, as a binary file and as a text.
    fn random_files(random: &mut Random) -> [Vec<u8>; 2] {
        let points: Vec<[f32; 3]> = (0..8).map(|_| random.point().as_vec3().to_array()).collect();
        let (mut binary, mut text) = (vec![b'x'; 80], "solid made by hand\n".to_owned());
        binary.extend(10_u32.to_le_bytes());
        for _ in 0..10 {
            binary.extend([0; 12]);
            text.push_str("facet normal 0 0 0\nouter loop\n");
            for [x, y, z] in [(); 3].map(|()| points[(8.0 * random.uniform()) as usize]) {
                binary.extend([x, y, z].into_iter().flat_map(f32::to_le_bytes));
                writeln!(text, "vertex {x:e} {y} {z}").expect("text");
            }
            binary.extend([0; 2]);
            text.push_str("endloop\nendfacet\n");
        }
        text.push_str("endsolid\n");
        [binary, text.into_bytes()]
    }

    /// An STL library reads the same vertices and triangles.
    #[test]
    fn files_are_read_as_by_a_library() {
        let mut random = Random::new(9);
        for file in (0..20).flat_map(|_| random_files(&mut random)) {
            let expected = stl_io::read_stl(&mut Cursor::new(&file)).expect("a valid file");
            let found = read(Path::new("x.stl"), &file, &ImportOptions::default()).expect("a valid file");
            let positions: Vec<[f32; 3]> = found.positions.iter().map(|position| position.as_vec3().to_array()).collect();
            assert_eq!(positions, expected.vertices.iter().map(|vertex| vertex.0).collect::<Vec<_>>());
            let corners: Vec<usize> = expected.faces.iter().flat_map(|face| face.vertices).collect();
            assert_eq!(found.faces.corners.iter().map(|&corner| corner as usize).collect::<Vec<_>>(), corners);
        }
    }
}
