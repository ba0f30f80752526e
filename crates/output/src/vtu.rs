//! VTK XML unstructured grids (`.vtu`): a description as XML, then all arrays in one binary section (`AppendedData`, raw), in blocks
//! compressed with zlib. Files of earlier versions, with the arrays as base64 text within the XML, are read as well.
//!
//! Format: <https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html>

mod blocks;
mod damage;
mod document;
mod grid;
mod image;
mod reader;
mod stored;
mod writer;

pub use damage::Damage;
pub use document::Section;
pub use grid::{Array, Cells, Grid, Values};
pub use image::{Image, write_image};
pub use reader::{CellPoints, GridFile};
pub use writer::write_grid;
