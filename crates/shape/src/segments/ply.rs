//! Display of segments: a binary PLY file with one color per segment.

use std::io::{self, Write};

use super::Segmentation;

/// The fraction of the color wheel between consecutive segments: the golden angle separates neighbours.
const GOLDEN: f64 = 0.618_033_988_749_895;

impl Segmentation {
    /// Writes the mesh as binary little-endian PLY (positions in m as `float`, colors as `uchar`). Vertices are repeated for each segment, so that
    /// every segment has its own color.
    ///
    /// # Errors
    /// Those of `writer`.
    pub fn write_colored_ply(&self, writer: &mut impl Write) -> io::Result<()> {
        let mut vertices = Vec::new();
        let mut faces = Vec::new();
        let mut vertex_count: u32 = 0;
        // For each mesh vertex, the last segment that wrote it, and its index in the file for that segment.
        let mut places = vec![(u32::MAX, 0); self.mesh.vertices.len()];
        for (number, segment) in self.segments.iter().enumerate() {
            let color = segment_color(number);
            for triangle in segment.triangles.clone() {
                faces.push(3);
                for vertex in self.mesh.triangles[triangle as usize] {
                    let place = &mut places[vertex as usize];
                    if place.0 != number as u32 {
                        *place = (number as u32, vertex_count);
                        vertex_count += 1;
                        let position = self.mesh.vertices[vertex as usize].as_vec3();
                        position.to_array().iter().for_each(|coordinate| vertices.extend(coordinate.to_le_bytes()));
                        vertices.extend(color);
                    }
                    faces.extend(place.1.to_le_bytes());
                }
            }
        }
        let face_count = self.mesh.triangles.len();
        write!(
            writer,
            "ply\nformat binary_little_endian 1.0\ncomment one color per segment, meters\nelement vertex {vertex_count}\n\
             property float x\nproperty float y\nproperty float z\n\
             property uchar red\nproperty uchar green\nproperty uchar blue\n\
             element face {face_count}\nproperty list uchar int vertex_indices\nend_header\n"
        )?;
        writer.write_all(&vertices)?;
        writer.write_all(&faces)
    }
}

/// Soft colors: hue by the golden angle, with three levels of lightness so that similar hues also differ.
fn segment_color(number: usize) -> [u8; 3] {
    let hue = (number as f64 * GOLDEN).fract();
    let saturation = [0.55, 0.75, 0.45][number % 3];
    let value = [0.95, 0.80, 0.70][number / 3 % 3];
    [5.0, 3.0, 1.0].map(|shift: f64| {
        let k = (shift + hue * 6.0) % 6.0;
        let share = value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0);
        (255.0 * share).round() as u8
    })
}
