//! Decodes VTK XML unstructured grids with appended raw data, directly from the description of the format and independent of the library:
//! <https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html>
// Every test file uses only a part of this.
#![allow(dead_code)]

use std::{collections::BTreeMap, fs, path::Path};

use miniz_oxide::inflate::decompress_to_vec_zlib;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

/// All pieces together.
#[derive(Debug, Default)]
pub struct Grid {
    pub pieces: usize,
    pub points: Vec<f32>,
    pub connectivity: Vec<u32>,
    pub offsets: Vec<u32>,
    pub types: Vec<u8>,
    /// Little-endian words of each array.
    pub point_data: BTreeMap<String, Words>,
    pub cell_data: BTreeMap<String, Words>,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Words {
    pub number: String,
    pub components: usize,
    pub words: Vec<u32>,
}

impl Words {
    pub fn integers(&self) -> &[u32] {
        assert_eq!(self.number, "UInt32");
        &self.words
    }

    pub fn reals(&self) -> Vec<f32> {
        assert_eq!(self.number, "Float32");
        self.words.iter().map(|&word| f32::from_bits(word)).collect()
    }
}

fn attribute(element: &BytesStart, name: &str) -> String {
    let attribute = element.try_get_attribute(name).unwrap().unwrap_or_else(|| panic!("no attribute {name}"));
    String::from_utf8(attribute.value.to_vec()).unwrap()
}

/// The bytes of the array at the start of `data`.
fn array(data: &[u8]) -> Vec<u8> {
    let number = |place: usize| u64::from_le_bytes(data[8 * place..8 * place + 8].try_into().unwrap()) as usize;
    let [count, size, last] = [number(0), number(1), number(2)];
    let mut start = 8 * (3 + count);
    let mut bytes = Vec::new();
    for index in 0..count {
        let end = start + number(3 + index);
        let block = decompress_to_vec_zlib(&data[start..end]).unwrap();
        assert_eq!(block.len(), if index + 1 == count && last > 0 { last } else { size }, "block {index} of {count}");
        bytes.extend(block);
        start = end;
    }
    bytes
}

/// Reads the grid at `path`. Array sizes must be those that the pieces state.
pub fn read(path: &Path) -> Grid {
    let file = fs::read(path).unwrap();
    let start = file.windows(13).position(|window| window == b"<AppendedData").expect("appended data");
    let data = start + file[start..].iter().position(|&byte| byte == b'_').unwrap() + 1;
    let tail = b"\n  </AppendedData>\n</VTKFile>\n";
    assert!(file.ends_with(tail));
    let mut reader = Reader::from_reader(&file[..start]);
    let mut grid = Grid::default();
    let (mut section, mut counts, mut before) = (String::new(), [0, 0], [0, 0]);
    loop {
        let element = match reader.read_event().unwrap() {
            Event::Start(element) | Event::Empty(element) => element,
            Event::Eof => return grid,
            _ => continue,
        };
        match element.name().as_ref() {
            b"VTKFile" => {
                let expected = [("header_type", "UInt64"), ("byte_order", "LittleEndian"), ("compressor", "vtkZLibDataCompressor")];
                expected.iter().for_each(|(name, value)| assert_eq!(attribute(&element, name), *value));
            }
            b"Piece" => {
                counts = ["NumberOfPoints", "NumberOfCells"].map(|name| attribute(&element, name).parse::<usize>().unwrap());
                before = [grid.points.len() / 3, grid.connectivity.len()];
                grid.pieces += 1;
            }
            b"DataArray" => {
                let offset: usize = attribute(&element, "offset").parse().unwrap();
                let bytes = array(&file[data + offset..file.len() - tail.len()]);
                let components: usize = attribute(&element, "NumberOfComponents").parse().unwrap();
                add(&mut grid, &section, &element, &bytes, components, counts, before);
            }
            name => section = String::from_utf8(name.to_vec()).unwrap(),
        }
    }
}

fn add(grid: &mut Grid, section: &str, element: &BytesStart, bytes: &[u8], components: usize, counts: [usize; 2], before: [usize; 2]) {
    let (name, number) = (attribute(element, "Name"), attribute(element, "type"));
    let words = || bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let values = bytes.len() / components / if number == "UInt8" { 1 } else { 4 };
    match (section, &*name, &*number) {
        ("Points", "Points", "Float32") => {
            assert_eq!((values, components), (counts[0], 3));
            grid.points.extend(words().map(f32::from_bits));
        }
        ("Cells", "connectivity", "Int32") => grid.connectivity.extend(words().map(|point| before[0] as u32 + point)),
        ("Cells", "offsets", "Int32") => {
            assert_eq!(values, counts[1]);
            grid.offsets.extend(words().map(|end| before[1] as u32 + end));
        }
        ("Cells", "types", "UInt8") => {
            assert_eq!(values, counts[1]);
            grid.types.extend(bytes);
        }
        ("PointData" | "CellData", _, "UInt32" | "Float32") => {
            let (data, count) = if section == "PointData" { (&mut grid.point_data, counts[0]) } else { (&mut grid.cell_data, counts[1]) };
            assert_eq!(values, count, "{name}");
            let whole = data.entry(name).or_insert_with(|| Words { number, components, words: Vec::new() });
            whole.words.extend(words());
        }
        _ => panic!("array {name} of {number} in {section}"),
    }
}
