//! What an OBJ file states about its surface, in its plainest form.

use std::io::Read;

use glam::DVec3;
use tobj::{LoadError, LoadOptions, Mesh};

use super::statements::{position_index, statements, words};
use crate::import::{
    ImportOptions,
    geometry::{Geometry, is_within_reach},
};

/// The statements of a file that describe a surface.
#[derive(Default)]
pub struct Outline {
    /// Lines of vertices and faces for `tobj`.
    statements: String,
    vertices: usize,
    /// For each face, the number of vertices before it.
    known: Vec<u32>,
    /// Objects and ends of faces; positions and corners are still missing.
    geometry: Geometry,
}

impl Outline {
    pub fn of(text: &str) -> Self {
        let mut outline = Self::default();
        for (_, content) in statements(text) {
            let mut words = words(&content);
            match words.next() {
                Some("v" | "V") => outline.add_vertex(words),
                Some("f" | "F") => outline.add_face(words),
                Some("o" | "O" | "g" | "G") => outline.geometry.begin_object(&words.collect::<Vec<_>>().join(" ")),
                _ => {}
            }
        }
        outline
    }

    /// Adds a vertex without its color.
    pub fn add_vertex<'w>(&mut self, words: impl Iterator<Item = &'w str> + Clone) {
        let count = words.clone().count();
        self.statements.push('v');
        for word in words.take(if count > 5 { 3 } else { count }) {
            self.statements.push(' ');
            self.statements.push_str(word);
        }
        self.statements.push('\n');
        self.vertices += 1;
    }

    fn add_face<'w>(&mut self, words: impl Iterator<Item = &'w str>) {
        let ends = &mut self.geometry.faces.ends;
        let mut end = ends.last().copied().unwrap_or_default();
        self.statements.push('f');
        for word in words {
            self.statements.push(' ');
            self.statements.push_str(position_index(word));
            end += 1;
        }
        self.statements.push('\n');
        ends.push(end);
        self.known.push(self.vertices as u32);
    }

    /// What `tobj` reads. It keeps only the vertices of faces, in the order of their first use: a face of all vertices comes first.
    fn parse(&self) -> Result<Mesh, LoadError> {
        let all: String = (1..=self.vertices).map(|vertex| format!(" {vertex}")).collect();
        let first = format!("f{all}\n");
        let mut plain = first.as_bytes().chain(self.statements.as_bytes());
        let (mut models, _) = tobj::load_obj_buf(&mut plain, &LoadOptions::default(), |_| Ok(Default::default()))?;
        models.pop().map(|model| model.mesh).ok_or(LoadError::GenericFailure)
    }

    /// The positions and faces.
    ///
    /// # Errors
    /// Why `tobj` refuses them, or that its result is not sound.
    pub fn geometry(self, options: &ImportOptions) -> Result<Geometry, String> {
        let Mesh { positions, mut indices, .. } = self.parse().map_err(|error| error.to_string())?;
        let Self { vertices, known, mut geometry, .. } = self;
        geometry.positions = positions.as_chunks().0.iter().map(|&position| DVec3::from_array(position)).collect();
        geometry.faces.corners = indices.split_off(vertices.min(indices.len()));
        if is_sound(&geometry, &known, options) { Ok(geometry) } else { Err("its vertices and faces are not sound".into()) }
    }
}

/// Whether all vertices are finite and not too far away, and each face has vertices, which are among those `known` before it.
fn is_sound(geometry: &Geometry, known: &[u32], options: &ImportOptions) -> bool {
    let Geometry { positions, faces, .. } = geometry;
    let fits = |(face, &known): (&[u32], &u32)| !face.is_empty() && face.iter().all(|&corner| corner < known);
    // Corners are missing if one has no position, as `/1`.
    faces.corners.len() == faces.ends.last().map_or(0, |&end| end as usize)
        && faces.iter().zip(known).all(fits)
        && positions.iter().all(|&position| is_within_reach(position, options))
}
