//! Reads a run back from its folder: frames with their times, poses of bodies, and polygons.

mod bodies;
mod error;
mod grid;
mod motion;
mod polygon;

use std::path::{Path, PathBuf};

pub use error::RecordingError;
use plimsoll_base::{
    input,
    math::{Domain, ticks::tick},
};
use plimsoll_contract::frame::{Frame, ParticleFrame, PolygonFrame};

use self::bodies::{BodySurface, KnownBodies};
use super::{file::OutputError, run_info::RunInfo};

const RECORD: &str = "run.json";
const BODY_TABLE: &str = "bodies.csv";
const PARTICLE_COLLECTION: &str = "particles.pvd";
const BODY_COLLECTION: &str = "bodies.pvd";
const POLYGON_COLLECTION: &str = "polygons.pvd";
const FIRST_PLY_FRAMES: [&str; 2] = ["particles_000000.ply", "polygons_000000.ply"];

/// The frames of a run, which may be in progress. Frames that exist when the recording is opened are available; each is read on demand.
#[derive(Debug)]
pub struct Recording {
    folder: PathBuf,
    info: RunInfo,
    times: Vec<f64>,
    files: Vec<FrameFile>,
    particle_radius: f32,
    domain: Domain,
    bodies: KnownBodies,
}

/// The files of one frame.
#[derive(Clone, Debug)]
struct FrameFile {
    particles: Option<PathBuf>,
    bodies: Option<PathBuf>,
    polygons: Option<PathBuf>,
}

impl Recording {
    /// The run in `folder`. VTU frames are used if they exist, otherwise PLY frames.
    ///
    /// # Errors
    /// If `folder` is not that of a run, or the list of its frames cannot be read.
    pub fn open(folder: &Path) -> Result<Self, RecordingError> {
        let not_a_run = |missing| RecordingError::NotARun { folder: folder.to_owned(), missing };
        if !folder.join(RECORD).is_file() {
            return Err(not_a_run(RECORD));
        }
        let info = RunInfo::read(&folder.join(RECORD))?;
        let any_file = |names: [&str; 2]| names.iter().any(|name| folder.join(name).is_file());
        let (times, files) = if any_file([PARTICLE_COLLECTION, POLYGON_COLLECTION]) {
            collected_frames(folder)?
        } else if any_file(FIRST_PLY_FRAMES) {
            ply_frames(folder, &info)?
        } else {
            return Err(not_a_run(PARTICLE_COLLECTION));
        };
        let (particle_radius, domain) = (particle_radius(&info), fluid_domain(&info));
        let bodies = KnownBodies::read(&folder.join(BODY_TABLE), &times)?;
        let mut recording = Self { folder: folder.to_owned(), info, times, files, particle_radius, domain, bodies };
        recording.learn_meshes()?;
        Ok(recording)
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Simulated time of each frame, seconds, ascending.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Title of the scene.
    pub fn title(&self) -> &str {
        &self.info.title
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// `run.json` at the time the recording was opened.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Radius of a particle, m; zero if radii differ.
    pub fn particle_radius(&self) -> f32 {
        self.particle_radius
    }

    /// Frame number `index`, starting at 0. Positions and fields are bit-identical to the written ones. All frames share the meshes of the
    /// bodies. Poses and velocities are bit-identical to those in `bodies.csv`, or else fitted to the vertices (frame 0).
    ///
    /// # Errors
    /// If the frame does not exist, its files are missing, damaged or truncated, or it has values that are not finite.
    pub fn frame(&self, index: usize) -> Result<Frame, RecordingError> {
        let Some(files) = self.files.get(index) else {
            return Err(RecordingError::NoFrame { folder: self.folder.clone(), index, count: self.len() });
        };
        let particles = files.particles.as_deref().map_or(Ok(ParticleFrame::default()), read_particles)?;
        let particles = ParticleFrame { radius: self.particle_radius, domain: self.domain, ..particles };
        let surfaces = files.bodies.as_deref().map_or(Ok(Vec::new()), read_bodies)?;
        let bodies = surfaces.into_iter().enumerate().map(|(body, surface)| self.bodies.frame(body, index, surface)).collect();
        let polygons = files.polygons.as_deref().map_or(Ok(PolygonFrame::default()), read_polygons)?;
        let frame = Frame { time: self.times[index], particles, bodies, polygons, contacts: None, grids: Vec::new() };
        match frame.not_finite() {
            Some(what) => Err(RecordingError::Malformed {
                path: self.folder.clone(),
                found: format!("{what} in frame {index} with values that are not finite"),
                expected: "finite values",
            }),
            None => Ok(frame),
        }
    }

    /// Gets the bodies' meshes from a frame with known poses, otherwise from the first one with bodies.
    fn learn_meshes(&mut self) -> Result<(), RecordingError> {
        let with_bodies = |index: &usize| self.files[*index].bodies.is_some();
        let known = (0..self.len()).find(|index| with_bodies(index) && self.bodies.contains_frame(*index));
        if let Some(index) = known.or_else(|| (0..self.len()).find(with_bodies)) {
            let surfaces = self.files[index].bodies.as_deref().map_or(Ok(Vec::new()), read_bodies)?;
            self.bodies.learn_meshes(index, surfaces);
        }
        Ok(())
    }
}

/// Times and files of the frames listed in the collections.
fn collected_frames(folder: &Path) -> Result<(Vec<f64>, Vec<FrameFile>), RecordingError> {
    let collection = |name: &str| match folder.join(name) {
        path if path.is_file() => read_collection(&path),
        _ => Ok(Vec::new()),
    };
    let [particles, bodies, polygons] = [collection(PARTICLE_COLLECTION)?, collection(BODY_COLLECTION)?, collection(POLYGON_COLLECTION)?];
    // Without particles and bodies, the polygons list the frames.
    let leading = if particles.is_empty() { &polygons } else { &particles };
    let times: Vec<f64> = leading.iter().map(|(time, _)| *time).collect();
    let file_at = |entries: &[(f64, String)], time: f64| {
        entries.binary_search_by(|(other, _)| other.total_cmp(&time)).ok().map(|place| folder.join(&entries[place].1))
    };
    let file = |&time: &f64| FrameFile {
        particles: file_at(&particles, time),
        bodies: file_at(&bodies, time),
        polygons: file_at(&polygons, time),
    };
    let files = times.iter().map(file).collect();
    Ok((times, files))
}

/// PLY frames with consecutive numbers; their times follow from the frame rate in `run.json`.
fn ply_frames(folder: &Path, info: &RunInfo) -> Result<(Vec<f64>, Vec<FrameFile>), RecordingError> {
    let rate = info.settings["run"]["frames_per_second"].as_f64().filter(|rate| *rate > 0.0);
    let rate = rate.ok_or_else(|| RecordingError::Malformed {
        path: folder.join(RECORD),
        found: "no positive settings.run.frames_per_second".to_owned(),
        expected: "one: the times of PLY frames depend on it",
    })?;
    let start = info.settings["run"]["start_time"].as_f64().unwrap_or(0.0);
    let file = |index: usize| {
        let [particles, bodies, polygons] = ["particles", "bodies", "polygons"].map(|series| {
            let path = folder.join(format!("{series}_{index:06}.ply"));
            path.is_file().then_some(path)
        });
        (particles.is_some() || polygons.is_some()).then_some(FrameFile { particles, bodies, polygons })
    };
    let files: Vec<_> = (0..).map_while(file).collect();
    let times: Vec<f64> = (0..files.len() as u64).map(|index| tick(start, rate, index)).collect();
    check_order(&folder.join(RECORD), &times)?;
    Ok((times, files))
}

/// Frames are found by their times.
fn check_order(path: &Path, times: &[f64]) -> Result<(), RecordingError> {
    if times.iter().all(|time| time.is_finite()) && times.is_sorted_by(|one, next| one < next) {
        return Ok(());
    }
    let found = "times of frames that do not increase".to_owned();
    Err(RecordingError::Malformed { path: path.to_owned(), found, expected: "each frame later than the one before" })
}

/// Time and file name of each entry of a `.pvd` collection, which has one entry per line.
fn read_collection(path: &Path) -> Result<Vec<(f64, String)>, RecordingError> {
    let text = input::read_text(path).map_err(|error| OutputError::new(path, "read", error))?;
    if !text.trim_end().ends_with("</VTKFile>") {
        return Err(RecordingError::cut_short(path, "the closing </VTKFile>"));
    }
    let entry = |(number, line): (usize, &str)| {
        let time = attribute(line, "timestep").and_then(|time| time.parse().ok());
        let name = attribute(line, "file").map(str::to_owned);
        time.zip(name).ok_or_else(|| RecordingError::Malformed {
            path: path.to_owned(),
            found: format!("line {}: {}", number + 1, line.trim()),
            expected: "a DataSet with the attributes timestep and file",
        })
    };
    let lines = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("<DataSet"));
    let entries: Vec<(f64, String)> = lines.map(entry).collect::<Result<_, _>>()?;
    check_order(path, &entries.iter().map(|(time, _)| *time).collect::<Vec<_>>())?;
    Ok(entries)
}

fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {name}=\""))?;
    Some(rest.split_once('"')?.0)
}

/// Reads particles of either format; their radius is not in the file.
fn read_particles(path: &Path) -> Result<ParticleFrame, RecordingError> {
    if is_polygon(path) { polygon::read_particles(path) } else { grid::read_particles(path) }
}

/// Reads polygons of either format.
fn read_polygons(path: &Path) -> Result<PolygonFrame, RecordingError> {
    if is_polygon(path) { polygon::read_polygons(path) } else { grid::read_polygons(path) }
}

fn read_bodies(path: &Path) -> Result<Vec<BodySurface>, RecordingError> {
    if is_polygon(path) { polygon::read_bodies(path) } else { grid::read_bodies(path) }
}

fn is_polygon(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ply")
}

/// The domain of a fluid; open in other runs.
fn fluid_domain(info: &RunInfo) -> Domain {
    serde_json::from_value(info.settings["fluid"]["domain"].clone()).unwrap_or(Domain::OPEN)
}

/// The setting `particle_radius` of the simulator that ran.
fn particle_radius(info: &RunInfo) -> f32 {
    let simulators = info.settings.as_object().into_iter().flat_map(|settings| settings.values());
    simulators.filter_map(|settings| settings["particle_radius"].as_f64()).next().unwrap_or(0.0) as f32
}
