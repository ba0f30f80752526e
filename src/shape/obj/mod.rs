//! Wavefront OBJ import, tolerant of common defects: produces welded triangles in m with y up.
//!
//! Stages: `text` reads and checks the lines, and `clean` welds vertices, triangulates and removes everything except faces. An OBJ library
//! would read the lines once more: it reports no line numbers and accepts faces of vertices that do not exist.

mod clean;
mod error;
mod options;
mod summary;
mod text;

use std::path::Path;

use glam::DVec3;

use super::TriangleMesh;
use clean::Cleaner;
use text::{Geometry, Polygons};

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
    let geometry = read(path, options)?;
    let mut summary = ImportSummary { objects: geometry.objects.len(), faces: geometry.faces.len(), ..Default::default() };
    let mut parts = Parts::new(&geometry, options);
    for object in 0..geometry.objects.len() {
        parts.append(object);
    }
    let mesh = Cleaner::new(&mut summary).clean(&parts.vertices, &parts.polygons);
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
    let geometry = read(path, options)?;
    let mut parts = Parts::new(&geometry, options);
    let mut group = |object: usize| {
        parts.clear();
        parts.append(object);
        let mesh = Cleaner::new(&mut ImportSummary::default()).clean(&parts.vertices, &parts.polygons);
        (geometry.objects[object].name.clone(), mesh)
    };
    Ok((0..geometry.objects.len()).map(&mut group).collect())
}

fn read(path: &Path, options: &ImportOptions) -> Result<Geometry, MeshError> {
    options.check(path)?;
    let bytes = std::fs::read(path).map_err(|source| MeshError::Unreadable { path: path.into(), source })?;
    Geometry::read(path, &String::from_utf8_lossy(&bytes), options)
}

/// Objects of a file in m with y up. Each has its own vertices, in the order of their first use; the cleaner welds them.
struct Parts<'a> {
    geometry: &'a Geometry,
    options: &'a ImportOptions,
    vertices: Vec<DVec3>,
    polygons: Polygons,
    /// For each position of the file, its vertex in the last object that used it.
    places: Vec<Option<Place>>,
}

/// The vertex of a position in an object.
#[derive(Clone, Copy)]
struct Place {
    object: u32,
    vertex: u32,
}

impl<'a> Parts<'a> {
    fn new(geometry: &'a Geometry, options: &'a ImportOptions) -> Self {
        let places = vec![None; geometry.positions.len()];
        Self { geometry, options, vertices: Vec::with_capacity(places.len()), polygons: Polygons::default(), places }
    }

    fn clear(&mut self) {
        self.vertices.clear();
        self.polygons = Polygons::default();
    }

    fn append(&mut self, object: usize) {
        let Self { geometry, options, vertices, polygons, places } = self;
        let mut vertex_of = |position: u32| match &mut places[position as usize] {
            Some(place) if place.object == object as u32 => place.vertex,
            place => {
                let vertex = vertices.len() as u32;
                vertices.push(options.apply(geometry.positions[position as usize]));
                *place = Some(Place { object: object as u32, vertex });
                vertex
            }
        };
        let mut polygon = Vec::new();
        for face in geometry.faces_of(object) {
            polygon.clear();
            polygon.extend(geometry.faces.of(face).iter().map(|&position| vertex_of(position)));
            if options.mirrors() {
                polygon.reverse();
            }
            polygons.push(polygon.iter().copied());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::math::Random;

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
            let geometry = Geometry::read(Path::new("x.obj"), &text, &ImportOptions::default()).expect("a valid file");
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
