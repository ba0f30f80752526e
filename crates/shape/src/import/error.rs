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
    /// A line of a text is not what the format requires there.
    #[error("{}:{line}: found {found}, expected {expected}", path.display())]
    BadLine { path: PathBuf, line: usize, found: String, expected: &'static str },
    /// The name of the file ends in no known format.
    #[error("{}: the name ends in \"{found}\", expected {expected}", path.display())]
    UnknownFormat { path: PathBuf, found: String, expected: &'static str },
    /// The reader of the format refuses the content.
    #[error("{}: not a valid file: {reason}; expected {format}", path.display())]
    Invalid { path: PathBuf, format: &'static str, reason: String },
    /// A vertex of a file without lines is not finite or too far away.
    #[error("{}: vertex {vertex} is {found}, expected {expected}", path.display())]
    BadPosition { path: PathBuf, vertex: usize, found: String, expected: &'static str },
    /// A face of a file without lines has a corner that does not refer to a vertex.
    #[error("{}: face {face} has the vertex {found}, expected one of 0 to {vertices}, the last excluded", path.display())]
    BadCorner { path: PathBuf, face: usize, found: u32, vertices: usize },
    /// All faces have zero area.
    #[error("{}: found {faces} faces, all of zero area; expected at least one triangle", path.display())]
    NoFaces { path: PathBuf, faces: usize },
    /// A file of a sequence has other vertices or faces than the first one.
    #[error("{}: {found}; expected {expected}, as in {}", path.display(), first.display())]
    OtherFaces { path: PathBuf, first: PathBuf, found: String, expected: String },
    /// Vertices that coincide in the first file of a sequence are apart in this one.
    #[error("{}: vertex {vertex} is at {found} and apart from vertex {other}; expected the same position, as in {}", path.display(), first.display())]
    Torn { path: PathBuf, first: PathBuf, vertex: usize, other: usize, found: String },
    /// The first file of a sequence has faces without an area, which others may have.
    #[error("{}: faces of zero area: {faces}; expected a first file without any", path.display())]
    FlatFaces { path: PathBuf, faces: usize },
    /// A scale of the import is zero or not finite.
    #[error("{}: the mesh scale is {found}, expected three finite nonzero numbers", path.display())]
    BadScale { path: PathBuf, found: String },
}
