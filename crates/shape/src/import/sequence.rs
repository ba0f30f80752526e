//! Sequences of mesh files with the same faces: the shapes of a body that deforms.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use glam::DVec3;
use plimsoll_base::{input::Files, math::Aabb};

use super::{ImportOptions, MeshError, Repair, geometry::Polygons, read, repair, weld_distance, welded};
use crate::{TriangleMesh, import::ImportSummary, orient_outwards};

/// Distance of vertices that coincide, as a share of the mesh's diagonal: far more than decimal numbers with seven digits differ.
const COINCIDENT: f64 = 1e-6;

/// The mesh in the first file of a sequence, and how to find its vertices in the others.
pub struct MeshSequence<'a> {
    /// Welded and wound outwards if closed, with no other repair.
    pub mesh: TriangleMesh,
    files: &'a dyn Files,
    first: PathBuf,
    options: ImportOptions,
    polygons: Polygons,
    /// For each vertex of the file, the first one with which it coincides.
    firsts: Vec<u32>,
    /// For each vertex of the mesh, that of the file.
    sources: Vec<u32>,
}

impl<'a> MeshSequence<'a> {
    /// Reads the first one of a sequence among `files`.
    ///
    /// # Errors
    /// Those of [`super::load`], or a face has no area.
    pub fn begin(files: &'a dyn Files, path: &Path, options: &ImportOptions) -> Result<Self, MeshError> {
        let options = ImportOptions { repair: Repair::Off, ..*options };
        let (vertices, polygons) = surface_of(files, path, &options)?;
        let mut summary = ImportSummary::default();
        let mut mesh = repair::triangles(&vertices, &polygons, &options, &mut summary);
        if mesh.triangles.is_empty() {
            return Err(MeshError::NoFaces { path: path.into(), faces: polygons.len() });
        }
        if summary.degenerate_dropped > 0 {
            return Err(MeshError::FlatFaces { path: path.into(), faces: summary.degenerate_dropped });
        }
        orient_outwards(&mut mesh);
        let (kept, places) = welded(&vertices, weld_distance(&vertices, false));
        let mut first_of = vec![u32::MAX; kept.len()];
        for (vertex, &place) in (0..).zip(&places) {
            let first = &mut first_of[place as usize];
            *first = (*first).min(vertex);
        }
        let firsts: Vec<u32> = places.iter().map(|&place| first_of[place as usize]).collect();
        // Winding may have doubled vertices where parts touch; they keep their positions.
        let bits = |position: DVec3| position.to_array().map(f64::to_bits);
        let by_position: HashMap<[u64; 3], u32> = firsts.iter().map(|&first| (bits(vertices[first as usize]), first)).collect();
        let sources = mesh.vertices.iter().map(|&vertex| by_position[&bits(vertex)]).collect();
        Ok(Self { mesh, files, first: path.into(), options, polygons, firsts, sources })
    }

    /// Positions of the mesh's vertices in another file, m.
    ///
    /// # Errors
    /// Those of [`super::load`], or the file has other faces, or vertices that coincide in the first file are apart.
    pub fn positions(&self, path: &Path) -> Result<Vec<DVec3>, MeshError> {
        let (vertices, polygons) = surface_of(self.files, path, &self.options)?;
        let other =
            |found: String, expected: String| MeshError::OtherFaces { path: path.into(), first: self.first.clone(), found, expected };
        if vertices.len() != self.firsts.len() {
            return Err(other(format!("{} vertices", vertices.len()), self.firsts.len().to_string()));
        }
        if polygons.len() != self.polygons.len() {
            return Err(other(format!("{} faces", polygons.len()), self.polygons.len().to_string()));
        }
        if let Some(face) = (0..polygons.len()).find(|&face| polygons.of(face) != self.polygons.of(face)) {
            return Err(other(format!("face {} has other vertices", face + 1), "the same ones".to_owned()));
        }
        let tolerance = COINCIDENT * Aabb::around(vertices.iter().copied()).extent().length();
        for (vertex, &first) in self.firsts.iter().enumerate() {
            let position = vertices[vertex];
            if position.distance(vertices[first as usize]) > tolerance {
                let (path, vertex, other, found) = (path.into(), vertex + 1, first as usize + 1, position.to_string());
                return Err(MeshError::Torn { path, first: self.first.clone(), vertex, other, found });
            }
        }
        Ok(self.sources.iter().map(|&source| vertices[source as usize]).collect())
    }
}

/// Positions (m) and faces of all objects of a file.
fn surface_of(files: &dyn Files, path: &Path, options: &ImportOptions) -> Result<(Vec<DVec3>, Polygons), MeshError> {
    let geometry = read(files, path, options)?;
    let mut polygons = Polygons::default();
    for corners in geometry.faces.iter() {
        let corners = corners.iter().copied();
        if options.mirrors() { polygons.push(corners.rev()) } else { polygons.push(corners) }
    }
    Ok((geometry.positions.iter().map(|&position| options.apply(position)).collect(), polygons))
}
