//! Pictures as SVG and PNG files.
//!
//! Both are drawn on the same fine raster of whole numbers. The SVG is scaled down by its view box; of the PNG squares of pixels
//! are averaged, which smooths lines and letters.

use std::{io, path::Path, sync::Once};

use plotters::{
    prelude::{BitMapBackend, SVGBackend},
    style::{FontStyle, register_font},
};

use super::{
    error::PlotError,
    paint::{FONT, RASTER, WIDTH, height, image, paint},
    picture::{Image, Picture},
};
use crate::output::file::replace_file;

/// DejaVu Sans, Latin part; see `fonts/README.md`.
static LETTERS: &[u8] = include_bytes!("../../fonts/DejaVuSansLatin.ttf");
/// Points of the raster that make one pixel of a PNG, along each side.
const AVERAGED: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    Svg,
    /// Two pixels along each side for a unit of the SVG.
    Png,
}

impl PictureFormat {
    /// Of the file's name, without a point.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

/// Draws `picture` into the file at `path`, replacing what is there when it is whole.
pub fn write_picture(path: &Path, picture: &Picture, format: PictureFormat) -> Result<(), PlotError> {
    match format {
        PictureFormat::Svg => {
            let text = to_svg(picture)?;
            replace_file(path, |writer| io::Write::write_all(writer, text.as_bytes()))?;
        }
        PictureFormat::Png => {
            let (pixels, width, height) = to_pixels(picture)?;
            replace_file(path, |writer| {
                let mut encoder = png::Encoder::new(writer, width, height);
                encoder.set_color(png::ColorType::Rgb);
                encoder.set_depth(png::BitDepth::Eight);
                let written = encoder.write_header().and_then(|mut encoder| encoder.write_image_data(&pixels));
                written.map_err(io::Error::other)
            })?;
        }
    }
    Ok(())
}

/// The text of an SVG file.
pub fn to_svg(picture: &Picture) -> Result<String, PlotError> {
    register_letters();
    let (width, height) = (WIDTH, height(picture));
    let (raster_width, raster_height) = (width * RASTER, height * RASTER);
    let mut text = String::new();
    paint(SVGBackend::with_string(&mut text, (raster_width, raster_height)), picture, false).map_err(drawing)?;
    if let Some((image, edges)) = image(picture) {
        let [left, top, right, bottom] = edges.map(|edge| edge * f64::from(RASTER));
        let place = format!("x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\"", right - left, bottom - top);
        let element = format!("<image {place} href=\"data:image/png;base64,{}\"/>\n", base64(&to_grey_png(image)?));
        text.insert_str(text.rfind("</svg>").unwrap_or(text.len()), &element);
    }
    let size = format!("width=\"{raster_width}\" height=\"{raster_height}\"");
    Ok(text.replacen(&size, &format!("width=\"{width}\" height=\"{height}\" stroke-linejoin=\"round\""), 1))
}

/// Red, green and blue of each pixel, row by row, and the width and height.
fn to_pixels(picture: &Picture) -> Result<(Vec<u8>, u32, u32), PlotError> {
    register_letters();
    let (raster_width, raster_height) = (WIDTH * RASTER, height(picture) * RASTER);
    let mut raster = vec![255; 3 * raster_width as usize * raster_height as usize];
    paint(BitMapBackend::with_buffer(&mut raster, (raster_width, raster_height)), picture, true).map_err(drawing)?;
    let (width, height) = (raster_width / AVERAGED as u32, raster_height / AVERAGED as u32);
    let mut pixels = Vec::with_capacity(3 * width as usize * height as usize);
    for rows in raster.chunks_exact(3 * raster_width as usize * AVERAGED) {
        for column in 0..width as usize {
            for color in 0..3 {
                let square = (0..AVERAGED).flat_map(|row| (0..AVERAGED).map(move |along| (row, column * AVERAGED + along)));
                let sum: usize = square.map(|(row, place)| usize::from(rows[3 * (row * raster_width as usize + place) + color])).sum();
                pixels.push(((sum + AVERAGED * AVERAGED / 2) / (AVERAGED * AVERAGED)) as u8);
            }
        }
    }
    if let Some((image, [left, top, ..])) = image(picture) {
        // As many pixels as its place has.
        let corner = [left, top].map(|edge| (edge * f64::from(RASTER)).round() as usize / AVERAGED);
        for (row, line) in image.micrograph.pixels.chunks_exact(image.micrograph.width).enumerate() {
            let start = 3 * ((corner[1] + row) * width as usize + corner[0]);
            let colored = line.iter().flat_map(|&grey| [grey; 3]);
            pixels[start..start + 3 * line.len()].iter_mut().zip(colored).for_each(|(pixel, grey)| *pixel = grey);
        }
    }
    Ok((pixels, width, height))
}

/// A PNG file of the image alone.
fn to_grey_png(image: &Image) -> Result<Vec<u8>, PlotError> {
    let (mut file, picture) = (Vec::new(), &image.micrograph);
    let mut encoder = png::Encoder::new(&mut file, picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().and_then(|mut encoder| encoder.write_image_data(&picture.pixels)).map_err(drawing)?;
    Ok(file)
}

/// `bytes` as text (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, place| bits << 8 | u32::from(group.get(place).copied().unwrap_or(0)));
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) as usize & 63;
            text.push(if digit <= group.len() { char::from(DIGITS[value]) } else { '=' });
        }
    }
    text
}

fn register_letters() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| assert!(register_font(FONT, FontStyle::Normal, LETTERS).is_ok(), "the letters shipped are a font"));
}

fn drawing(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}
