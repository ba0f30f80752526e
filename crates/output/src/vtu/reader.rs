//! Reads grids.

use base64::{Engine, engine::general_purpose::STANDARD};
use plimsoll_contract::frame::{Field, FieldValues};
use rayon::prelude::*;

use super::{
    blocks::{NUMBER_BYTES, read_number, unpack},
    damage::Damage,
    document::{Data, DataArray, Document, Piece, Section},
};

/// A file in memory; its arrays are decoded on demand.
#[derive(Clone, Debug)]
pub struct GridFile<'a> {
    document: Document<'a>,
}

/// The points of cells.
#[derive(Clone, Debug)]
pub struct CellPoints {
    /// The points of all cells, cell after cell. All exist.
    pub connectivity: Vec<u32>,
    /// The end of each cell in `connectivity`, ascending.
    pub ends: Vec<u32>,
}

impl<'a> GridFile<'a> {
    /// Reads the description of the arrays in `file`.
    pub fn parse(file: &'a [u8]) -> Result<Self, Damage> {
        if !file.trim_ascii_end().ends_with(b"</VTKFile>") {
            return Err(Damage::cut_short("the closing </VTKFile>"));
        }
        let document = Document::parse(file)?;
        if document.pieces.is_empty() { Err(Damage::new("a grid without pieces", "at least one piece")) } else { Ok(Self { document }) }
    }

    /// The positions of all points.
    pub fn points(&self) -> Result<Vec<[f32; 3]>, Damage> {
        match self.values(Section::Points, "Points")? {
            FieldValues::Vector(points) => Ok(points),
            _ => Err(Damage::new("positions that are not vectors", "vectors of three 32-bit floats")),
        }
    }

    /// The fields of the points or the cells, in the order of the file.
    pub fn fields(&self, section: Section) -> Result<Vec<Field>, Damage> {
        let first = self.document.pieces.first().into_iter().flat_map(|piece| &piece.arrays);
        let names = first.filter(|array| array.section == section).map(|array| array.name.as_str());
        names.map(|name| Ok(Field { name: name.to_owned().into(), values: self.values(section, name)? })).collect()
    }

    /// The points of all cells. Only grids of one piece are supported: cells that list their points are not divided.
    pub fn cell_points(&self) -> Result<CellPoints, Damage> {
        let [piece] = &self.document.pieces[..] else {
            return Err(Damage::new(format!("{} pieces", self.document.pieces.len()), "one piece"));
        };
        let ends = self.indices(piece.array(Section::Cells, "offsets")?, piece.cells)?;
        let corners = ends.last().copied().unwrap_or(0);
        let connectivity = self.indices(piece.array(Section::Cells, "connectivity")?, corners as usize)?;
        if !ends.is_sorted() || connectivity.iter().any(|&point| point as usize >= piece.points) {
            let found = format!("{corners} corners of {} cells over {} points", piece.cells, piece.points);
            return Err(Damage::new(found, "cells one after the other whose points exist"));
        }
        Ok(CellPoints { connectivity, ends })
    }

    /// The values of an array in all pieces.
    fn values(&self, section: Section, name: &str) -> Result<FieldValues, Damage> {
        let parts: Vec<FieldValues> =
            self.document.pieces.par_iter().map(|piece| self.part(piece, section, name)).collect::<Result<_, _>>()?;
        let mut parts = parts.into_iter();
        let mut whole = parts.next().unwrap_or(FieldValues::Scalar(Vec::new()));
        for part in parts {
            match (&mut whole, part) {
                (FieldValues::Integer(values), FieldValues::Integer(part)) => values.extend(part),
                (FieldValues::Scalar(values), FieldValues::Scalar(part)) => values.extend(part),
                (FieldValues::Vector(values), FieldValues::Vector(part)) => values.extend(part),
                _ => return Err(Damage::new(format!("'{name}' with numbers of several types"), "one type in all pieces")),
            }
        }
        Ok(whole)
    }

    /// The values of an array in one piece.
    fn part(&self, piece: &Piece<'a>, section: Section, name: &str) -> Result<FieldValues, Damage> {
        let array = piece.array(section, name)?;
        let count = if section == Section::CellData { piece.cells } else { piece.points };
        match (&*array.number, array.components) {
            ("UInt32", 1) => Ok(FieldValues::Integer(self.numbers(array, count, u32::from_le_bytes)?)),
            ("Float32", 1) => Ok(FieldValues::Scalar(self.numbers(array, count, f32::from_le_bytes)?)),
            ("Float32", 3) => Ok(FieldValues::Vector(self.numbers(array, count, vector_from_bytes)?)),
            (number, components) => {
                let found = format!("'{name}' with {components} components of type {number}");
                Err(Damage::new(found, "integers, 32-bit floats or vectors of three 32-bit floats"))
            }
        }
    }

    /// Indices of points.
    fn indices(&self, array: &DataArray, count: usize) -> Result<Vec<u32>, Damage> {
        match &*array.number {
            "Int32" => checked_indices(self.numbers(array, count, i32::from_le_bytes)?),
            "UInt64" => checked_indices(self.numbers(array, count, u64::from_le_bytes)?),
            number => Err(Damage::new(format!("'{}' of type {number}", array.name), "Int32 or UInt64")),
        }
    }

    /// The `count` values of an array, of `N` bytes each.
    fn numbers<T, const N: usize>(&self, array: &DataArray, count: usize, value: impl Fn([u8; N]) -> T) -> Result<Vec<T>, Damage> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let length = count.checked_mul(N).ok_or_else(|| Damage::new(format!("{count} points or cells"), "fewer than memory holds"))?;
        let bytes =
            self.bytes(array, length).map_err(|Damage { found, expected }| Damage::new(format!("'{}': {found}", array.name), expected))?;
        Ok(bytes.as_chunks::<N>().0[..count].iter().map(|&bytes| value(bytes)).collect())
    }

    /// The `length` bytes of an array.
    fn bytes(&self, array: &DataArray, length: usize) -> Result<Vec<u8>, Damage> {
        match array.data {
            Data::Text(text) => {
                let bytes = STANDARD.decode(text).map_err(|error| Damage::new(error, "base64"))?;
                values_of_length(bytes, length)
            }
            Data::Appended(offset) => {
                let rest = self.document.appended.get(offset..).ok_or_else(|| Damage::cut_short("an array"))?;
                unpack(rest, length)
            }
        }
    }
}

/// The `length` bytes after the first number of `bytes`, which must be `length`.
fn values_of_length(mut bytes: Vec<u8>, length: usize) -> Result<Vec<u8>, Damage> {
    let found = read_number(&bytes, 0)?;
    if found != length {
        return Err(Damage::new(format!("an array of {found} bytes"), "as many values as the grid has points or cells"));
    }
    bytes.drain(..NUMBER_BYTES);
    if bytes.len() < length { Err(Damage::cut_short("the values of an array")) } else { Ok(bytes) }
}

fn checked_indices<T>(indices: Vec<T>) -> Result<Vec<u32>, Damage>
where
    u32: TryFrom<T>,
{
    let checked: Result<_, _> = indices.into_iter().map(u32::try_from).collect();
    checked.map_err(|_| Damage::new("a number outside 0 … 2³² − 1", "the index of a point"))
}

fn vector_from_bytes(bytes: [u8; 12]) -> [f32; 3] {
    std::array::from_fn(|axis| f32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * axis + byte])))
}
