//! The file formats in which frames can be written.

use serde::{Deserialize, Serialize};

/// A format for frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Binary VTK unstructured grids (`.vtu`) and collections of them over time (`.pvd`).
    Vtk,
    /// Binary little-endian polygon files (`.ply`).
    Ply,
}

impl Format {
    /// Extension of the files of frames, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Vtk => "vtu",
            Self::Ply => "ply",
        }
    }
}
