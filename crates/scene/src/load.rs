//! A complete scene: common settings, and the definition of one simulator.

use std::path::{Path, PathBuf};

use glam::DVec3;
use plimsoll_aggregates::AggregateSettings;
use plimsoll_base::input::{Disk, Files};
use plimsoll_blocks::BlocksSettings;
use plimsoll_bodies::{BodyDefinition, BodyKind};
use plimsoll_contract::{frame::Frame, simulator::Instrument};
use plimsoll_fluid::{
    FluidSettings, Material,
    probes::{Probe, recorded_instruments},
};
use plimsoll_gas::GasSettings;
use plimsoll_grains::GrainsSettings;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use super::{
    body::{self, PlacedBody},
    error::SceneError,
    mechanism, origin, overlap_check,
    read::{Document, Quantity, Range, Table, report_extremes},
    segment_check,
    simulators::{
        aggregates, blocks,
        fluid::{self, Surroundings},
        gas, grains,
    },
    size_check::{self, Extent},
    start::{self, Start},
    view::{self, CameraPath, MaterialLook, PictureSettings},
    waves::WaveContext,
};

/// Format of scenes. Later versions of the program read scenes of this format with the same meaning; a key that gets another meaning, or that a scene
/// of this format cannot do without, requires a new one.
const FORMAT: u64 = 1;

/// Maximum number of frames.
const MAX_FRAME_COUNT: f64 = 1e6;

/// m/s²; single precision is not sufficient for more.
const MAX_GRAVITY: f64 = 1e10;

const DURATION: Quantity = Quantity::new(Range::Positive, "a positive duration in seconds");
const FRAME_RATE: Quantity = Quantity::new(Range::Positive, "a positive number of frames per second");
const CHECKPOINT_INTERVAL: Quantity = Quantity::new(Range::Positive, "a positive interval in seconds of wall time");

/// A scene that has passed every check.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The scene file.
    pub path: PathBuf,
    /// Name of the scene.
    pub title: String,
    /// Simulated seconds.
    pub duration: f64,
    /// Frames written per simulated second.
    pub frames_per_second: f64,
    /// Seconds of wall time between checkpoints.
    pub checkpoint_interval: f64,
    /// Seed of the random number generators.
    pub seed: u64,
    /// The run from whose last state the scene starts, if not from its own fills.
    pub start: Option<Start>,
    /// Frame formats in the order of the file, without duplicates; at least one.
    pub formats: Vec<FrameFormat>,
    /// The simulator with its settings.
    pub definition: Definition,
    /// The camera; absent if the viewer chooses it.
    pub camera: Option<CameraPath>,
    /// Settings of pictures.
    pub picture: PictureSettings,
    /// Valid but probably unintended settings, one line each, with file, line and key.
    pub warnings: Vec<String>,
}

/// The simulator with its settings.
#[derive(Clone, Debug)]
pub enum Definition {
    /// Fluid and rigid bodies.
    Fluid {
        /// Settings of the fluid.
        settings: Box<FluidSettings>,
        /// In the order of the scene.
        bodies: Vec<BodyDefinition>,
    },
    /// Hard spheres or discs.
    Gas(GasSettings),
    /// Brownian aggregates.
    Aggregates(AggregateSettings),
    /// Polygonal blocks.
    Blocks(Box<BlocksSettings>),
    /// Grains and rigid bodies.
    Grains {
        /// Settings of the grains.
        settings: Box<GrainsSettings>,
        /// In the order of the scene.
        bodies: Vec<BodyDefinition>,
    },
}

impl Definition {
    /// The instruments of a run of this scene as they were at `frame`, to be shown; `value` returns what the quantity (second argument) of an
    /// instrument (first) was. None for simulators without instruments.
    pub fn instruments(&self, frame: &Frame, value: &dyn Fn(&str, &str) -> Option<f64>) -> Vec<Instrument> {
        match self {
            Self::Fluid { settings, .. } => recorded_instruments(settings, frame, value),
            Self::Gas(_) | Self::Aggregates(_) | Self::Blocks(_) | Self::Grains { .. } => Vec::new(),
        }
    }

    /// Leaves out that fluid settles before the start, which takes most of the time of a setup and does not change the number of particles.
    /// Returns whether it would have settled.
    pub fn skip_settling(&mut self) -> bool {
        match self {
            Self::Fluid { settings, .. } => std::mem::take(&mut settings.settle),
            Self::Gas(_) | Self::Aggregates(_) | Self::Blocks(_) | Self::Grains { .. } => false,
        }
    }
}

/// File format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrameFormat {
    /// VTU and PVD, for ParaView.
    Vtk,
    /// PLY, for Blender and others.
    Ply,
}

impl Scene {
    /// Reads and checks the scene file at `path` on the disk, and loads its meshes.
    ///
    /// # Errors
    /// All errors of the file, each with line, key, found and expected value.
    pub fn load(path: &Path) -> Result<Scene, SceneError> {
        Self::load_from(&Disk, path)
    }

    /// Like [`Scene::load`], but reads the scene file, its meshes and all other files that it names from `files`.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn load_from(files: &dyn Files, path: &Path) -> Result<Scene, SceneError> {
        let text = files.read_text(path).map_err(|error| SceneError::unreadable(path, &error))?;
        Self::parse_from(files, &text, path)
    }

    /// Like [`Scene::load`], but reads the given `text`; messages name `path`, and relative mesh paths start at its folder.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn parse(text: &str, path: &Path) -> Result<Scene, SceneError> {
        Self::parse_from(&Disk, text, path)
    }

    /// Like [`Scene::parse`], with the meshes and all other files that the scene names from `files`.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn parse_from(files: &dyn Files, text: &str, path: &Path) -> Result<Scene, SceneError> {
        let document = Document::new(files, path, text);
        let scene = read_document(&document, text);
        let warnings = document.close()?;
        let scene = scene.expect("a scene without problems is complete");
        Ok(Scene { warnings, ..scene })
    }
}

/// The probes in `text`, a file of `[[probe]]` tables at `path`, for a scene of `scene_text`, which is at `scene_path` on the disk. Messages name the
/// file in which the problem is.
///
/// # Errors
/// All errors of the scene, or all errors of the probes; also if the scene has no fluid or the file no probe.
pub fn load_probes(scene: (&str, &Path), probes: (&str, &Path)) -> Result<(Scene, Vec<Probe>), SceneError> {
    load_probes_from(&Disk, scene, probes)
}

/// Like [`load_probes`], with the meshes and all other files that the scene names from `files`.
///
/// # Errors
/// As [`load_probes`].
pub fn load_probes_from(
    files: &dyn Files,
    (scene_text, scene_path): (&str, &Path),
    (text, path): (&str, &Path),
) -> Result<(Scene, Vec<Probe>), SceneError> {
    let scene = Scene::parse_from(files, scene_text, scene_path)?;
    let scene_document = Document::new(files, scene_path, scene_text);
    let scene_root = DeTable::parse(scene_text).expect("a scene without problems is valid TOML");
    let scene_root = Table::root(&scene_document, scene_root.get_ref());
    origin::read(&scene_root, None);
    let waves = WaveContext { gravity: read_gravity(&scene_root), seed: scene.seed };
    let bodies = body::read_all(&scene_root, &waves, scene.start.as_ref().map_or(0.0, |start| start.time));
    let document = Document::new(files, path, text);
    document.origin.set(scene_document.origin.get());
    let mut probes = Vec::new();
    match DeTable::parse(text) {
        Ok(root) => {
            report_extremes(&document, root.get_ref());
            let root = Table::root(&document, root.get_ref());
            probes = fluid::read_probes(&root, &bodies, scene.frames_per_second);
            if !matches!(scene.definition, Definition::Fluid { .. }) {
                document.report(1, "probe", "a run without fluid", "a run of simulator \"fluid\"");
            } else if !root.has("probe") {
                root.missing("probe", "at least one [[probe]]");
            } else if document.is_sound() {
                refuse_events(&root);
            }
            root.finish();
        }
        Err(error) => report_syntax(&document, &error),
    }
    document.close()?;
    Ok((scene, probes))
}

/// Reports probes of events, which need every step.
fn refuse_events(root: &Table) {
    for table in root.tables("probe").iter().filter(|table| table.has_text("measures", "events")) {
        let expected = "it only in a scene: events are found from step to step";
        root.document.report(table.line_of("measures"), &table.key("measures"), "\"events\" for the frames of a run", expected);
    }
}

fn report_syntax(document: &Document, error: &toml::de::Error) {
    let line = document.line(error.span().map_or(0, |span| span.start));
    document.report(line, "", format!("a syntax error ({})", error.message().replace('\n', "; ")), "valid TOML");
}

/// The scene; absent if a problem was recorded in the document.
pub(super) fn read_document(document: &Document, text: &str) -> Option<Scene> {
    let root = match DeTable::parse(text) {
        Ok(root) => root,
        Err(error) => {
            report_syntax(document, &error);
            return None;
        }
    };
    report_extremes(document, root.get_ref());
    if !document.is_sound() {
        // Some values are computed while the scene is read.
        return None;
    }
    let root = Table::root(document, root.get_ref());
    let format = root.integer_or("format", 1, FORMAT);
    if format > FORMAT {
        // What a later version means by the other keys is unknown.
        let expected = format!("at most {FORMAT}, the format that plimsoll {} reads: use a later version", env!("CARGO_PKG_VERSION"));
        document.report(root.line_of("format"), "format", format.to_string(), expected);
        return None;
    }
    let scene = read_root(&root);
    root.finish();
    scene.filter(|_| document.is_sound())
}

fn read_root(root: &Table) -> Option<Scene> {
    let simulator = root.choice("simulator", &["fluid", "gas", "grains", "aggregates", "blocks"]);
    origin::read(root, simulator);
    let title = root.text("title", "a title in quotes");
    let times = read_times(root);
    let seed = root.integer_or("seed", 0, 0);
    let (checkpoint_interval, formats) = read_output(root);
    let mut start = match simulator {
        Some(simulator @ ("gas" | "aggregates" | "blocks" | "grains")) => start::refuse(root, simulator),
        _ => start::read(root),
    };
    let (definition, names) = match simulator {
        Some("gas") => (gas::read(root, seed, times.map_or(0.0, |(duration, _)| duration)).map(Definition::Gas), Vec::new()),
        Some("aggregates") => (aggregates::read(root, seed).map(Definition::Aggregates), Vec::new()),
        Some("blocks") => (blocks::read(root, seed, times).map(|settings| Definition::Blocks(Box::new(settings))), Vec::new()),
        Some("grains") => read_grains(root, seed, times),
        _ => read_fluid(root, seed, times, &mut start),
    };
    let camera = view::read_camera(root);
    let mut picture = view::read_picture(root, &names.iter().map(String::as_str).collect::<Vec<_>>());
    if let Some(Definition::Fluid { settings, .. }) = &definition {
        let look = |material: &Material| MaterialLook { name: material.name.clone(), color: material.color };
        picture.materials = settings.materials.iter().map(look).collect();
    }
    simulator?;
    let (duration, frames_per_second) = times?;
    Some(Scene {
        path: root.document.path.to_path_buf(),
        title: title?.to_owned(),
        duration,
        frames_per_second,
        checkpoint_interval,
        seed,
        start,
        formats,
        definition: definition?,
        camera,
        picture,
        warnings: Vec::new(),
    })
}

/// The fluid and its bodies, if they are valid, and the names of the bodies.
fn read_fluid(root: &Table, seed: u64, times: Option<(f64, f64)>, start: &mut Option<Start>) -> (Option<Definition>, Vec<String>) {
    let gravity = read_gravity(root);
    let start_time = start.as_ref().map_or(0.0, |start| start.time);
    let mut bodies = body::read_all(root, &WaveContext { gravity, seed }, start_time);
    *start = start.take().map(|start| start.with_bodies(&bodies));
    let mechanism = mechanism::read(root, &bodies, gravity);
    let frame_interval = times.map_or(f64::INFINITY, |(_, frames_per_second)| 1.0 / frames_per_second);
    let names = bodies.iter().map(|body| body.definition.name.clone()).collect();
    let times = [start_time, start_time + times.map_or(0.0, |(duration, _)| duration)];
    let Some((settings, places)) = fluid::read(
        root,
        &Surroundings { gravity, times, frame_interval, bodies: &bodies, mechanism: &mechanism, continues: root.has("start_from") },
    ) else {
        return (None, names);
    };
    // The size of another run's fluid is unknown.
    let extent = if start.is_none() { Extent::of_fluid(&settings, times) } else { None };
    size_check::check(root, extent.as_ref(), &mut bodies);
    if root.document.is_sound() {
        mechanism::check_periodic(root, &settings.mechanism, &bodies, &settings.domain);
    }
    if root.document.is_sound() {
        origin::check(root.document, &settings, &places, &bodies);
    }
    if root.document.is_sound() {
        match start {
            // Where the bodies are is known only with the state of the other run.
            Some(_) => overlap_check::check_particle_count(root.document, &settings, &places, times),
            None => overlap_check::check(root.document, &settings, &places, &bodies, times),
        }
    }
    if root.document.is_sound() {
        // What stands still is cut around the fluid, and where that is, is known only with the state of another run.
        let known = bodies.iter().filter(|body| start.is_none() || !matches!(body.definition.kind, BodyKind::Static));
        segment_check::check(root.document, &settings.segment_limits(), &settings.domain, known);
    }
    if root.document.is_sound() {
        fluid::check_contents(root.document, &settings, &places.fills, &places.emitters, &bodies);
        // Where fluid and bodies are is known only with the state of another run.
        let placed = if start.is_none() { bodies.as_slice() } else { &[] };
        fluid::check_domain(root.document, &settings, &places.fills, &places.emitters, placed);
        fluid::warn_of_thin_bodies(root.document, &settings, &bodies);
        if start.is_none() {
            fluid::warn_of_places(root, &settings, &bodies);
        }
    }
    let bodies = bodies.into_iter().map(|PlacedBody { definition, .. }| definition).collect();
    (Some(Definition::Fluid { settings: Box::new(settings), bodies }), names)
}

/// The grains and the bodies among them, if they are valid, and the names of the bodies.
fn read_grains(root: &Table, seed: u64, times: Option<(f64, f64)>) -> (Option<Definition>, Vec<String>) {
    let gravity = read_gravity(root);
    let mut bodies = body::read_all(root, &WaveContext { gravity, seed }, 0.0);
    for body in &bodies {
        let BodyDefinition { kind, presence, .. } = &body.definition;
        let keys =
            [("deformation", kind.deformation().is_some()), ("appears", presence.from > 0.0), ("vanishes", presence.until.is_some())];
        for (key, _) in keys.iter().filter(|(_, given)| *given) {
            let expected = "it only with simulator = \"fluid\"";
            root.document.report(body.line, &format!("{}.{key}", body.key), "this key with simulator = \"grains\"", expected);
        }
    }
    let names = bodies.iter().map(|body| body.definition.name.clone()).collect();
    let mechanism = mechanism::read(root, &bodies, gravity);
    let settings = grains::read(root, &grains::GrainsContext { gravity, seed, duration: times.map_or(0.0, |(duration, _)| duration) });
    size_check::check(root, settings.as_ref().and_then(Extent::of_grains).as_ref(), &mut bodies);
    if root.document.is_sound() {
        overlap_check::check_bodies_alone(root.document, &bodies, &mechanism);
    }
    let bodies = bodies.into_iter().map(|PlacedBody { definition, .. }| definition).collect();
    (settings.map(|settings| Definition::Grains { settings: Box::new(GrainsSettings { mechanism, ..settings }), bodies }), names)
}

fn read_gravity(root: &Table) -> DVec3 {
    let expected = "an acceleration [x, y, z] in m/s²";
    let gravity = root.vector_or("gravity", expected, DVec3::new(0.0, -9.81, 0.0));
    if gravity.length() > MAX_GRAVITY {
        root.document.report(
            root.line_of("gravity"),
            "gravity",
            format!("{:e} m/s²", gravity.length()),
            format!("{expected}, at most {MAX_GRAVITY:e}"),
        );
    }
    gravity
}

/// Duration (s) and frames per second, if both are present and compatible.
fn read_times(root: &Table) -> Option<(f64, f64)> {
    let duration = root.number("duration", DURATION);
    let frames_per_second = root.number("frames_per_second", FRAME_RATE);
    let (duration, frames_per_second) = (duration?, frames_per_second?);
    let frames = duration * frames_per_second;
    if frames < 1.0 {
        let expected = format!("at least the frame interval, {} s", 1.0 / frames_per_second);
        root.document.report(root.line_of("duration"), "duration", format!("{duration}"), expected);
    } else if frames > MAX_FRAME_COUNT {
        let found = format!("{duration} s at {frames_per_second} frames per second, which are {frames:.0} frames");
        root.document.report(root.line_of("duration"), "duration", found, format!("at most {MAX_FRAME_COUNT} frames"));
    }
    Some((duration, frames_per_second))
}

/// Checkpoint interval and frame formats.
fn read_output(root: &Table) -> (f64, Vec<FrameFormat>) {
    let mut output = (60.0, vec![FrameFormat::Vtk]);
    let Some(table) = root.table("output", "a table [output]") else { return output };
    output.0 = table.number_or("checkpoint_interval", CHECKPOINT_INTERVAL, output.0);
    if let Some(names) = table.choices("formats", &["vtk", "ply"]) {
        output.1.clear();
        for name in names {
            let format = if name == "vtk" { FrameFormat::Vtk } else { FrameFormat::Ply };
            if !output.1.contains(&format) {
                output.1.push(format);
            }
        }
        if output.1.is_empty() {
            table.document.report(table.line_of("formats"), &table.key("formats"), "no format", "at least one of \"vtk\", \"ply\"");
        }
    }
    table.finish();
    output
}
