//! One picture: rows of red, green and blue bytes from the top left.

use std::{fs::File, path::Path};

use plimsoll_output::file::replace_file;

use crate::error::{ViewerError, unwritable};

/// A picture in sRGB, three bytes per pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Rows from the top, three bytes per pixel.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// Writes the picture as PNG.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_png(&self, path: &Path) -> Result<(), ViewerError> {
        let written = replace_file(path, |file| {
            let mut encoder = png::Encoder::new(file, self.width, self.height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&self.pixels)?;
            Ok(writer.finish()?)
        });
        written.map_err(|error| unwritable(path, &error.source))
    }

    /// Reads an RGB PNG with eight bits per channel.
    ///
    /// # Errors
    /// If the file cannot be read or has another format.
    pub fn load_png(path: &Path) -> Result<Self, ViewerError> {
        let unreadable = |reason: String| ViewerError::Picture { path: path.to_owned(), reason };
        let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().map_err(|error| unreadable(error.to_string()))?;
        let (color, depth) = reader.output_color_type();
        if (color, depth) != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return Err(unreadable(format!("found {color:?} of depth {depth:?}, expected RGB of eight bits")));
        }
        let size = reader.output_buffer_size().ok_or_else(|| unreadable("found a picture too large".to_owned()))?;
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).map_err(|error| unreadable(error.to_string()))?;
        pixels.truncate(info.buffer_size());
        Ok(Self { width: info.width, height: info.height, pixels })
    }

    /// Mean over pixels and channels of the absolute difference, in steps of 256; infinite if the sizes differ.
    pub fn difference(&self, other: &Self) -> f64 {
        if (self.width, self.height) != (other.width, other.height) {
            return f64::INFINITY;
        }
        let sum: u64 = self.pixels.iter().zip(&other.pixels).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f64 / self.pixels.len() as f64
    }
}
