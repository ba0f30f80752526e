//! Pictures as SVG and PNG files.
//!
//! Both are drawn on the same fine integer raster. The view box scales the SVG down; a PNG pixel is the mean of a square of raster points,
//! which smooths lines and text.

use std::{io, path::Path, sync::Once};

use plimsoll_contract::chart::{Image, Picture};
use plimsoll_output::file::replace_file;
use plotters::{
    prelude::{BitMapBackend, SVGBackend},
    style::{FontStyle, register_font},
};

use super::{
    error::PlotError,
    layout::WIDTH,
    paint::{FONT, RASTER, height, image, paint},
};

/// DejaVu Sans, Latin part; see `fonts/README.md`.
static FONT_FILE: &[u8] = include_bytes!("../fonts/DejaVuSansLatin.ttf");
/// Raster points per pixel of a PNG, along each side.
const AVERAGED: usize = 2;

/// Format of a picture's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Scalable, 960 units wide.
    Svg,
    /// Two pixels per unit of the SVG, along each side.
    Png,
}

impl PictureFormat {
    /// Extension of the file, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

/// Writes `picture` to the file at `path`, which is replaced only by a complete file.
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
    register_embedded_font();
    let (width, height) = (WIDTH, height(picture));
    let (raster_width, raster_height) = (width * RASTER, height * RASTER);
    let mut text = String::new();
    paint(SVGBackend::with_string(&mut text, (raster_width, raster_height)), picture, false).map_err(drawing)?;
    if let Some((image, edges)) = image(picture) {
        let [left, top, right, bottom] = edges.map(|edge| edge * f64::from(RASTER));
        let place = format!("x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\"", right - left, bottom - top);
        let element = format!("<image {place} href=\"data:image/png;base64,{}\"/>\n", base64(&to_gray_png(image)?));
        text.insert_str(text.rfind("</svg>").unwrap_or(text.len()), &element);
    }
    let size = format!("width=\"{raster_width}\" height=\"{raster_height}\"");
    // Names from tables of others may contain what XML does not allow.
    let text = text.replace(|c: char| c.is_control() && c != '\n' && c != '\t' || matches!(c, '\u{fffe}' | '\u{ffff}'), "\u{fffd}");
    Ok(text.replacen(&size, &format!("width=\"{width}\" height=\"{height}\" stroke-linejoin=\"round\""), 1))
}

/// Red, green and blue of each pixel, row by row, and the width and height.
fn to_pixels(picture: &Picture) -> Result<(Vec<u8>, u32, u32), PlotError> {
    register_embedded_font();
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
        // The image has exactly the pixels of its area.
        let corner = [left, top].map(|edge| (edge * f64::from(RASTER)).round() as usize / AVERAGED);
        for (row, line) in image.pixels.chunks_exact(Image::WIDTH).enumerate() {
            let start = 3 * ((corner[1] + row) * width as usize + corner[0]);
            let colored = line.iter().flat_map(|&gray| [gray; 3]);
            pixels[start..start + 3 * line.len()].iter_mut().zip(colored).for_each(|(pixel, gray)| *pixel = gray);
        }
    }
    Ok((pixels, width, height))
}

/// The image as a PNG file.
fn to_gray_png(image: &Image) -> Result<Vec<u8>, PlotError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, Image::WIDTH as u32, Image::HEIGHT as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().and_then(|mut encoder| encoder.write_image_data(&image.pixels)).map_err(drawing)?;
    Ok(file)
}

/// Base64 (RFC 4648).
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

fn register_embedded_font() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| assert!(register_font(FONT, FontStyle::Normal, FONT_FILE).is_ok(), "the embedded file is a font"));
}

fn drawing(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}
