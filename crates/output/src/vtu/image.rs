//! VTK XML image data (`.vti`): values at points at equal distances, stored like those of grids.

use std::io::{self, Seek, SeekFrom, Write};

use quick_xml::escape::escape;

use super::{
    blocks::Packer,
    grid::Array,
    stored::{Layout, Stored},
    writer::{END, active},
};

/// Points at equal distances with values. VTK calls it image data.
#[derive(Clone, Debug)]
pub struct Image<'a> {
    /// The first point, m.
    pub origin: [f64; 3],
    /// Distances along each axis, m.
    pub spacing: [f64; 3],
    /// Points along each axis, at least one.
    pub counts: [usize; 3],
    /// One value per point; x changes fastest.
    pub point_data: Vec<Array<'a>>,
}

/// Writes `image` to `file`, from its current position.
///
/// # Errors
/// If an array does not have a value for each point, there are more values than 31 bits can count, or `file` cannot be written.
pub fn write_image(mut file: impl Write + Seek, image: &Image) -> io::Result<()> {
    let points: usize = image.counts.iter().product();
    for Array { name, values } in &image.point_data {
        let length = Stored::Values(*values).len();
        if length != points || i32::try_from(length).is_err() {
            let what = format!("the array '{name}' has {length} values, expected {points}, at most {}", i32::MAX);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
    }
    let start = file.stream_position()?;
    // The places of the arrays are known only at the end, when the header is written again.
    file.write_all(&header(image, &[])?)?;
    let (mut packer, mut offsets, mut length) = (Packer::default(), Vec::new(), 0);
    for array in &image.point_data {
        offsets.push(length);
        length += packer.write(&Stored::Values(array.values), &mut file)?;
    }
    file.write_all(END.as_bytes())?;
    let end = file.stream_position()?;
    file.seek(SeekFrom::Start(start))?;
    file.write_all(&header(image, &offsets)?)?;
    file.seek(SeekFrom::Start(end)).map(drop)
}

/// The file up to its first array; its length does not depend on `offsets`.
fn header(image: &Image, offsets: &[u64]) -> io::Result<Vec<u8>> {
    let Image { origin: [x, y, z], spacing: [dx, dy, dz], counts, point_data } = image;
    let [i, j, k] = counts.map(|count| count.saturating_sub(1));
    let extent = format!("0 {i} 0 {j} 0 {k}");
    let mut xml = Vec::new();
    writeln!(xml, "<?xml version=\"1.0\"?>")?;
    write!(xml, "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"")?;
    writeln!(xml, " compressor=\"vtkZLibDataCompressor\">")?;
    writeln!(xml, "  <ImageData WholeExtent=\"{extent}\" Origin=\"{x:?} {y:?} {z:?}\" Spacing=\"{dx:?} {dy:?} {dz:?}\">")?;
    writeln!(xml, "    <Piece Extent=\"{extent}\">\n      <PointData{}>", active(point_data))?;
    for (place, array) in point_data.iter().enumerate() {
        let Layout { number, components } = Stored::Values(array.values).layout();
        let offset = offsets.get(place).copied().unwrap_or_default();
        write!(xml, "        <DataArray type=\"{number}\" Name=\"{}\" NumberOfComponents=\"{components}\"", escape(array.name))?;
        writeln!(xml, " format=\"appended\" {:<24}/>", format!("offset=\"{offset}\""))?;
    }
    writeln!(xml, "      </PointData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">")?;
    write!(xml, "_")?;
    Ok(xml)
}
