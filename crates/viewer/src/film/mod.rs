//! Output of pictures: a film, an animation, numbered pictures in a folder, or a single picture.

mod gif;
mod mp4;
mod picture;

use std::{
    fs,
    path::{Path, PathBuf},
};

pub use self::picture::Picture;
use self::{gif::Animation, mp4::Movie};
use super::error::{ViewerError, unwritable};

/// Receives one picture after the other.
pub enum Film {
    /// H.264 in MP4.
    Movie(Box<Movie>),
    Animation(Box<Animation>),
    /// `picture_000000.png` and so on in a folder.
    Pictures {
        folder: PathBuf,
        next: usize,
    },
    /// A single PNG of the last picture.
    Picture(PathBuf),
}

impl Film {
    /// Chooses the kind of film by the extension of `path`: `.mp4`, `.gif`, `.png`, or none for a folder. `size` is the width and height of
    /// the pictures in pixels.
    ///
    /// # Errors
    /// Another extension, a size that the format does not support, or a path that cannot be written.
    pub fn create(path: &Path, size: [u32; 2], frames_per_second: f64) -> Result<Self, ViewerError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("mp4") => Ok(Self::Movie(Box::new(Movie::create(path, size, frames_per_second)?))),
            Some("gif") => Ok(Self::Animation(Box::new(Animation::create(path, size, frames_per_second)?))),
            Some("png") => Ok(Self::Picture(path.to_owned())),
            None => {
                fs::create_dir_all(path).map_err(|error| unwritable(path, &error))?;
                Ok(Self::Pictures { folder: path.to_owned(), next: 0 })
            }
            Some(other) => Err(ViewerError::BadInput(format!(
                "{}: found the ending .{other}, expected .mp4, .gif, .png, or a folder for pictures",
                path.display()
            ))),
        }
    }

    /// Appends `picture`.
    pub fn push(&mut self, picture: &Picture) -> Result<(), ViewerError> {
        match self {
            Self::Movie(movie) => movie.push(picture),
            Self::Animation(animation) => animation.push(picture),
            Self::Pictures { folder, next } => {
                *next += 1;
                picture.save_png(&folder.join(format!("picture_{:06}.png", *next - 1)))
            }
            Self::Picture(path) => picture.save_png(path),
        }
    }

    /// Writes the remaining data.
    pub fn finish(self) -> Result<(), ViewerError> {
        match self {
            Self::Movie(movie) => movie.finish(),
            Self::Animation(animation) => animation.finish(),
            Self::Pictures { .. } | Self::Picture(_) => Ok(()),
        }
    }
}
