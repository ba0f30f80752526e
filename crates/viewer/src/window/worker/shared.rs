//! Data that the window and the simulation thread exchange.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use plimsoll_contract::{
    frame::{Frame, Row, SearchFrame, SegmentMesh, Value, value_of},
    simulator::{Drag, Instrument, NewBody, Parameter, Stirring},
};
use plimsoll_scene::{CameraPath, PictureSettings};

use crate::{drawing::WaterMesh, window::readings::Readings};

/// Commands from the window to the simulation.
pub enum Command {
    Run(bool),
    /// One step, then pause.
    Step,
    Restart,
    Load(PathBuf),
    /// Maximum speed relative to the playback rate of the scene; absent: as fast as possible.
    Speed(Option<f64>),
    /// Sets a parameter of the simulator by its name.
    Set(&'static str, f64),
    /// Pulls a body, or releases it.
    Drag(Option<Drag>),
    /// Stirs, or stops stirring.
    Stir(Option<Stirring>),
    /// Drops a body into the scene.
    Drop(Box<NewBody>),
    /// Whether slab-cut balls, cells and contacts are needed.
    ShowMethod(bool),
    /// Whether the fluid surface is needed.
    ShowSurface(bool),
}

/// What the window needs of a scene.
#[derive(Clone, Debug)]
pub struct SceneInfo {
    pub path: PathBuf,
    pub title: String,
    pub camera: Option<CameraPath>,
    pub picture: PictureSettings,
}

/// Everything that the window shows of one instant.
#[derive(Clone)]
pub struct Snapshot {
    pub scene: Arc<SceneInfo>,
    /// Increases with each loaded scene and each restart; then everything is redrawn.
    pub generation: u64,
    pub frame: Frame,
    pub steps: u64,
    pub search: Option<SearchFrame>,
    pub water: Vec<WaterMesh>,
    pub touch: Touch,
    pub segments: Arc<Vec<Arc<SegmentMesh>>>,
    /// Wall-clock time of each stage since the start, seconds, named like the columns of the diagnostics.
    pub timings: Vec<(&'static str, f64)>,
    pub instruments: Arc<Vec<Instrument>>,
}

/// The interactions that the simulation supports.
#[derive(Clone, Debug, Default)]
pub struct Touch {
    /// Whether each body can be dragged.
    pub draggable: Vec<bool>,
    pub can_stir: bool,
    pub accepts_bodies: bool,
    pub parameters: Vec<Parameter>,
    /// Whether the contact search can be shown.
    pub shows_search: bool,
}

/// Figures of one step.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The row of the diagnostics table.
    pub row: Row,
    pub milliseconds: f64,
}

impl Sample {
    /// The number in the column with this name, given without unit, if there is one.
    pub fn number(&self, column: &str) -> Option<f64> {
        value_of(&self.row, column).and_then(|value| match value {
            Value::Integer(number) => Some(*number as f64),
            Value::Real(number) => Some(*number),
            Value::Text(_) => None,
        })
    }
}

/// Data shared by the two threads, locked only to be swapped.
#[derive(Default)]
pub struct Shared {
    pub latest: Option<Arc<Snapshot>>,
    pub history: VecDeque<Sample>,
    /// What the instruments have measured at each published frame; a new one for each scene.
    pub readings: Arc<Mutex<Readings>>,
    /// Why there is nothing to show, or nothing new.
    pub problem: Option<String>,
    pub running: bool,
    /// The task of the setup and its progress in percent, while a scene is set up.
    pub preparation: Option<(&'static str, usize)>,
    /// Number of requests to load or restart a scene that the simulation thread has not yet received.
    pub requested_scenes: usize,
}

/// Locks the shared data, even after a panic.
pub fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    // Code that holds the lock panics only if memory runs out, and leaves complete values.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
