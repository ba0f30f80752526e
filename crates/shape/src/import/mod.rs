//! Import of triangle meshes from files (OBJ, STL, PLY, glTF): welded triangles in m with y up.
//!
//! Stages: the reader of the format finds positions and polygons, [`parts`] scales and turns them, and [`repair`] makes triangles with shared
//! vertices of them.

mod error;
mod geometry;
mod gltf;
mod lines;
mod obj;
mod options;
mod parts;
mod ply;
mod repair;
mod sequence;
mod stl;
mod summary;

use std::path::Path;

use super::TriangleMesh;
use geometry::Geometry;
use parts::Parts;
use plimsoll_base::input::{Disk, Files};

pub use error::MeshError;
pub use options::{ImportOptions, Repair, UpAxis};
use repair::{weld_distance, welded};
pub use sequence::MeshSequence;
pub use summary::ImportSummary;

/// Endings of the names of mesh files.
const FORMATS: &str = "obj, stl, ply, gltf or glb";

/// Loads the mesh in the file at `path` on the disk, whose format follows from the ending of its name: scales it, rotates it so that y is up, and repairs it.
///
/// # Errors
/// [`MeshError`] if the file cannot be read, is invalid, or has no face with a positive area.
pub fn load(path: &Path, options: &ImportOptions) -> Result<TriangleMesh, MeshError> {
    load_with_summary(path, options).map(|(mesh, _)| mesh)
}

/// Same as [`load`], with a summary of the import.
///
/// # Errors
/// Same as [`load`].
pub fn load_with_summary(path: &Path, options: &ImportOptions) -> Result<(TriangleMesh, ImportSummary), MeshError> {
    load_from(&Disk, path, options)
}

/// Same as [`load_with_summary`] for a file among `files`, which have its buffers, too, if it is a glTF file.
///
/// # Errors
/// Same as [`load`].
pub fn load_from(files: &dyn Files, path: &Path, options: &ImportOptions) -> Result<(TriangleMesh, ImportSummary), MeshError> {
    let geometry = read(files, path, options)?;
    let mut summary = ImportSummary { objects: geometry.objects.len(), faces: geometry.faces.len(), ..Default::default() };
    let mut parts = Parts::new(&geometry, options);
    for object in 0..geometry.objects.len() {
        parts.append(object);
    }
    let mesh = repair::triangles(&parts.vertices, &parts.polygons, options, &mut summary);
    if mesh.triangles.is_empty() {
        return Err(MeshError::NoFaces { path: path.into(), faces: summary.faces });
    }
    Ok((mesh, summary))
}

/// The groups and objects of a file among `files` with their faces, each cleaned by itself, in the order of the file.
///
/// # Errors
/// Same as [`load`].
pub fn load_groups(files: &dyn Files, path: &Path, options: &ImportOptions) -> Result<Vec<(String, TriangleMesh)>, MeshError> {
    let geometry = read(files, path, options)?;
    let mut parts = Parts::new(&geometry, options);
    let mut group = |object: usize| {
        parts.clear();
        parts.append(object);
        let mesh = repair::triangles(&parts.vertices, &parts.polygons, options, &mut ImportSummary::default());
        (geometry.objects[object].name.clone(), mesh)
    };
    Ok((0..geometry.objects.len()).map(&mut group).collect())
}

fn read(files: &dyn Files, path: &Path, options: &ImportOptions) -> Result<Geometry, MeshError> {
    options.check(path)?;
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if !["obj", "stl", "ply", "gltf", "glb"].contains(&ending.as_str()) {
        return Err(MeshError::UnknownFormat { path: path.into(), found: ending, expected: FORMATS });
    }
    let bytes = files.read(path).map_err(|source| MeshError::Unreadable { path: path.into(), source })?;
    match ending.as_str() {
        "stl" => stl::read(path, &bytes, options),
        "ply" => ply::read(path, &bytes, options),
        "gltf" | "glb" => gltf::read(files, path, &bytes, options),
        _ => obj::read(path, &String::from_utf8_lossy(&bytes), options),
    }
}
