//! The simulation on a thread of its own: it takes commands and leaves its latest frame where the window finds it.

use std::{
    cell::Cell,
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, TryRecvError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use glam::DVec3;

use super::grip::{Grip, Pull};
use crate::{
    bodies::BodyDefinition,
    fluid::{FluidSimulation, PressureSolver, Stage, Viscosity},
    frame::{Frame, MethodFrame, SegmentMesh},
    run::Simulation,
    scene::{CameraPath, PictureSettings, Scene},
    viewer::{drawing::WaterMesh, water::water_surface},
};

/// Frames are left for the window no more often than this.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);
/// How long a thread without anything to do sleeps before it looks for commands.
const REST: Duration = Duration::from_millis(4);
/// Steps whose figures are kept for the plots.
const HISTORY: usize = 600;
/// Rate at which stirring draws fluid along, 1/s.
const STIRRING_RATE: f64 = 12.0;

/// What the window may ask of the simulation.
pub enum Command {
    Run(bool),
    /// One step, then rest.
    Step,
    Restart,
    Load(PathBuf),
    /// Simulated seconds per second of wall time that are not exceeded; absent: as fast as it can.
    Speed(Option<f64>),
    Set(Conditions),
    /// Takes hold of a body, or lets go.
    Hold(Option<Grip>),
    /// Draws fluid along, or ceases to.
    Stir(Option<Stirring>),
    Drop(Box<BodyDefinition>),
    /// Are slab-cut balls, cells and contacts wanted?
    ShowMethod(bool),
    /// Is the surface of the fluid wanted?
    ShowSurface(bool),
}

/// What may change while a fluid runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    pub gravity: DVec3,
    pub viscosity: Viscosity,
    pub pressure: PressureSolver,
}

/// A sphere that draws the fluid in it along.
#[derive(Clone, Copy, Debug)]
pub struct Stirring {
    pub center: DVec3,
    pub radius: f64,
    pub velocity: DVec3,
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
    pub method: Option<MethodFrame>,
    pub water: Option<WaterMesh>,
    /// Which bodies float.
    pub floating: Vec<bool>,
    pub segments: Arc<Vec<Arc<SegmentMesh>>>,
    pub conditions: Conditions,
    /// Time of each stage since the start, seconds.
    pub stages: Vec<(&'static str, f64)>,
}

/// A step in figures.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub kinetic_energy: f64,
    pub potential_energy: f64,
    pub iterations: f64,
    pub milliseconds: f64,
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
        lock(&self.shared).history.iter().copied().collect()
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
        let worked = catch_unwind(AssertUnwindSafe(|| match Theatre::load(&path, generation, running) {
            Ok(mut theatre) => theatre.play(commands, shared),
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

/// What comes after a simulation.
enum Next {
    End,
    Restart,
    Load(PathBuf),
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

/// One simulation being played.
struct Theatre {
    simulation: Simulation,
    scene: Arc<SceneInfo>,
    generation: u64,
    segments: Arc<Vec<Arc<SegmentMesh>>>,
    running: bool,
    show_method: bool,
    show_surface: bool,
    speed: Option<f64>,
    /// Wall and simulated time since which the speed is counted.
    since: (Instant, f64),
    pull: Option<Pull>,
    stirring: Option<Stirring>,
}

impl Theatre {
    fn load(path: &Path, generation: u64, running: bool) -> Result<Self, String> {
        let scene = Scene::load(path).map_err(|error| error.to_string())?;
        let info = SceneInfo { path: path.to_owned(), title: scene.title, camera: scene.camera, picture: scene.picture };
        let simulation = Simulation::new(scene.definition).map_err(|error| format!("{}: {error}", path.display()))?;
        let Simulation::Fluid(fluid) = &simulation;
        let segments = Arc::new(fluid.segment_meshes());
        Ok(Self {
            simulation,
            scene: Arc::new(info),
            generation,
            segments,
            running,
            show_method: false,
            show_surface: false,
            speed: Some(1.0),
            since: (Instant::now(), 0.0),
            pull: None,
            stirring: None,
        })
    }

    fn fluid(&mut self) -> &mut FluidSimulation {
        let Simulation::Fluid(fluid) = &mut self.simulation;
        fluid
    }

    /// Plays until another scene is wanted or the window is gone.
    fn play(&mut self, commands: &Receiver<Command>, shared: &Mutex<Shared>) -> Next {
        let mut last_frame = self.publish(shared);
        loop {
            let mut steps = 0;
            loop {
                match commands.try_recv() {
                    Ok(Command::Restart) => return Next::Restart,
                    Ok(Command::Load(path)) => return Next::Load(path),
                    Ok(Command::Step) => {
                        steps += 1;
                        self.run(false);
                    }
                    Ok(command) => {
                        self.obey(command);
                        self.publish(shared);
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return Next::End,
                }
            }
            lock(shared).running = self.running;
            let due = self.running && !self.is_ahead();
            if steps == 0 && !due {
                thread::sleep(REST);
                continue;
            }
            for _ in 0..steps.max(1) {
                self.step(shared);
            }
            if steps > 0 || last_frame.elapsed() >= FRAME_INTERVAL {
                last_frame = self.publish(shared);
            }
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Run(running) => self.run(running),
            Command::Speed(speed) => {
                self.speed = speed;
                self.since = (Instant::now(), self.simulation.time());
            }
            Command::Set(conditions) => self.fluid().set_conditions(conditions.gravity, conditions.viscosity, conditions.pressure),
            Command::Hold(grip) => {
                if let Some(pull) = self.pull.take_if(|pull| grip.is_none_or(|grip| grip.body != pull.body())) {
                    pull.let_go(self.fluid());
                }
                if let Some(grip) = grip {
                    let pull = self.pull.take();
                    self.pull = Some(pull.map_or_else(|| Pull::new(grip, self.fluid()), |pull| pull.moved(grip)));
                }
            }
            Command::Stir(stirring) => self.stirring = stirring,
            Command::Drop(definition) => {
                self.fluid().add_body(*definition);
                self.segments = Arc::new(self.fluid().segment_meshes());
            }
            Command::ShowMethod(show) => self.show_method = show,
            Command::ShowSurface(show) => self.show_surface = show,
            Command::Step | Command::Restart | Command::Load(_) => {}
        }
    }

    fn run(&mut self, running: bool) {
        self.running = running;
        self.since = (Instant::now(), self.simulation.time());
    }

    /// Has more time been simulated than the speed allows?
    fn is_ahead(&self) -> bool {
        let (wall, time) = self.since;
        self.speed.is_some_and(|speed| self.simulation.time() - time > speed * wall.elapsed().as_secs_f64())
    }

    fn step(&mut self, shared: &Mutex<Shared>) {
        let begin = Instant::now();
        if let Some(pull) = &self.pull {
            let Simulation::Fluid(fluid) = &mut self.simulation;
            pull.act(fluid);
        }
        if let Some(Stirring { center, radius, velocity }) = self.stirring {
            let dt = self.fluid().last_step().dt;
            self.fluid().stir(center, radius, velocity, STIRRING_RATE * dt);
        }
        // Never past the end of a longest step: the simulation chooses its own.
        let until = self.simulation.time() + self.fluid().settings().time_step.maximum;
        self.simulation.advance(until);
        let last = *self.fluid().last_step();
        let sample = Sample {
            kinetic_energy: last.kinetic_energy,
            potential_energy: last.potential_energy,
            iterations: f64::from(last.pressure_iterations + last.divergence_iterations),
            milliseconds: begin.elapsed().as_secs_f64() * 1e3,
        };
        if self.speed.is_some_and(|speed| speed * self.since.0.elapsed().as_secs_f64() > self.simulation.time() - self.since.1 + 0.5) {
            // Too slow to keep up: what was missed is not made up for.
            self.since = (Instant::now(), self.simulation.time());
        }
        let mut shared = lock(shared);
        shared.history.push_back(sample);
        if shared.history.len() > HISTORY {
            shared.history.pop_front();
        }
    }

    fn publish(&mut self, shared: &Mutex<Shared>) -> Instant {
        let show_method = self.show_method;
        let fluid = self.fluid();
        let settings = fluid.settings();
        let conditions = Conditions { gravity: settings.gravity, viscosity: settings.viscosity, pressure: settings.pressure };
        let stages = Stage::ALL.map(|stage| (stage.name(), fluid.stage_times().of(stage).as_secs_f64())).to_vec();
        let method = show_method.then(|| fluid.method_frame());
        let floating = fluid.bodies().iter().map(|body| body.floating().is_some()).collect();
        let frame = self.simulation.frame();
        // A surface that cannot be found is not shown; the particles still can be.
        let water = self.show_surface.then(|| water_surface(&frame).ok()).flatten();
        let snapshot = Snapshot {
            scene: Arc::clone(&self.scene),
            generation: self.generation,
            frame,
            steps: self.simulation.steps(),
            method,
            water,
            floating,
            segments: Arc::clone(&self.segments),
            conditions,
            stages,
        };
        lock(shared).latest = Some(Arc::new(snapshot));
        Instant::now()
    }
}
