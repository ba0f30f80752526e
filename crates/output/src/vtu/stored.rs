//! The arrays of a file: fields, positions, and the description of the cells.

use std::ops::Range;

use super::{
    document::Section,
    grid::{Array, Cells, Grid, Values},
};

/// An array as it is stored.
#[derive(Clone, Copy, Debug)]
pub enum Stored<'a> {
    Values(Values<'a>),
    /// Indices of points.
    Indices(&'a [u32]),
    Sequence(Sequence),
}

/// Values that the array's length determines: all pieces of a grid with equally many cells share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sequence {
    /// 0, 1, …: `count` indices of points.
    Points { count: usize },
    /// `corners`, `2 corners`, …: the ends of `count` cells.
    Ends { corners: u32, count: usize },
    /// The number of a cell type, `count` times.
    Types { kind: u8, count: usize },
}

/// VTK's names of number types.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub number: &'static str,
    pub components: usize,
}

/// An array and its place in the description of a grid.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub section: Section,
    pub name: &'a str,
    pub stored: Stored<'a>,
}

/// The arrays of `grid` in the order of the file.
pub fn entries<'a>(grid: &Grid<'a>) -> Vec<Entry<'a>> {
    let fields = |section: Section, arrays: &[Array<'a>]| -> Vec<Entry<'a>> {
        arrays.iter().map(|array| Entry { section, name: array.name, stored: Stored::Values(array.values) }).collect()
    };
    let positions = Entry { section: Section::Points, name: "Points", stored: Stored::Values(Values::Vectors(grid.points)) };
    let mut entries = [fields(Section::PointData, &grid.point_data), fields(Section::CellData, &grid.cell_data), vec![positions]].concat();
    entries.extend(cell_entries(grid));
    entries
}

/// The arrays that describe the cells: the points of all cells in sequence, the end of each cell among them, and the types.
fn cell_entries<'a>(grid: &Grid<'a>) -> [Entry<'a>; 3] {
    let count = grid.cell_count();
    let in_order = Stored::Sequence(Sequence::Points { count: grid.points.len() });
    let ends = |corners: u32| Stored::Sequence(Sequence::Ends { corners, count });
    let (connectivity, offsets, kind) = match grid.cells {
        Cells::Vertices => (in_order, ends(1), 1),
        Cells::Lines => (in_order, ends(2), 3),
        Cells::Triangles(corners) => (Stored::Indices(corners.as_flattened()), ends(3), 5),
        Cells::Polygons(ends) => (in_order, Stored::Indices(ends), 7),
        // A quadratic polygon: with other cells without points, filters of VTK crash or meshio fails (an empty cell, of type 0).
        Cells::Placeholder => (in_order, ends(0), 36),
    };
    let types = Stored::Sequence(Sequence::Types { kind, count });
    [("connectivity", connectivity), ("offsets", offsets), ("types", types)].map(|(name, stored)| Entry {
        section: Section::Cells,
        name,
        stored,
    })
}

impl Stored<'_> {
    /// Type of the numbers and numbers per value.
    pub fn layout(&self) -> Layout {
        let (number, components) = match self {
            Self::Values(Values::Integers(_)) => ("UInt32", 1),
            Self::Values(Values::Scalars(_)) => ("Float32", 1),
            Self::Values(Values::Vectors(_)) => ("Float32", 3),
            Self::Sequence(Sequence::Types { .. }) => ("UInt8", 1),
            Self::Indices(_) | Self::Sequence(_) => ("Int32", 1),
        };
        Layout { number, components }
    }

    /// How much effort compression is worth, from 1 to 10. Scalars such as densities have common leading bytes; a longer search finds them
    /// and makes the array 4 % smaller. Vectors gain nothing.
    pub fn effort(&self) -> u8 {
        if matches!(self, Self::Values(Values::Scalars(_))) { 3 } else { 1 }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match *self {
            Self::Values(Values::Integers(values)) | Self::Indices(values) => values.len(),
            Self::Values(Values::Scalars(values)) => values.len(),
            Self::Values(Values::Vectors(values)) => values.len(),
            Self::Sequence(Sequence::Points { count } | Sequence::Ends { count, .. } | Sequence::Types { count, .. }) => count,
        }
    }

    /// Bytes per value.
    pub fn width(&self) -> usize {
        match self {
            Self::Sequence(Sequence::Types { .. }) => 1,
            Self::Values(Values::Vectors(_)) => 12,
            _ => 4,
        }
    }

    /// Appends the values in `range`, little-endian.
    pub fn append(&self, range: Range<usize>, bytes: &mut Vec<u8>) {
        match *self {
            Self::Values(Values::Integers(values)) | Self::Indices(values) => {
                bytes.extend(values[range].iter().flat_map(|value| value.to_le_bytes()));
            }
            Self::Values(Values::Scalars(values)) => bytes.extend(values[range].iter().flat_map(|value| value.to_le_bytes())),
            Self::Values(Values::Vectors(values)) => {
                bytes.extend(values[range].as_flattened().iter().flat_map(|value| value.to_le_bytes()));
            }
            Self::Sequence(Sequence::Points { .. }) => bytes.extend(range.flat_map(|place| (place as u32).to_le_bytes())),
            Self::Sequence(Sequence::Ends { corners, .. }) => {
                bytes.extend(range.flat_map(|place| (corners * (place as u32 + 1)).to_le_bytes()));
            }
            Self::Sequence(Sequence::Types { kind, .. }) => bytes.resize(bytes.len() + range.len(), kind),
        }
    }
}
