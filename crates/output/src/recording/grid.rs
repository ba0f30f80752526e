//! Reads frames back from VTK XML unstructured grids (`.vtu`).

use std::path::Path;

use plimsoll_base::input;
use plimsoll_contract::frame::{Field, FieldValues, ParticleFrame, PolygonFrame};

use super::{
    bodies::{BodySurface, split_bodies},
    error::RecordingError,
};
use crate::{
    file::OutputError,
    vtu::{CellPoints, Damage, GridFile, Section},
};

/// Particles with all their fields in the order of the file; radius 0.
pub fn read_particles(path: &Path) -> Result<ParticleFrame, RecordingError> {
    read(path, |grid| {
        let (positions, fields) = (grid.points()?, grid.fields(Section::PointData)?);
        Ok(ParticleFrame { positions, fields, ..ParticleFrame::default() })
    })
}

/// Polygons with all their fields in the order of the file.
pub fn read_polygons(path: &Path) -> Result<PolygonFrame, RecordingError> {
    read(path, |grid| {
        let (positions, CellPoints { connectivity, ends }) = (grid.points()?, grid.cell_points()?);
        if !connectivity.iter().copied().eq(0..positions.len() as u32) {
            let found = format!("{} corners of {} polygons over {} vertices", connectivity.len(), ends.len(), positions.len());
            return Err(Damage::new(found, "each vertex in exactly one polygon, in order"));
        }
        let offsets = std::iter::once(0).chain(ends).collect();
        Ok(PolygonFrame { positions, offsets, fields: grid.fields(Section::CellData)? })
    })
}

/// The surfaces of all bodies, world coordinates.
pub fn read_bodies(path: &Path) -> Result<Vec<BodySurface>, RecordingError> {
    read(path, |grid| {
        let (vertices, CellPoints { connectivity, ends }) = (grid.points()?, grid.cell_points()?);
        if !ends.iter().zip(1..).all(|(&end, triangle): (&u32, u32)| triangle.checked_mul(3) == Some(end)) {
            return Err(Damage::new("cells that do not have three corners", "triangles"));
        }
        let (point_data, cell_data) = (grid.fields(Section::PointData)?, grid.fields(Section::CellData)?);
        let Some(FieldValues::Integer(owners)) = values(&cell_data, "body") else {
            return Err(Damage::new("no integer cell field 'body'", "the body index of each triangle"));
        };
        let mut bodies = split_bodies(&vertices, connectivity.as_chunks().0, owners)?;
        if let Some(FieldValues::Vector(velocities)) = values(&point_data, "velocity") {
            for body in &mut bodies {
                body.velocities = velocities[body.range.clone()].to_vec();
            }
        }
        let of_triangles = |name: &str| match values(&cell_data, name) {
            Some(FieldValues::Vector(vectors)) => vectors.as_slice(),
            _ => &[],
        };
        let (forces, torques) = (of_triangles("force"), of_triangles("torque"));
        // All triangles of a body have the same values.
        for (triangle, &owner) in owners.iter().enumerate() {
            let of_triangle = |vectors: &[[f32; 3]]| vectors.get(triangle).copied().unwrap_or_default();
            let body = &mut bodies[owner as usize];
            (body.force, body.torque) = (of_triangle(forces), of_triangle(torques));
        }
        Ok(bodies)
    })
}

/// Reads the file at `path` and calls `content` for the grid in it.
fn read<T>(path: &Path, content: impl FnOnce(&GridFile) -> Result<T, Damage>) -> Result<T, RecordingError> {
    let bytes = input::read(path).map_err(|error| OutputError::new(path, "read", error))?;
    GridFile::parse(&bytes).and_then(|grid| content(&grid)).map_err(|damage| RecordingError::damaged(path, damage))
}

fn values<'f>(fields: &'f [Field], name: &str) -> Option<&'f FieldValues> {
    fields.iter().find(|field| field.name == name).map(|field| &field.values)
}
