//! Errors of a mesh file.

use std::path::PathBuf;

use thiserror::Error;

/// Error when loading a mesh file; every message contains the path.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum MeshError {
    /// The file cannot be read.
    #[error("{}: cannot read the mesh file", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// A vertex is not three finite numbers.
    #[error("{}:{line}: vertex {vertex} is \"{found}\", expected {expected}", path.display())]
    BadVertex { path: PathBuf, line: usize, vertex: usize, found: String, expected: &'static str },
    /// A face has no vertices, or a corner that does not refer to a vertex.
    #[error("{}:{line}: face corner \"{found}\", expected {expected}", path.display())]
    BadFace { path: PathBuf, line: usize, found: String, expected: String },
    /// All faces have zero area.
    #[error("{}: found {faces} faces, all of zero area; expected at least one triangle", path.display())]
    NoFaces { path: PathBuf, faces: usize },
    /// A scale of the import is zero or not finite.
    #[error("{}: the mesh scale is {found}, expected three finite nonzero numbers", path.display())]
    BadScale { path: PathBuf, found: String },
}
