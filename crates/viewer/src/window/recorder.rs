//! Saves pictures and films of the window.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use kiss3d::window::Window;

use crate::{
    error::ViewerError,
    film::{Film, Picture},
};

/// Pictures per second of a recording.
const FRAMES_PER_SECOND: f64 = 30.0;

/// Captures pictures of the window in real time.
pub struct Recorder {
    folder: PathBuf,
    recording: Option<Recording>,
}

struct Recording {
    film: Film,
    path: PathBuf,
    begin: Instant,
    pictures: u64,
    size: [u32; 2],
}

/// Kind of recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    Pictures,
    Movie,
}

impl Recorder {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), recording: None }
    }

    /// Path of the current recording.
    pub fn path(&self) -> Option<&Path> {
        self.recording.as_ref().map(|recording| recording.path.as_path())
    }

    /// Saves a picture and returns its path.
    pub fn picture(&self, window: &Window) -> Result<PathBuf, ViewerError> {
        let path = self.free_path("png");
        let picture = picture_of(window);
        Film::create(&path, [picture.width, picture.height], FRAMES_PER_SECOND)?.push(&picture)?;
        Ok(path)
    }

    /// Starts a recording, or ends the current one.
    pub fn toggle(&mut self, window: &Window, medium: Medium) -> Result<(), ViewerError> {
        if self.recording.is_some() {
            return self.finish();
        }
        let path = self.free_path(if medium == Medium::Movie { "mp4" } else { "" });
        // A film needs an even width and height.
        let size = [window.width() & !1, window.height() & !1];
        let film = Film::create(&path, size, FRAMES_PER_SECOND)?;
        self.recording = Some(Recording { film, path, begin: Instant::now(), pictures: 0, size });
        Ok(())
    }

    /// Captures the window as often as is due by now.
    pub fn record(&mut self, window: &Window) -> Result<(), ViewerError> {
        let Some(recording) = &mut self.recording else { return Ok(()) };
        let due = (recording.begin.elapsed().as_secs_f64() * FRAMES_PER_SECOND) as u64 + 1;
        if recording.pictures >= due {
            return Ok(());
        }
        let picture = cut(&picture_of(window), recording.size);
        while recording.pictures < due {
            recording.film.push(&picture)?;
            recording.pictures += 1;
        }
        Ok(())
    }

    /// Ends the current recording, if there is one.
    pub fn finish(&mut self) -> Result<(), ViewerError> {
        self.recording.take().map_or(Ok(()), |recording| recording.film.finish())
    }

    /// The first unused path of `plimsoll_001` and so on with the extension `ending`.
    fn free_path(&self, ending: &str) -> PathBuf {
        let name = |number: u32| self.folder.join(format!("plimsoll_{number:03}")).with_extension(ending);
        (1..).map(name).find(|path| !path.exists()).expect("numbers do not run out")
    }
}

fn picture_of(window: &Window) -> Picture {
    let image = window.snap_image();
    Picture { width: image.width(), height: image.height(), pixels: image.into_raw() }
}

/// The upper left part of `picture`, padded with black if it has become smaller than `size`.
fn cut(picture: &Picture, size: [u32; 2]) -> Picture {
    let [width, height] = size;
    let mut pixels = vec![0; 3 * (width * height) as usize];
    let row = 3 * width.min(picture.width) as usize;
    for line in 0..height.min(picture.height) as usize {
        let (to, from) = (line * 3 * width as usize, line * 3 * picture.width as usize);
        pixels[to..to + row].copy_from_slice(&picture.pixels[from..from + row]);
    }
    Picture { width, height, pixels }
}
