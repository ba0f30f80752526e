//! Binary STL: a header, which may contain anything, the number of triangles, and the triangles. What follows them is not read.

use std::path::Path;

use glam::Vec3;

use super::{
    super::{ImportOptions, MeshError, geometry::Geometry},
    corners::Corners,
};

/// Bytes before the triangles: a free text of 80 bytes and their number.
pub const HEADER: usize = 84;
/// Bytes of a triangle: its normal, three corners, and two bytes for programs of their own.
const TRIANGLE: usize = 50;
/// Bytes of a triangle's normal.
const NORMAL: usize = 12;
const EXPECTED: &str = "a binary STL file with as many triangles as its header counts, of 50 bytes each";

/// Reads the content of the file at `path`.
pub fn read(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Geometry, MeshError> {
    let mut geometry = Geometry::default();
    let mut corners = Corners::default();
    for triangle in triangles(bytes).map_err(|reason| MeshError::Invalid { path: path.into(), format: EXPECTED, reason })? {
        let (numbers, _) = triangle[NORMAL..].as_chunks().0.as_chunks();
        let [a, b, c] = [0, 1, 2].map(|corner: usize| Vec3::from_array(numbers[corner].map(f32::from_le_bytes)).as_dvec3());
        let face = [
            corners.add(a, &mut geometry, path, options)?,
            corners.add(b, &mut geometry, path, options)?,
            corners.add(c, &mut geometry, path, options)?,
        ];
        geometry.push_face(&face, path)?;
    }
    Ok(geometry)
}

/// The triangles that the header counts, if there are as many.
fn triangles(bytes: &[u8]) -> Result<&[[u8; TRIANGLE]], String> {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
        return Err(format!("{} bytes, which are fewer than the {HEADER} of a header", bytes.len()));
    };
    let [.., a, b, c, d] = *header;
    let count = u32::from_le_bytes([a, b, c, d]);
    let triangles = rest.as_chunks().0;
    let counted = usize::try_from(count).ok().and_then(|count| triangles.get(..count));
    counted.ok_or_else(|| format!("its header counts {count} triangles, and the {} bytes after it hold {}", rest.len(), triangles.len()))
}
