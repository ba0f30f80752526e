//! Animated GIFs that loop forever. A pixel that hardly changes is left unchanged, which keeps the file small.

use std::{
    fs::File,
    io::BufWriter,
    path::{Path, PathBuf},
};

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::Picture;
use crate::error::{ViewerError, unwritable};

/// Maximum unnoticed change of a pixel, summed over its channels in steps of 256.
const UNNOTICED: u32 = 5;
/// Speed of the color quantization, from 1 (best) to 30 (fastest).
const SPEED: i32 = 3;

/// An animation being written.
pub struct Animation {
    path: PathBuf,
    encoder: Encoder<BufWriter<File>>,
    /// The picture as it is on the screen.
    shown: Option<Vec<u8>>,
    frames_per_second: f64,
    frames: u64,
}

impl Animation {
    /// # Errors
    /// The size exceeds the limits of the format, or the file cannot be written.
    pub fn create(path: &Path, size: [u32; 2], frames_per_second: f64) -> Result<Self, ViewerError> {
        let [Ok(width), Ok(height)] = size.map(u16::try_from) else {
            return Err(ViewerError::BadInput(format!("found an animation of {} x {} pixels, expected at most 65535", size[0], size[1])));
        };
        let file = BufWriter::new(File::create(path).map_err(|error| unwritable(path, &error))?);
        let mut encoder = Encoder::new(file, width, height, &[]).map_err(|error| unwritable(path, &error))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|error| unwritable(path, &error))?;
        Ok(Self { path: path.to_owned(), encoder, shown: None, frames_per_second, frames: 0 })
    }

    pub fn push(&mut self, picture: &Picture) -> Result<(), ViewerError> {
        let mut rgba: Vec<u8> = picture.pixels.chunks_exact(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect();
        if let Some(shown) = &mut self.shown {
            for ((pixel, new), old) in rgba.chunks_exact_mut(4).zip(picture.pixels.chunks_exact(3)).zip(shown.chunks_exact_mut(3)) {
                let change: u32 = new.iter().zip(old.iter()).map(|(new, old)| u32::from(new.abs_diff(*old))).sum();
                if change <= UNNOTICED {
                    pixel.copy_from_slice(&[0, 0, 0, 0]);
                } else {
                    old.copy_from_slice(new);
                }
            }
        } else {
            self.shown = Some(picture.pixels.clone());
        }
        let mut frame = Frame::from_rgba_speed(picture.width as u16, picture.height as u16, &mut rgba, SPEED);
        frame.dispose = DisposalMethod::Keep;
        frame.delay = self.delay();
        self.frames += 1;
        self.encoder.write_frame(&frame).map_err(|error| unwritable(&self.path, &error))
    }

    /// Hundredths of a second for which the next picture is shown. Rounding errors do not accumulate.
    fn delay(&self) -> u16 {
        let time = |frame: u64| (100.0 * frame as f64 / self.frames_per_second).round();
        (time(self.frames + 1) - time(self.frames)).clamp(2.0, f64::from(u16::MAX)) as u16
    }

    pub fn finish(self) -> Result<(), ViewerError> {
        let path = self.path;
        let file = self.encoder.into_inner().map_err(|error| unwritable(&path, &error))?;
        file.into_inner().map(drop).map_err(|error| unwritable(&path, &error))
    }
}
