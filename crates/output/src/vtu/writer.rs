//! Writes grids.

use std::{
    collections::HashMap,
    io::{self, Seek, SeekFrom, Write},
};

use quick_xml::escape::escape;

use super::{
    blocks::Packer,
    document::Section,
    grid::{Array, Grid, Values},
    stored::{Layout, Stored, entries},
};

/// Maximum number of points in a piece of a grid of vertices or lines. The pieces share the arrays that describe their cells: with larger
/// pieces these arrays take more bytes, with smaller ones the XML.
const PIECE_POINTS: usize = 1 << 14;
/// What follows the arrays.
pub(super) const END: &str = "\n  </AppendedData>\n</VTKFile>\n";

/// Writes `grid` to `file`, from its current position.
///
/// # Errors
/// If the grid has more points than 31 bits can count and its cells cannot be divided, or `file` cannot be written.
pub fn write_grid(mut file: impl Write + Seek, grid: &Grid) -> io::Result<()> {
    let pieces = if grid.points.is_empty() { vec![grid.placeholder()] } else { grid.pieces(PIECE_POINTS) };
    let start = file.stream_position()?;
    // The places of the arrays are known only at the end, when the header is written again.
    file.write_all(&header(&pieces, &[])?)?;
    let offsets = write_arrays(&pieces, &mut file)?;
    file.write_all(END.as_bytes())?;
    let end = file.stream_position()?;
    file.seek(SeekFrom::Start(start))?;
    file.write_all(&header(&pieces, &offsets)?)?;
    file.seek(SeekFrom::Start(end)).map(drop)
}

/// Writes the arrays of all pieces and returns the place of each, in bytes from the first.
fn write_arrays(pieces: &[Grid], file: &mut impl Write) -> io::Result<Vec<u64>> {
    let mut packer = Packer::default();
    let mut shared = HashMap::new();
    let (mut offsets, mut length) = (Vec::new(), 0);
    for entry in pieces.iter().flat_map(entries) {
        let offset = match entry.stored {
            Stored::Sequence(sequence) => *shared.entry(sequence).or_insert(length),
            _ => length,
        };
        offsets.push(offset);
        // An earlier piece has written the array.
        if offset < length {
            continue;
        }
        if i32::try_from(entry.stored.len()).is_err() {
            let what = format!("the array '{}' has {} values, expected at most {}", entry.name, entry.stored.len(), i32::MAX);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
        }
        length += packer.write(&entry.stored, file)?;
    }
    Ok(offsets)
}

/// The file up to its first array. `offsets` are the places of the arrays in bytes from the first, in the order of [`entries`], piece after
/// piece. The length of the text does not depend on them.
fn header(pieces: &[Grid], offsets: &[u64]) -> io::Result<Vec<u8>> {
    let mut offsets = offsets.iter().copied();
    let mut xml = Vec::new();
    writeln!(xml, "<?xml version=\"1.0\"?>")?;
    write!(xml, "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"")?;
    writeln!(xml, " compressor=\"vtkZLibDataCompressor\">\n  <UnstructuredGrid>")?;
    for grid in pieces {
        write_piece(&mut xml, grid, &mut offsets)?;
    }
    write!(xml, "  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_")?;
    Ok(xml)
}

fn write_piece(xml: &mut Vec<u8>, grid: &Grid, offsets: &mut impl Iterator<Item = u64>) -> io::Result<()> {
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
pub(super) fn active(arrays: &[Array]) -> String {
    let first = |attribute: &str, vector: bool| {
        let array = arrays.iter().find(|array| matches!(array.values, Values::Vectors(_)) == vector);
        array.map_or_else(String::new, |array| format!(" {attribute}=\"{}\"", escape(array.name)))
    };
    first("Scalars", false) + &first("Vectors", true)
}
