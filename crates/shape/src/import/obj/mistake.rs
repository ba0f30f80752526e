//! The first line of an OBJ file that is wrong.

use std::path::Path;

use super::{
    outline::Outline,
    statements::{position_index, statements, words},
};
use crate::import::{ImportOptions, MeshError};

const VERTEX_EXPECTED: &str = "three finite numbers below 1e12 m after scaling, optionally a nonzero weight or a color";

/// The first wrong line of the file at `path`, if there is one.
pub fn first(path: &Path, text: &str, options: &ImportOptions) -> Option<MeshError> {
    let mut vertices = 0;
    for (line, content) in statements(text) {
        let mut words = words(&content);
        match words.next() {
            Some("v" | "V") => {
                vertices += 1;
                if !is_vertex(words.clone(), options) {
                    let found = words.collect::<Vec<_>>().join(" ");
                    return Some(MeshError::BadVertex { path: path.into(), line, vertex: vertices, found, expected: VERTEX_EXPECTED });
                }
            }
            Some("f" | "F") => {
                if let Some((found, expected)) = wrong_corner(words, vertices) {
                    return Some(MeshError::BadFace { path: path.into(), line, found: found.into(), expected });
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether `tobj` reads a vertex from its words alone.
fn is_vertex<'w>(words: impl Iterator<Item = &'w str> + Clone, options: &ImportOptions) -> bool {
    let mut outline = Outline::default();
    outline.add_vertex(words);
    outline.geometry(options).is_ok()
}

/// The first corner of a face that is not one of the `vertices` before it, and what is expected there.
fn wrong_corner<'w>(mut words: impl Iterator<Item = &'w str> + Clone, vertices: usize) -> Option<(&'w str, String)> {
    if words.clone().next().is_none() {
        return Some(("", "vertex indices after f".into()));
    }
    let exists = |corner: &str| {
        let index = position_index(corner).parse::<i64>();
        index.is_ok_and(|index| index != 0 && index.unsigned_abs() <= vertices as u64)
    };
    let wrong = words.find(|corner| !exists(corner))?;
    Some((wrong, format!("a vertex from 1 to {vertices}, or from -{vertices} to -1 counted backwards")))
}
