//! The description of a file: its XML, without the values.

use std::{borrow::Cow, fmt::Display};

use quick_xml::{
    Reader,
    escape::unescape,
    events::{BytesStart, Event},
};

use super::damage::Damage;

/// What the XML of a file says.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    pub pieces: Vec<Piece<'a>>,
    /// What follows the XML: the arrays with offsets.
    pub appended: &'a [u8],
}

/// A part of the grid.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    pub points: usize,
    pub cells: usize,
    pub arrays: Vec<DataArray<'a>>,
}

/// The description of an array.
#[derive(Clone, Debug)]
pub struct DataArray<'a> {
    pub section: Section,
    pub name: String,
    /// VTK's name of its type of numbers: `Float32`.
    pub number: String,
    /// Numbers per value.
    pub components: usize,
    pub data: Data<'a>,
}

/// Where the values of an array are.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Base64 in the XML, not compressed.
    Text(&'a [u8]),
    /// Bytes from the start of the appended data; compressed.
    Appended(usize),
}

/// The parts of a grid's description that contain arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// `<PointData>`
    PointData,
    /// `<CellData>`
    CellData,
    /// `<Points>`
    Points,
    /// `<Cells>`
    Cells,
}

impl<'a> Document<'a> {
    /// Parses the XML of a file up to the appended data.
    pub fn parse(file: &'a [u8]) -> Result<Self, Damage> {
        let mut reader = Reader::from_reader(file);
        let mut document = Self { pieces: Vec::new(), appended: &[] };
        let (mut section, mut has_root) = (None, false);
        loop {
            let event = reader.read_event().map_err(|error| Damage::new(error, "XML"))?;
            match event {
                Event::Start(element) | Event::Empty(element) => match element.name().as_ref() {
                    b"VTKFile" => {
                        Self::check_root(&element)?;
                        has_root = true;
                    }
                    b"Piece" => document.pieces.push(Piece::new(&element)?),
                    b"DataArray" => document.add_array(section, &element)?,
                    b"AppendedData" => {
                        let place = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
                        document.appended = appended(&element, file.get(place..).unwrap_or_default())?;
                        break;
                    }
                    name => section = Section::ALL.into_iter().find(|section| section.name().as_bytes() == name),
                },
                Event::Text(text) => {
                    if let Cow::Borrowed(text) = text.into_inner() {
                        document.add_text(text.trim_ascii());
                    }
                }
                Event::Eof => break,
                _ => {}
            }
        }
        if has_root { Ok(document) } else { Err(Damage::new("no element VTKFile", "a VTK file")) }
    }

    fn check_root(element: &BytesStart) -> Result<(), Damage> {
        let expect = |name: &str, value: &'static str| match attribute(element, name)? {
            Some(found) if found != value => Err(Damage::new(format!("{name} '{found}'"), value)),
            found => Ok(found),
        };
        expect("type", "UnstructuredGrid")?;
        expect("byte_order", "LittleEndian")?;
        expect("compressor", "vtkZLibDataCompressor")?;
        // Without the attribute, the numbers before the values of an array have 32 bits.
        match expect("header_type", "UInt64")? {
            Some(_) => Ok(()),
            None => Err(Damage::new("no attribute header_type", "UInt64")),
        }
    }

    fn add_array(&mut self, section: Option<Section>, element: &BytesStart) -> Result<(), Damage> {
        // Arrays elsewhere, such as those of FieldData, are not part of a piece.
        let Some((section, piece)) = section.zip(self.pieces.last_mut()) else { return Ok(()) };
        let format = attribute(element, "format")?.unwrap_or_default();
        let data = match &*format {
            "binary" => Data::Text(&[]),
            "appended" => Data::Appended(number(element, "offset", None)?),
            _ => return Err(Damage::new(format!("an array in format '{format}'"), "format 'appended' or 'binary'")),
        };
        piece.arrays.push(DataArray {
            section,
            name: attribute(element, "Name")?.unwrap_or_default(),
            number: attribute(element, "type")?.unwrap_or_default(),
            components: number(element, "NumberOfComponents", Some(1))?,
            data,
        });
        Ok(())
    }

    /// `text` follows the last array. There is none between elements.
    fn add_text(&mut self, text: &'a [u8]) {
        let array = self.pieces.last_mut().and_then(|piece| piece.arrays.last_mut());
        if let Some(Data::Text(values)) = array.map(|array| &mut array.data)
            && values.is_empty()
        {
            *values = text;
        }
    }
}

impl Section {
    /// All, in the order of the file.
    pub const ALL: [Self; 4] = [Self::PointData, Self::CellData, Self::Points, Self::Cells];

    /// The name of its element.
    pub fn name(self) -> &'static str {
        match self {
            Self::PointData => "PointData",
            Self::CellData => "CellData",
            Self::Points => "Points",
            Self::Cells => "Cells",
        }
    }
}

impl<'a> Piece<'a> {
    fn new(element: &BytesStart) -> Result<Self, Damage> {
        let [points, cells] = [number(element, "NumberOfPoints", Some(0))?, number(element, "NumberOfCells", Some(0))?];
        // A piece without points has a cell only because some programs expect one.
        let cells = if points == 0 { 0 } else { cells };
        Ok(Self { points, cells, arrays: Vec::new() })
    }

    /// The array `name` in `section`.
    pub fn array(&self, section: Section, name: &str) -> Result<&DataArray<'a>, Damage> {
        let array = self.arrays.iter().find(|array| array.section == section && array.name == name);
        array.ok_or_else(|| Damage::new(format!("no array '{name}' in {}", section.name()), "one in each piece"))
    }
}

/// The arrays in the element AppendedData that `rest` follows. They begin after an underscore.
fn appended<'a>(element: &BytesStart, rest: &'a [u8]) -> Result<&'a [u8], Damage> {
    match attribute(element, "encoding")? {
        Some(encoding) if encoding == "raw" => rest.trim_ascii_start().strip_prefix(b"_").ok_or_else(|| Damage::cut_short("arrays")),
        encoding => Err(Damage::new(format!("appended data with encoding '{}'", encoding.unwrap_or_default()), "encoding 'raw'")),
    }
}

/// The value of an attribute, without blanks around it.
fn attribute(element: &BytesStart, name: &str) -> Result<Option<String>, Damage> {
    let malformed = |error: &dyn Display| Damage::new(format!("attribute {name}: {error}"), "XML");
    let Some(attribute) = element.try_get_attribute(name).map_err(|error| malformed(&error))? else { return Ok(None) };
    let value = std::str::from_utf8(&attribute.value).map_err(|error| malformed(&error))?;
    let value = unescape(value).map_err(|error| malformed(&error))?;
    Ok(Some(value.trim().to_owned()))
}

/// The value of an attribute; `default` if it is missing.
fn number(element: &BytesStart, name: &str, default: Option<usize>) -> Result<usize, Damage> {
    match attribute(element, name)? {
        Some(text) => text.parse().map_err(|_| Damage::new(format!("attribute {name} '{text}'"), "a whole number")),
        None => default.ok_or_else(|| Damage::new(format!("no attribute {name}"), "a whole number")),
    }
}
