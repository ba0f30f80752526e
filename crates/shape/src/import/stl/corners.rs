//! The corners of triangles that give coordinates instead of numbers of vertices.

use std::{collections::HashMap, path::Path};

use glam::DVec3;

use super::super::{ImportOptions, MeshError, geometry::Geometry};

/// The vertices of a file by their coordinates.
#[derive(Debug, Default)]
pub struct Corners {
    vertices: HashMap<[u64; 3], u32>,
}

impl Corners {
    /// The number of the vertex at `position`, which is added to `geometry` if no corner before was there.
    pub fn add(&mut self, position: DVec3, geometry: &mut Geometry, path: &Path, options: &ImportOptions) -> Result<u32, MeshError> {
        let coordinates = position.to_array().map(f64::to_bits);
        if let Some(&vertex) = self.vertices.get(&coordinates) {
            return Ok(vertex);
        }
        let vertex = geometry.positions.len() as u32;
        geometry.push_position(position, path, options)?;
        self.vertices.insert(coordinates, vertex);
        Ok(vertex)
    }
}
