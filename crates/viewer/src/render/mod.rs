//! Renders frames to pictures, off screen.

mod offscreen;
mod source;

use std::{path::PathBuf, sync::Arc};

use plimsoll_contract::frame::Frame;
use plimsoll_scene::{CameraPath, ParticleStyle};

pub use self::{
    offscreen::{Offscreen, View},
    source::{LiveSource, scene_of},
};
use crate::{
    appearance::Appearance,
    camera::{automatic, bounds},
    error::ViewerError,
    film::Film,
    playback_rate::film_rate,
    water::water_surfaces,
};

/// A source of consecutive frames.
pub trait FrameSource {
    /// Total number of frames.
    fn count(&self) -> u64;

    /// Frames per second of simulated time.
    fn frames_per_second(&self) -> f64;

    /// Frame `index`; each is requested once, in increasing order.
    ///
    /// # Errors
    /// If the frame is not available.
    fn frame(&mut self, index: u64) -> anyhow::Result<Frame>;

    /// Frames for choosing the color range before the first is drawn; none if they are expensive.
    fn preview(&mut self) -> Vec<Frame> {
        Vec::new()
    }
}

/// Which of the frames are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameSelection {
    /// Number of the first frame.
    pub first: u64,
    /// Absent: the last frame.
    pub last: Option<u64>,
    /// Distance between drawn frames; 1 draws each.
    pub step: u64,
}

/// Which pictures are drawn, and how.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// A film, an animation, a picture or a folder, according to the extension.
    pub out: PathBuf,
    /// Pixels.
    pub size: [u32; 2],
    /// How the frames look.
    pub appearance: Appearance,
    /// Absent: one that shows everything.
    pub camera: Option<CameraPath>,
    /// Angular velocity that replaces that of the camera, rad/s.
    pub orbit: Option<f64>,
    /// Absent: all, or the last if `out` is a single picture.
    pub frames: Option<FrameSelection>,
    /// Frame rate of the film; absent: as simulated, if that can be watched.
    pub frames_per_second: Option<f64>,
    /// Light paths per pixel, if light is traced.
    pub paths: Option<u32>,
}

/// Draws the frames of `source`; calls `progress` after each with the number of frames done and the total. Returns the number of pictures.
///
/// # Errors
/// Frames that are not available or cannot be drawn, files that cannot be written.
pub fn render(source: &mut dyn FrameSource, options: &RenderOptions, progress: &mut dyn FnMut(u64, u64)) -> anyhow::Result<u64> {
    let selection = selection(source, options)?;
    let last = selection.last.unwrap_or(0);
    let total = (last - selection.first) / selection.step + 1;
    let rate = options.frames_per_second.unwrap_or_else(|| film_rate(source.frames_per_second()) / selection.step as f64);
    let mut film = Film::create(&options.out, options.size, rate)?;
    let mut offscreen: Option<(Offscreen, CameraPath)> = None;
    for number in 0..total {
        let frame = Arc::new(source.frame(selection.first + number * selection.step)?);
        if offscreen.is_none() {
            offscreen = Some(open(source, &frame, options)?);
        }
        let (offscreen, camera) = offscreen.as_mut().expect("opened with the first frame");
        let water = (options.appearance.style == ParticleStyle::Surface).then(|| water_surfaces(&frame)).transpose()?.unwrap_or_default();
        let viewpoint = camera.at(frame.time);
        film.push(&offscreen.picture(View { frame, appearance: options.appearance.clone(), viewpoint, water })?)?;
        progress(number + 1, total);
    }
    film.finish()?;
    Ok(total)
}

fn open(source: &mut dyn FrameSource, first: &Frame, options: &RenderOptions) -> anyhow::Result<(Offscreen, CameraPath)> {
    let bounds = bounds(first);
    let [width, height] = options.size.map(f64::from);
    let camera = options.camera.clone().unwrap_or_else(|| CameraPath::fixed(automatic(&bounds, width / height)));
    let camera = options.orbit.map_or(camera.clone(), |orbit| camera.orbiting(orbit));
    let mut offscreen = Offscreen::open(options.size, &bounds, &options.appearance, options.paths)?;
    for frame in source.preview() {
        offscreen.include_range(frame, &options.appearance)?;
    }
    Ok((offscreen, camera))
}

/// The requested frames, or the default ones; the last is always set.
fn selection(source: &dyn FrameSource, options: &RenderOptions) -> Result<FrameSelection, ViewerError> {
    let count = source.count();
    let single = options.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    let end = count.saturating_sub(1);
    let selection = options.frames.unwrap_or(FrameSelection { first: if single { end } else { 0 }, last: None, step: 1 });
    let last = selection.last.unwrap_or(end);
    if count == 0 || last >= count || selection.first > last {
        let found = format!("found the frames {} to {last}, expected some of the {count} there are, counted from 0", selection.first);
        return Err(ViewerError::BadInput(found));
    }
    Ok(FrameSelection { last: Some(last), ..selection })
}
