//! From frames to pictures, off screen.

mod offscreen;
mod source;

use std::{path::PathBuf, sync::Arc};

pub use self::{
    offscreen::{Offscreen, View},
    source::{LiveSource, scene_of},
};
use crate::{
    frame::Frame,
    scene::{CameraPath, ParticleStyle},
    viewer::{
        appearance::Appearance,
        camera::{automatic, bounds},
        error::ViewerError,
        film::Film,
        playback_rate::film_rate,
        water::water_surface,
    },
};

/// Where frames come from, one after the other.
pub trait FrameSource {
    /// Number of frames there will be.
    fn count(&self) -> u64;

    /// Frames per second of simulated time.
    fn frames_per_second(&self) -> f64;

    /// Frame `index`; each is asked for once, in increasing order.
    ///
    /// # Errors
    /// If it cannot be had.
    fn frame(&mut self, index: u64) -> anyhow::Result<Frame>;

    /// Frames that can be looked at before the first is drawn, to choose a range of colors; none if that is not for free.
    fn preview(&mut self) -> Vec<Frame> {
        Vec::new()
    }
}

/// Which frames are drawn, of all there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameSelection {
    /// Number of the first frame.
    pub first: u64,
    /// Absent: the last there is.
    pub last: Option<u64>,
    /// Distance of frames that are drawn; 1 draws each.
    pub step: u64,
}

/// What pictures are wanted.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// A film, an animation, a picture or a folder, told by its ending.
    pub out: PathBuf,
    /// Pixels.
    pub size: [u32; 2],
    /// How the frames look.
    pub appearance: Appearance,
    /// Absent: one that sees everything.
    pub camera: Option<CameraPath>,
    /// Angular velocity that is put in place of that of the camera, rad/s.
    pub orbit: Option<f64>,
    /// Absent: all, or the last if `out` is a single picture.
    pub frames: Option<FrameSelection>,
    /// Of the film; absent: as fast as simulated, if that can be watched.
    pub frames_per_second: Option<f64>,
    /// Paths of light per pixel, if they are traced.
    pub paths: Option<u32>,
}

/// Draws the frames of `source`; `progress` is told after each how many are done, of how many. Returns the number of pictures.
///
/// # Errors
/// Frames that cannot be had or drawn, files that cannot be written.
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
        let water = (options.appearance.style == ParticleStyle::Surface).then(|| water_surface(&frame)).transpose()?;
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
        offscreen.foresee(frame, &options.appearance)?;
    }
    Ok((offscreen, camera))
}

/// The frames asked for, or the usual ones; the last always given.
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
