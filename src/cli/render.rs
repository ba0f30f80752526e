//! `plimsoll render`: pictures and film, without a window.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use glam::DVec3;
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    Failure,
    preparation::prepare,
    run::{load_scene, use_threads},
    terminal::report,
};
use crate::{
    output::Recording,
    run::RunPlan,
    scene::{CameraPath, ParticleStyle, PictureSettings, Viewpoint},
    viewer::{
        Appearance, FrameSelection, FrameSource, LiveSource, RenderOptions, ValueRange, ViewerError, adapter_warning, render, scene_of,
    },
};

/// Default angle of view of `--camera`, degrees.
const ANGLE_OF_VIEW: f64 = 35.0;
/// Default number of light paths per pixel with `--path-trace`.
const PATHS: &str = "128";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  plimsoll render scenes/fluid/floating.toml --out film.mp4
  plimsoll render out/floating --out pictures --frames 0..100/10 --color-by pressure
  plimsoll render out/floating --out still.png --frames 50 --style surface --size 1920x1080
  plimsoll render out/floating --out film.gif --size 480x270 --camera '4,2,5 1,0.5,0.5' --orbit 20

Requires a GPU with Vulkan or software Vulkan, but no display (Debian, Ubuntu: apt-get install mesa-vulkan-drivers libvulkan1).
The same input gives the same pixels on the same adapter.")]
pub struct RenderArguments {
    /// Folder of a run, or a scene file to simulate and render
    source: PathBuf,
    /// Film (.mp4), animation (.gif), one picture (.png), or a folder for numbered pictures
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x720")]
    size: [u32; 2],
    /// `auto`, or position and target in m and optionally the angle of view in degrees: 'x,y,z x,y,z 35' [default: from the scene,
    /// otherwise auto]
    #[arg(long, value_name = "CAMERA", value_parser = camera, allow_hyphen_values = true)]
    camera: Option<CameraChoice>,
    /// Rotation of the camera around its target, degrees per simulated second
    #[arg(long, value_name = "DEGREES", value_parser = finite, allow_negative_numbers = true)]
    orbit: Option<f64>,
    /// Frames, numbered from 0: `7`, `0..100`, `0..100/5`, `50..` or `all` [default: all; for a single picture the last]
    #[arg(long, value_name = "FRAMES", value_parser = frames)]
    frames: Option<FrameSelection>,
    /// Frame rate of the film [default: real time]
    #[arg(long, value_name = "NUMBER", value_parser = finite)]
    frames_per_second: Option<f64>,
    /// Style of the particles [default: from the scene, otherwise particles]
    #[arg(long, value_enum, value_name = "STYLE")]
    style: Option<Style>,
    /// Field by which particles are colored, such as velocity, density, pressure, id [default: from the scene, otherwise velocity]
    #[arg(long, value_name = "FIELD")]
    color_by: Option<String>,
    /// Values at the ends of the color scale [default: range of the frames]
    #[arg(long, value_name = "LOWER,UPPER", value_parser = range, allow_negative_numbers = true)]
    range: Option<ValueRange>,
    /// No legend
    #[arg(long)]
    no_legend: bool,
    /// No floor
    #[arg(long)]
    no_floor: bool,
    /// Path tracing with this number of paths per pixel: slow, but with correct shadows, reflections and refraction
    #[arg(long, value_name = "PATHS", num_args = 0..=1, default_missing_value = PATHS, value_parser = clap::value_parser!(u32).range(1..))]
    path_trace: Option<u32>,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// A camera from the command line; `None` for `auto`.
#[derive(Clone, Debug, PartialEq)]
struct CameraChoice(Option<CameraPath>);

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Style {
    /// Shaded spheres
    Particles,
    /// Flat dots
    Points,
    /// Water surface
    Surface,
}

impl Style {
    pub(super) fn in_scene(self) -> ParticleStyle {
        match self {
            Self::Particles => ParticleStyle::Particles,
            Self::Points => ParticleStyle::Points,
            Self::Surface => ParticleStyle::Surface,
        }
    }
}

pub fn run(arguments: &RenderArguments) -> Result<(), Failure> {
    use_threads(arguments.threads)?;
    let (mut source, camera, settings) = open(&arguments.source)?;
    let options = options(arguments, camera, &settings);
    if options.out.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("png")) {
        adapter_warning().into_iter().for_each(|warning| report(&warning));
    }
    let bar = progress_bar();
    let done = render(&mut *source, &options, &mut |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let pictures = done.map_err(failure)?;
    let noun = if pictures == 1 { "picture" } else { "pictures" };
    report(&format!("{pictures} {noun} in {}", options.out.display()));
    Ok(())
}

/// The source of the frames, and the scene's settings of camera and appearance.
type Opened = (Box<dyn FrameSource>, Option<CameraPath>, PictureSettings);

fn open(path: &Path) -> Result<Opened, Failure> {
    if path.is_dir() {
        let recording = Recording::open(path).map_err(Failure::bad_input)?;
        let (camera, settings) = match scene_of(&recording) {
            Ok(scene) => (scene.camera, scene.picture),
            Err(error) => {
                report(&format!("without `[camera]` and `[render]` of the scene, which cannot be read from here:\n{error}"));
                (None, PictureSettings::default())
            }
        };
        return Ok((Box::new(recording), camera, settings));
    }
    let (scene, text) = load_scene(path)?;
    let plan = RunPlan::new(&scene, text);
    report(&format!("{}: preparing the simulation", scene.title));
    let simulation = prepare(scene.definition, scene.start.as_ref(), &plan.scene, &AtomicBool::new(false))?.simulation;
    Ok((Box::new(LiveSource::new(simulation, plan.schedule)), scene.camera, scene.picture))
}

fn options(arguments: &RenderArguments, camera: Option<CameraPath>, settings: &PictureSettings) -> RenderOptions {
    let mut appearance = Appearance::new(settings);
    if let Some(style) = arguments.style {
        appearance.style = style.in_scene();
    }
    if let Some(color_by) = &arguments.color_by {
        appearance.color_by.clone_from(color_by);
    }
    appearance.range = arguments.range;
    appearance.legend = !arguments.no_legend;
    appearance.floor &= !arguments.no_floor;
    appearance.traced = arguments.path_trace.is_some();
    RenderOptions {
        out: arguments.out.clone(),
        size: arguments.size,
        appearance,
        camera: arguments.camera.clone().map_or(camera, |CameraChoice(choice)| choice),
        orbit: arguments.orbit.map(f64::to_radians),
        frames: arguments.frames,
        frames_per_second: arguments.frames_per_second,
        paths: arguments.path_trace,
    }
}

fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:24} {pos} of {len} pictures, {eta} left").expect("the template is well-formed");
    ProgressBar::new(0).with_style(style)
}

/// Classifies the error as bad input or a failure.
pub(super) fn failure(error: anyhow::Error) -> Failure {
    match error.downcast_ref::<ViewerError>() {
        Some(ViewerError::BadInput(_) | ViewerError::NoField { .. }) => Failure::BadInput(error),
        _ => Failure::Running(error),
    }
}

pub(super) fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    match sides {
        Some(size) if size.iter().all(|side| (16..=16384).contains(side)) => Ok(size),
        _ => Err("expected width and height from 16 to 16384, such as 1280x720".to_owned()),
    }
}

fn camera(text: &str) -> Result<CameraChoice, String> {
    if text == "auto" {
        return Ok(CameraChoice(None));
    }
    let viewpoint = || {
        let mut parts = text.split_whitespace();
        let (position, look_at) = (vector(parts.next()?)?, vector(parts.next()?)?);
        let angle: f64 = parts.next().map_or(Some(ANGLE_OF_VIEW), |angle| angle.parse().ok())?;
        let offset = position - look_at;
        let fits = parts.next().is_none() && angle > 0.0 && angle <= 150.0 && offset.x.hypot(offset.z) > 0.0;
        fits.then_some(Viewpoint { position, look_at, angle_of_view: angle.to_radians() })
    };
    let expected = "expected auto, or position, target and optionally an angle, such as '4,2,5 1,0.5,0.5 35'; not vertically down";
    viewpoint().map(|viewpoint| CameraChoice(Some(CameraPath::fixed(viewpoint)))).ok_or_else(|| expected.to_owned())
}

fn vector(text: &str) -> Option<DVec3> {
    let numbers = text.split(',').map(|number| number.parse::<f64>().ok()).collect::<Option<Vec<_>>>()?;
    let vector = DVec3::from_array(numbers.try_into().ok()?);
    vector.is_finite().then_some(vector)
}

fn frames(text: &str) -> Result<FrameSelection, String> {
    let parse = || -> anyhow::Result<FrameSelection> {
        let (range, step) = text.split_once('/').unwrap_or((text, "1"));
        let step: u64 = step.parse()?;
        anyhow::ensure!(step > 0, "the step is 0");
        if range == "all" {
            return Ok(FrameSelection { first: 0, last: None, step });
        }
        let Some((first, last)) = range.split_once("..") else {
            let frame = range.parse()?;
            return Ok(FrameSelection { first: frame, last: Some(frame), step });
        };
        let last = if last.is_empty() { None } else { Some(last.parse()?) };
        Ok(FrameSelection { first: first.parse()?, last, step })
    };
    parse().map_err(|_| "expected frames such as 7, 0..100, 0..100/5, 50.. or all".to_owned())
}

fn range(text: &str) -> Result<ValueRange, String> {
    let ends = text.split_once(',').and_then(|(lower, upper)| Some((lower.parse().ok()?, upper.parse().ok()?)));
    match ends {
        Some((lower, upper)) if lower < upper => Ok(ValueRange { lower, upper }),
        _ => Err("expected two numbers, the lower first, such as 0,2.5".to_owned()),
    }
}

fn finite(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(|| anyhow!("expected a number").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_told_in_several_ways() {
        let selection = |first, last, step| Ok(FrameSelection { first, last, step });
        assert_eq!(frames("7"), selection(7, Some(7), 1));
        assert_eq!(frames("0..100/5"), selection(0, Some(100), 5));
        assert_eq!(frames("50.."), selection(50, None, 1));
        assert_eq!(frames("all/2"), selection(0, None, 2));
        for wrong in ["", "x", "1..2/0", "-3", "1..2..3"] {
            assert!(frames(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn cameras_are_told_by_numbers() {
        assert_eq!(camera("auto"), Ok(CameraChoice(None)));
        let CameraChoice(viewpoint) = camera("4,2,5 1,0.5,0.5 40").expect("a camera");
        let viewpoint = viewpoint.expect("not auto").at(0.0);
        assert_eq!((viewpoint.position, viewpoint.look_at), (DVec3::new(4.0, 2.0, 5.0), DVec3::new(1.0, 0.5, 0.5)));
        for wrong in ["4,2 1,0,0", "0,5,0 0,0,0", "4,2,5", "4,2,5 1,0,0 400", "4,2,5 1,0,0 30 2"] {
            assert!(camera(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_and_ranges_are_checked() {
        assert_eq!(size("1280x720"), Ok([1280, 720]));
        assert!(size("1280").is_err() && size("0x10").is_err() && size("99999x10").is_err());
        assert!(range("1,0").is_err() && range("0,1").is_ok());
    }
}
