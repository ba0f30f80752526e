//! Reads frames back from VTK XML unstructured grids (`.vtu`).

use std::{fs, path::Path};

use vtkio::{
    IOBuffer,
    model::{Attribute, DataArray, DataSet, UnstructuredGridPiece, VertexNumbers, Vtk},
};

use super::{
    bodies::{BodySurface, split_bodies},
    error::RecordingError,
};
use crate::{
    frame::{Field, FieldValues, ParticleFrame, PolygonFrame},
    output::file::OutputError,
};

/// Particles with all their fields in the order of the file; radius 0.
pub fn read_particles(path: &Path) -> Result<ParticleFrame, RecordingError> {
    let piece = read_piece(path)?;
    let positions = vectors(path, piece.points)?;
    let fields = piece.data.point.into_iter().filter_map(data_array).map(|array| field(path, array)).collect::<Result<Vec<_>, _>>()?;
    if let Some(field) = fields.iter().find(|field| field.values.len() != positions.len()) {
        let found = format!("{} values of '{}' for {} points", field.values.len(), field.name, positions.len());
        return Err(malformed(path, found, "a value for each point"));
    }
    Ok(ParticleFrame { positions, fields, ..ParticleFrame::default() })
}

/// Polygons with all their fields in the order of the file.
pub fn read_polygons(path: &Path) -> Result<PolygonFrame, RecordingError> {
    let piece = read_piece(path)?;
    let positions = vectors(path, piece.points)?;
    let VertexNumbers::XML { connectivity, offsets } = piece.cells.cell_verts else {
        return Err(malformed(path, "cells of another type".to_owned(), "polygons"));
    };
    let in_order = connectivity.iter().copied().eq(0..positions.len() as u64);
    let ascending = offsets.is_sorted() && offsets.last().copied().unwrap_or(0) == positions.len() as u64;
    if !(in_order && ascending) {
        let found = format!("{} corners of {} polygons over {} vertices", connectivity.len(), offsets.len(), positions.len());
        return Err(malformed(path, found, "each vertex in exactly one polygon, in order"));
    }
    let fields = piece.data.cell.into_iter().filter_map(data_array).map(|array| field(path, array)).collect::<Result<Vec<_>, _>>()?;
    if let Some(field) = fields.iter().find(|field| field.values.len() != offsets.len()) {
        let found = format!("{} values of '{}' for {} polygons", field.values.len(), field.name, offsets.len());
        return Err(malformed(path, found, "a value for each polygon"));
    }
    let offsets = std::iter::once(0).chain(offsets.into_iter().map(|end| end as u32)).collect();
    Ok(PolygonFrame { positions, offsets, fields })
}

/// The surfaces of all bodies, world coordinates.
pub fn read_bodies(path: &Path) -> Result<Vec<BodySurface>, RecordingError> {
    let piece = read_piece(path)?;
    let vertices = vectors(path, piece.points)?;
    let VertexNumbers::XML { connectivity, .. } = piece.cells.cell_verts else {
        return Err(malformed(path, "cells of another type".to_owned(), "triangles"));
    };
    let cell = |name: &str| piece.data.cell.iter().cloned().filter_map(data_array).find(|array| array.name == name);
    let Some(owners) = cell("body").and_then(|array| array.data.into_vec::<u32>()) else {
        return Err(malformed(path, "no integer cell field 'body'".to_owned(), "the body index of each triangle"));
    };
    let fits = connectivity.len() == 3 * owners.len() && connectivity.iter().all(|&vertex| vertex < vertices.len() as u64);
    if !fits {
        let found = format!("{} corners of {} triangles over {} vertices", connectivity.len(), owners.len(), vertices.len());
        return Err(malformed(path, found, "three valid vertices per triangle"));
    }
    let corners: Vec<u32> = connectivity.into_iter().map(|vertex| vertex as u32).collect();
    let mut bodies = split_bodies(&vertices, corners.as_chunks().0, &owners);
    let velocities = piece.data.point.into_iter().filter_map(data_array).find(|array| array.name == "velocity");
    if let Some(velocities) = velocities.map(|array| vectors(path, array.data)).transpose()?.filter(|all| all.len() == vertices.len()) {
        for body in &mut bodies {
            body.velocities = velocities[body.range.clone()].to_vec();
        }
    }
    let first_triangles: Vec<Option<usize>> =
        (0..bodies.len()).map(|body| owners.iter().position(|&owner| owner as usize == body)).collect();
    for name in ["force", "torque"] {
        let Some(values) = cell(name).map(|array| vectors(path, array.data)).transpose()? else { continue };
        for (body, first) in bodies.iter_mut().zip(&first_triangles) {
            let value = first.and_then(|triangle| values.get(triangle)).copied().unwrap_or_default();
            *(if name == "force" { &mut body.force } else { &mut body.torque }) = value;
        }
    }
    Ok(bodies)
}

fn read_piece(path: &Path) -> Result<UnstructuredGridPiece, RecordingError> {
    let bytes = fs::read(path).map_err(|error| OutputError::new(path, "read", error))?;
    if !bytes.trim_ascii_end().ends_with(b"</VTKFile>") {
        return Err(RecordingError::cut_short(path, "the closing </VTKFile>"));
    }
    let vtk = Vtk::parse_xml(bytes.as_slice()).map_err(|error| malformed(path, error.to_string(), "a VTK file"))?;
    let DataSet::UnstructuredGrid { pieces, .. } = vtk.data else {
        return Err(malformed(path, "another type of data set".to_owned(), "an unstructured grid"));
    };
    let Some(piece) = pieces.into_iter().next() else {
        return Err(malformed(path, "a grid without pieces".to_owned(), "one piece"));
    };
    piece.into_loaded_piece_data(None).map_err(|error| malformed(path, error.to_string(), "data within the file"))
}

fn data_array(attribute: Attribute) -> Option<DataArray> {
    match attribute {
        Attribute::DataArray(array) => Some(array),
        Attribute::Field { .. } => None,
    }
}

fn field(path: &Path, array: DataArray) -> Result<Field, RecordingError> {
    let components = array.num_comp();
    let values = match (array.data, components) {
        (IOBuffer::U32(values), 1) => FieldValues::Integer(values),
        (IOBuffer::F32(values), 1) => FieldValues::Scalar(values),
        (data, 3) => FieldValues::Vector(vectors(path, data)?),
        (data, _) => {
            let found = format!("'{}' with {components} components of {:?}", array.name, data.scalar_type());
            return Err(malformed(path, found, "integers, 32-bit floats or vectors of three 32-bit floats"));
        }
    };
    Ok(Field { name: array.name.into(), values })
}

fn vectors(path: &Path, data: IOBuffer) -> Result<Vec<[f32; 3]>, RecordingError> {
    let kind = data.scalar_type();
    // Empty arrays are read back without a particular type.
    if data.is_empty() {
        return Ok(Vec::new());
    }
    let values = data.into_vec::<f32>().ok_or_else(|| malformed(path, format!("numbers of type {kind:?}"), "32-bit floats"))?;
    match values.as_chunks() {
        (vectors, []) => Ok(vectors.to_vec()),
        _ => Err(malformed(path, format!("{} numbers", values.len()), "vectors of three")),
    }
}

fn malformed(path: &Path, found: String, expected: &'static str) -> RecordingError {
    RecordingError::Malformed { path: path.to_owned(), found, expected }
}
