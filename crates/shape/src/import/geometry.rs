//! What the readers of all formats produce: positions and polygons in the coordinates of the file.

use std::path::Path;

use glam::DVec3;

use super::{ImportOptions, MeshError};

/// Coordinates larger than this (m) indicate a broken file: their cubes would dominate all other lengths.
const FARTHEST: f64 = 1e12;
const VERTEX_EXPECTED: &str = "three finite numbers below 1e12 m after scaling";

/// Name of an object without one.
const UNNAMED: &str = "unnamed_object";

/// Polygons as lists of vertex indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polygons {
    pub corners: Vec<u32>,
    /// Where each polygon ends in `corners`.
    pub ends: Vec<u32>,
}

impl Polygons {
    /// Number of polygons.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The vertices of each polygon.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|index| self.of(index))
    }

    /// The vertices of polygon `index`.
    pub fn of(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.corners[start as usize..self.ends[index] as usize]
    }

    /// Adds a polygon.
    pub fn push(&mut self, corners: impl Iterator<Item = u32>) {
        self.corners.extend(corners);
        self.ends.push(self.corners.len() as u32);
    }
}

/// Positions and faces of a file, in its own coordinates.
#[derive(Clone, Debug)]
pub struct Geometry {
    pub positions: Vec<DVec3>,
    /// Vertices are counted from 0.
    pub faces: Polygons,
    pub objects: Vec<Object>,
}

/// An object or group: consecutive faces. Only the last one of a file may have none.
#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    /// Number of its first face; it ends where the next one begins.
    pub first_face: usize,
}

impl Default for Geometry {
    fn default() -> Self {
        let unnamed = Object { name: UNNAMED.to_owned(), first_face: 0 };
        Self { positions: Vec::new(), faces: Polygons::default(), objects: vec![unnamed] }
    }
}

impl Geometry {
    /// Begins an object. A name without faces is replaced by the next one.
    pub fn begin_object(&mut self, name: &str) {
        let name = if name.is_empty() { UNNAMED } else { name }.to_owned();
        let Self { faces, objects, .. } = self;
        objects.pop_if(|last| last.first_face == faces.len());
        objects.push(Object { name, first_face: faces.len() });
    }

    /// Adds a position; vertices are counted from 1 in messages.
    ///
    /// # Errors
    /// If it is not finite or too far away.
    pub fn push_position(&mut self, position: DVec3, path: &Path, options: &ImportOptions) -> Result<(), MeshError> {
        if !is_within_reach(position, options) {
            let (vertex, found) = (self.positions.len() + 1, position.to_string());
            return Err(MeshError::BadPosition { path: path.into(), vertex, found, expected: VERTEX_EXPECTED });
        }
        self.positions.push(position);
        Ok(())
    }

    /// Adds a face of positions counted from 0.
    ///
    /// # Errors
    /// If one of them does not exist.
    pub fn push_face(&mut self, corners: &[u32], path: &Path) -> Result<(), MeshError> {
        let (face, count) = (self.faces.len() + 1, self.positions.len());
        if let Some(found) = corners.iter().find(|&&corner| corner as usize >= count) {
            return Err(MeshError::BadCorner { path: path.into(), face, found: *found, vertices: count });
        }
        self.faces.push(corners.iter().copied());
        Ok(())
    }

    /// The faces of object `index`, by number.
    pub fn faces_of(&self, index: usize) -> std::ops::Range<usize> {
        let end = self.objects.get(index + 1).map_or(self.faces.len(), |next| next.first_face);
        self.objects[index].first_face..end
    }
}

/// Whether a position of the file is finite and not too far away, in the file and in m.
pub fn is_within_reach(position: DVec3, options: &ImportOptions) -> bool {
    [position, options.apply(position)].iter().all(|point| point.is_finite() && point.abs().max_element() < FARTHEST)
}
