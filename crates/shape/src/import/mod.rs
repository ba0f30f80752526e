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

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use glam::DVec3;
    use plimsoll_base::math::Random;

    use super::*;

    /// Text of random vertices, faces, names and other lines.
    fn random_text(random: &mut Random) -> String {
        let mut text = "v 0 0 0\nv 1 0.5 -2e-3\nv 3 3 3 2\n".to_owned();
        let mut vertices = 3;
        for _ in 0..120 {
            let kind = random.uniform();
            if kind < 0.3 {
                let DVec3 { x, y, z } = 10.0 * random.point();
                writeln!(text, "v {x} {y:e} {z:.3}").expect("text");
                vertices += 1;
            } else if kind < 0.8 {
                text.push('f');
                for _ in 0..[1, 2, 3, 3, 3, 4, 6][(7.0 * random.uniform()) as usize] {
                    let vertex = 1 + (random.uniform() * f64::from(vertices)) as i32;
                    let corner = if random.uniform() < 0.2 { vertex - vertices - 1 } else { vertex };
                    write!(text, " {corner}").expect("text");
                }
                text.push('\n');
            } else {
                let others = ["g left  wing\n", "o\n", "g\n", "# f 1 2 3\n", "\n", "s off\n"];
                text.push_str(others[(6.0 * random.uniform()) as usize]);
            }
        }
        text
    }

    /// An OBJ library reads the same objects, vertices and faces.
    #[test]
    fn files_are_read_as_by_a_library() {
        let mut random = Random::new(6);
        let parse = tobj::LoadOptions { triangulate: false, single_index: false, ..Default::default() };
        for _ in 0..60 {
            let text = random_text(&mut random);
            let (models, _) = tobj::load_obj_buf(&mut text.as_bytes(), &parse, |_| Ok(Default::default())).expect("a valid file");
            let geometry = obj::read(Path::new("x.obj"), &text, &ImportOptions::default()).expect("a valid file");
            // The library removes repeated blanks of a name only at its ends.
            let name = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ");
            let names: Vec<String> = models.iter().map(|model| name(&model.name)).collect();
            assert_eq!(geometry.objects.iter().map(|object| object.name.clone()).collect::<Vec<_>>(), names, "{text}");
            let options = ImportOptions::default();
            let mut parts = Parts::new(&geometry, &options);
            for (index, model) in models.iter().enumerate() {
                parts.clear();
                parts.append(index);
                assert_eq!(parts.vertices.iter().flat_map(DVec3::to_array).collect::<Vec<_>>(), model.mesh.positions, "{text}");
                let arities: Vec<u32> = parts.polygons.iter().map(|polygon| polygon.len() as u32).collect();
                let expected = &model.mesh.face_arities;
                let triangles = vec![3; model.mesh.indices.len() / 3];
                assert_eq!(&arities, if expected.is_empty() { &triangles } else { expected });
                assert_eq!(parts.polygons.iter().flatten().copied().collect::<Vec<_>>(), model.mesh.indices);
            }
        }
    }
}
