//! The simulation on a thread of its own: it takes commands and leaves its latest frame where the window finds it.

mod session;

use std::{
    cell::Cell,
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use self::session::{Next, Session};
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
struct Shared {
    latest: Option<Arc<Snapshot>>,
    history: VecDeque<Sample>,
    /// Why there is nothing to see, or no more.
    problem: Option<String>,
    running: bool,
}

/// The window's end of the simulation thread, which ends when this is dropped.
pub struct Worker {
    commands: Sender<Command>,
    shared: Arc<Mutex<Shared>>,
    /// Whether method and surface were last said to be wanted.
    wanted: Cell<(bool, bool)>,
}

impl Worker {
    /// Loads the scene at `path` and runs it.
    pub fn start(path: &Path) -> Self {
        let (commands, receiver) = channel();
        let shared = Arc::new(Mutex::new(Shared { running: true, ..Shared::default() }));
        let of_thread = Arc::clone(&shared);
        let path = path.to_owned();
        thread::spawn(move || work(&path, &receiver, &of_thread));
        Self { commands, shared, wanted: Cell::default() }
    }

    pub fn send(&self, command: Command) {
        // If the thread has ended, that is shown as its problem.
        let _ = self.commands.send(command);
    }

    /// Says whether the method and the surface of the fluid are wanted, if that has changed.
    pub fn send_changed(&self, method: bool, surface: bool) {
        let (method_before, surface_before) = self.wanted.replace((method, surface));
        if method != method_before {
            self.send(Command::ShowMethod(method));
        }
        if surface != surface_before {
            self.send(Command::ShowSurface(surface));
        }
    }

    pub fn latest(&self) -> Option<Arc<Snapshot>> {
        lock(&self.shared).latest.clone()
    }

    pub fn history(&self) -> Vec<Sample> {
        lock(&self.shared).history.iter().cloned().collect()
    }

    pub fn problem(&self) -> Option<String> {
        lock(&self.shared).problem.clone()
    }

    pub fn is_running(&self) -> bool {
        lock(&self.shared).running
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    // Nothing can panic while it is locked but for want of memory; what is there is whole.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn work(path: &Path, commands: &Receiver<Command>, shared: &Mutex<Shared>) {
    let mut path = path.to_owned();
    let mut generation = 0;
    let mut running = true;
    loop {
        generation += 1;
        let worked = catch_unwind(AssertUnwindSafe(|| match Session::load(&path, generation, running) {
            Ok(mut session) => session.play(commands, shared).unwrap_or_else(|error| {
                report(shared, error.to_string());
                wait_for_scene(commands)
            }),
            Err(problem) => {
                report(shared, problem);
                wait_for_scene(commands)
            }
        }));
        let next = worked.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
            report(shared, format!("the simulation failed: {}", text.unwrap_or("for an unknown reason")));
            wait_for_scene(commands)
        });
        match next {
            Next::End => return,
            Next::Restart => {}
            Next::Load(other) => path = other,
        }
        running = true;
        let mut shared = lock(shared);
        (shared.problem, shared.running) = (None, true);
        shared.history.clear();
    }
}

fn report(shared: &Mutex<Shared>, problem: String) {
    let mut shared = lock(shared);
    (shared.problem, shared.running) = (Some(problem), false);
}

/// With nothing to run, only another scene helps.
fn wait_for_scene(commands: &Receiver<Command>) -> Next {
    loop {
        match commands.recv() {
            Ok(Command::Load(path)) => return Next::Load(path),
            Ok(Command::Restart) => return Next::Restart,
            Ok(_) => {}
            Err(_) => return Next::End,
        }
    }
}
