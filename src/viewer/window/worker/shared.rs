//! What the window and the thread of the simulation exchange.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    frame::{Frame, Row, SearchFrame, SegmentMesh, Value},
    scene::{CameraPath, PictureSettings},
    simulator::{Drag, NewBody, Parameter, Stirring},
    viewer::drawing::WaterMesh,
};

/// What the window may ask of the simulation.
pub enum Command {
    Run(bool),
    /// One step, then rest.
    Step,
    Restart,
    Load(PathBuf),
    /// How often the pace of the scene is not exceeded; absent: as fast as it can.
    Speed(Option<f64>),
    /// Sets a parameter of the simulator by its name.
    Set(&'static str, f64),
    /// Pulls a body, or releases it.
    Drag(Option<Drag>),
    /// Stirs, or stops stirring.
    Stir(Option<Stirring>),
    /// Adds a body.
    Drop(Box<NewBody>),
    /// Are slab-cut balls, cells and contacts wanted?
    ShowMethod(bool),
    /// Is the surface of the fluid wanted?
    ShowSurface(bool),
}

/// Of a scene, what the window needs.
#[derive(Clone, Debug)]
pub struct SceneInfo {
    pub path: PathBuf,
    pub title: String,
    pub camera: Option<CameraPath>,
    pub picture: PictureSettings,
}

/// Everything that is seen of one instant.
#[derive(Clone)]
pub struct Snapshot {
    pub scene: Arc<SceneInfo>,
    /// Counts scenes loaded and restarts: with it everything that is drawn changes.
    pub generation: u64,
    pub frame: Frame,
    pub steps: u64,
    pub search: Option<SearchFrame>,
    pub water: Option<WaterMesh>,
    pub touch: Touch,
    pub segments: Arc<Vec<Arc<SegmentMesh>>>,
    /// Wall time of each stage since the start, seconds, named as columns of the diagnostics.
    pub timings: Vec<(&'static str, f64)>,
}

/// What the user can do to the simulation.
#[derive(Clone, Debug, Default)]
pub struct Touch {
    /// Whether each body can be dragged.
    pub draggable: Vec<bool>,
    pub can_stir: bool,
    pub accepts_bodies: bool,
    pub parameters: Vec<Parameter>,
    /// Whether the search for contacts can be shown.
    pub shows_search: bool,
}

/// A step in figures.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The row of the diagnostics table.
    pub row: Row,
    pub milliseconds: f64,
}

impl Sample {
    /// The number in `column`, if there is one.
    pub fn number(&self, column: &str) -> Option<f64> {
        self.row.iter().find(|(name, _)| *name == column).and_then(|(_, value)| match value {
            Value::Integer(number) => Some(*number as f64),
            Value::Real(number) => Some(*number),
            Value::Text(_) => None,
        })
    }
}

/// What the two threads share; locked only to be swapped.
#[derive(Default)]
pub struct Shared {
    pub latest: Option<Arc<Snapshot>>,
    pub history: VecDeque<Sample>,
    /// Why there is nothing to see, or no more.
    pub problem: Option<String>,
    pub running: bool,
}

/// Locks what is shared, even after a panic.
pub fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    // Code under the lock panics only when memory runs out, and leaves complete values.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
