//! Wavefront OBJ import, tolerant of common defects: produces welded triangles in m with y up.
//!
//! Stages: `text` checks the lines and keeps only geometry, `tobj` parses it, and `clean` welds vertices, triangulates and removes
//! everything except faces.

mod clean;
mod error;
mod options;
mod summary;
mod text;

use std::path::Path;

use glam::DVec3;

use super::TriangleMesh;
use clean::Cleaner;

pub use error::MeshError;
pub use options::{ImportOptions, UpAxis};
pub use summary::ImportSummary;

/// Loads the mesh in the OBJ file at `path`: scales it, rotates it so that y is up, and cleans it.
///
/// # Errors
/// [`MeshError`] if the file cannot be read, has an invalid line, or has no face with a positive area.
pub fn load(path: &Path, options: &ImportOptions) -> Result<TriangleMesh, MeshError> {
    load_with_summary(path, options).map(|(mesh, _)| mesh)
}

/// Same as [`load`], with a summary of the import.
///
/// # Errors
/// Same as [`load`].
pub fn load_with_summary(path: &Path, options: &ImportOptions) -> Result<(TriangleMesh, ImportSummary), MeshError> {
    let models = read_models(path, options)?;
    let faces = models.iter().map(|model| face_count(&model.mesh)).sum();
    let mut summary = ImportSummary { objects: models.len(), faces, ..Default::default() };
    let mut vertices = Vec::new();
    let mut polygons = Vec::new();
    for model in &models {
        append_model(&model.mesh, options, &mut vertices, &mut polygons);
    }
    let mesh = Cleaner::new(&mut summary).clean(&vertices, &polygons);
    if mesh.triangles.is_empty() {
        return Err(MeshError::NoFaces { path: path.into(), faces: summary.faces });
    }
    Ok((mesh, summary))
}

/// The groups and objects of the file with their faces, each cleaned by itself, in the order of the file.
///
/// # Errors
/// Same as [`load`].
pub fn load_groups(path: &Path, options: &ImportOptions) -> Result<Vec<(String, TriangleMesh)>, MeshError> {
    let models = read_models(path, options)?;
    let group = |model: &tobj::Model| {
        let (mut vertices, mut polygons) = (Vec::new(), Vec::new());
        append_model(&model.mesh, options, &mut vertices, &mut polygons);
        (model.name.clone(), Cleaner::new(&mut ImportSummary::default()).clean(&vertices, &polygons))
    };
    Ok(models.iter().map(group).collect())
}

/// The objects of the file.
fn read_models(path: &Path, options: &ImportOptions) -> Result<Vec<tobj::Model>, MeshError> {
    options.check(path)?;
    let bytes = std::fs::read(path).map_err(|source| MeshError::Unreadable { path: path.into(), source })?;
    let geometry = text::geometry_only(path, &String::from_utf8_lossy(&bytes), options)?;
    let parse = tobj::LoadOptions { triangulate: false, single_index: false, ..Default::default() };
    let (models, _) = tobj::load_obj_buf(&mut geometry.as_bytes(), &parse, |_| Ok(Default::default()))
        .map_err(|source| MeshError::Unparsable { path: path.into(), source })?;
    Ok(models)
}

fn face_count(mesh: &tobj::Mesh) -> usize {
    if mesh.face_arities.is_empty() { mesh.indices.len() / 3 } else { mesh.face_arities.len() }
}

/// Appends the vertices of one object, in m with y up, and its faces as lists of indices into all vertices.
fn append_model(mesh: &tobj::Mesh, options: &ImportOptions, vertices: &mut Vec<DVec3>, polygons: &mut Vec<Vec<u32>>) {
    let first_vertex = vertices.len() as u32;
    vertices.extend(mesh.positions.chunks_exact(3).map(|position| options.apply(DVec3::from_slice(position))));
    let mut rest = mesh.indices.as_slice();
    for face in 0..face_count(mesh) {
        let corners = mesh.face_arities.get(face).map_or(3, |&arity| arity as usize);
        let (indices, after) = rest.split_at(corners);
        let mut polygon: Vec<u32> = indices.iter().map(|index| first_vertex + index).collect();
        if options.mirrors() {
            polygon.reverse();
        }
        polygons.push(polygon);
        rest = after;
    }
}
