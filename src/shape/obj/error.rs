//! Errors of a mesh file.

use std::path::PathBuf;

use thiserror::Error;

/// Why no mesh came out of a file; every message names the file.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum MeshError {
    /// The file cannot be read.
    #[error("{}: cannot read the mesh file", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// A vertex is not three finite numbers.
    #[error("{}:{line}: vertex {vertex} is \"{found}\", expected {expected}", path.display())]
    BadVertex { path: PathBuf, line: usize, vertex: usize, found: String, expected: &'static str },
    /// A face names no vertex.
    #[error("{}:{line}: face corner \"{found}\", expected {expected}", path.display())]
    BadFace { path: PathBuf, line: usize, found: String, expected: String },
    /// The file is not OBJ.
    #[error("{}: not an OBJ file that can be parsed", path.display())]
    Unparsable { path: PathBuf, source: tobj::LoadError },
    /// No face has an area.
    #[error("{}: found {faces} faces, all of zero area; expected at least one triangle", path.display())]
    NoFaces { path: PathBuf, faces: usize },
    /// A scale of the import is zero or not finite.
    #[error("{}: the mesh scale is {found}, expected three finite nonzero numbers", path.display())]
    BadScale { path: PathBuf, found: String },
}
