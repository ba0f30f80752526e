//! The XML of a file before its arrays.

use std::fmt::{self, Write};

use quick_xml::escape::escape;

use super::{
    grid::{Array, Grid, Values},
    section::Section,
    stored::{Layout, entries},
};

/// What follows the arrays.
pub const END: &str = "\n  </AppendedData>\n</VTKFile>\n";

/// The file up to its first array. `offsets` are the places of the arrays in bytes from the first, in the order of [`entries`], piece after
/// piece. The length of the text does not depend on them.
pub fn header(pieces: &[Grid], offsets: &[u64]) -> Result<String, fmt::Error> {
    let mut offsets = offsets.iter().copied();
    let mut xml = String::new();
    writeln!(xml, "<?xml version=\"1.0\"?>")?;
    write!(xml, "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"")?;
    writeln!(xml, " compressor=\"vtkZLibDataCompressor\">\n  <UnstructuredGrid>")?;
    for grid in pieces {
        write_piece(&mut xml, grid, &mut offsets)?;
    }
    write!(xml, "  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_")?;
    Ok(xml)
}

fn write_piece(xml: &mut String, grid: &Grid, offsets: &mut impl Iterator<Item = u64>) -> fmt::Result {
    writeln!(xml, "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">", grid.points.len(), grid.cell_count())?;
    let entries = entries(grid);
    for section in Section::ALL {
        let active = match section {
            Section::PointData => active(&grid.point_data),
            Section::CellData => active(&grid.cell_data),
            Section::Points | Section::Cells => String::new(),
        };
        writeln!(xml, "      <{}{active}>", section.name())?;
        for entry in entries.iter().filter(|entry| entry.section == section) {
            let Layout { number, components } = entry.stored.layout();
            let offset = offsets.next().unwrap_or_default();
            write!(xml, "        <DataArray type=\"{number}\" Name=\"{}\" NumberOfComponents=\"{components}\"", escape(entry.name))?;
            // Blanks within the attribute would be valid for VTK, but not for all readers.
            writeln!(xml, " format=\"appended\" {:<24}/>", format!("offset=\"{offset}\""))?;
        }
        writeln!(xml, "      </{}>", section.name())?;
    }
    writeln!(xml, "    </Piece>")
}

/// Attributes that name the first scalar and the first vector; viewers color by them at first.
fn active(arrays: &[Array]) -> String {
    let first = |attribute: &str, vector: bool| {
        let array = arrays.iter().find(|array| matches!(array.values, Values::Vectors(_)) == vector);
        array.map_or_else(String::new, |array| format!(" {attribute}=\"{}\"", escape(array.name)))
    };
    first("Scalars", false) + &first("Vectors", true)
}
