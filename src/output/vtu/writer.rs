//! Writes grids.

use std::{
    collections::HashMap,
    io::{self, Seek, SeekFrom, Write},
};

use super::{
    blocks::{Bytes, Packer},
    grid::Grid,
    header::{END, header},
    stored::{Stored, entries},
};

/// Maximum number of points in a piece of a grid of vertices or lines. The pieces share the arrays that describe their cells: with larger
/// pieces these arrays take more bytes, with smaller ones the XML.
const PIECE_POINTS: usize = 1 << 14;

/// Writes `grid` to `file`, from its current position. The arrays are compressed and written one after the other.
///
/// # Errors
/// If the grid has more points than 31 bits can count and its cells cannot be divided, or `file` cannot be written.
pub fn write_grid(mut file: impl Write + Seek, grid: &Grid) -> io::Result<()> {
    let pieces = grid.pieces(PIECE_POINTS);
    let start = file.stream_position()?;
    // The places of the arrays are known only at the end, when the header is written again.
    file.write_all(header(&pieces, &[]).map_err(io::Error::other)?.as_bytes())?;
    let offsets = write_arrays(&pieces, &mut file)?;
    file.write_all(END.as_bytes())?;
    let end = file.stream_position()?;
    file.seek(SeekFrom::Start(start))?;
    file.write_all(header(&pieces, &offsets).map_err(io::Error::other)?.as_bytes())?;
    file.seek(SeekFrom::Start(end)).map(drop)
}

/// Writes the arrays of all pieces and returns the place of each, in bytes from the first.
fn write_arrays(pieces: &[Grid], file: &mut impl Write) -> io::Result<Vec<u64>> {
    let mut packer = Packer::default();
    let mut shared = HashMap::new();
    let (mut offsets, mut length) = (Vec::new(), 0);
    for entry in pieces.iter().flat_map(entries) {
        let known = match entry.stored {
            Stored::Sequence(sequence) => shared.get(&sequence).copied(),
            _ => None,
        };
        offsets.push(known.unwrap_or(length));
        if known.is_some() {
            continue;
        }
        if let Stored::Sequence(sequence) = entry.stored {
            shared.insert(sequence, length);
        }
        if i32::try_from(entry.stored.len()).is_err() {
            let what = format!("the array '{}' has {} values, expected at most {}", entry.name, entry.stored.len(), i32::MAX);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
        }
        length += packer.write(&entry.stored, entry.stored.effort(), file)?;
    }
    Ok(offsets)
}
