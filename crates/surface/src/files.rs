//! Surfaces as files: VTU, PLY, OBJ.

use std::{
    io::{self, Seek, Write},
    path::Path,
};

use plimsoll_output::{
    OutputError,
    file::replace_file,
    vtu::{Array, Cells, Grid, Values, write_grid},
};

use super::mesh::Surface;

/// A format for surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SurfaceFormat {
    /// Binary VTK unstructured grid: triangles, normals and velocities.
    Vtu,
    /// Binary little-endian polygon file: vertices with `nx ny nz` and `vx vy vz`.
    Ply,
    /// Wavefront OBJ text: vertices and normals; it cannot store velocities.
    Obj,
}

impl SurfaceFormat {
    /// Extension of the file name, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Vtu => "vtu",
            Self::Ply => "ply",
            Self::Obj => "obj",
        }
    }
}

/// Writes `surface` to `path`; an existing file is replaced only by a complete file.
pub fn write_surface(path: &Path, surface: &Surface, format: SurfaceFormat) -> Result<(), OutputError> {
    replace_file(path, |writer| match format {
        SurfaceFormat::Vtu => write_vtu(writer, surface),
        SurfaceFormat::Ply => write_ply(writer, surface),
        SurfaceFormat::Obj => write_obj(writer, surface),
    })
}

fn write_vtu(file: impl Write + Seek, surface: &Surface) -> io::Result<()> {
    let velocities = surface.velocities.iter().map(|velocities| ("velocity", velocities));
    let vectors = velocities.chain([("normal", &surface.normals)]);
    let point_data = vectors.map(|(name, values)| Array { name, values: Values::Vectors(values) }).collect();
    let (points, cells) = (&surface.vertices, Cells::Triangles(&surface.triangles));
    write_grid(file, &Grid { points, cells, point_data, cell_data: Vec::new() })
}

fn write_ply(writer: &mut impl Write, surface: &Surface) -> io::Result<()> {
    writeln!(writer, "ply\nformat binary_little_endian 1.0\nelement vertex {}", surface.vertices.len())?;
    let columns: Vec<(&str, &[[f32; 3]])> = [("", surface.vertices.as_slice()), ("n", &surface.normals)]
        .into_iter()
        .chain(surface.velocities.as_deref().map(|velocities| ("v", velocities)))
        .collect();
    for (prefix, _) in &columns {
        writeln!(writer, "property float {prefix}x\nproperty float {prefix}y\nproperty float {prefix}z")?;
    }
    writeln!(writer, "element face {}\nproperty list uchar uint vertex_indices\nend_header", surface.triangles.len())?;
    for vertex in 0..surface.vertices.len() {
        for value in columns.iter().flat_map(|(_, values)| values[vertex]) {
            writer.write_all(&value.to_le_bytes())?;
        }
    }
    for triangle in &surface.triangles {
        writer.write_all(&[3])?;
        triangle.iter().try_for_each(|vertex| writer.write_all(&vertex.to_le_bytes()))?;
    }
    Ok(())
}

fn write_obj(writer: &mut impl Write, surface: &Surface) -> io::Result<()> {
    for [x, y, z] in &surface.vertices {
        writeln!(writer, "v {x} {y} {z}")?;
    }
    for [x, y, z] in &surface.normals {
        writeln!(writer, "vn {x} {y} {z}")?;
    }
    for [a, b, c] in surface.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + 1)) {
        writeln!(writer, "f {a}//{a} {b}//{b} {c}//{c}")?;
    }
    Ok(())
}
