//! One simulation being played: commands go in, snapshots come out.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, TryRecvError},
    },
    thread,
    time::{Duration, Instant},
};

use super::{Command, Conditions, Sample, SceneInfo, Shared, Snapshot, Stirring, lock};
use crate::{
    fluid::FluidSimulation,
    frame::SegmentMesh,
    run::Simulation,
    scene::Scene,
    viewer::{pace::pace, water::water_surface, window::grip::Pull},
};

/// Frames are left for the window no more often than this.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);
/// How long a thread without anything to do sleeps before it looks for commands.
const REST: Duration = Duration::from_millis(4);
/// Steps whose figures are kept for the plots.
const HISTORY: usize = 600;
/// Rate at which stirring draws fluid along, 1/s.
const STIRRING_RATE: f64 = 12.0;
/// Wall time by which a simulation may fall behind before what it missed is forgotten, seconds.
const PATIENCE: f64 = 0.5;

/// What comes after a simulation.
pub enum Next {
    End,
    Restart,
    Load(PathBuf),
}

/// One simulation being played.
pub struct Theatre {
    simulation: Simulation,
    scene: Arc<SceneInfo>,
    generation: u64,
    segments: Arc<Vec<Arc<SegmentMesh>>>,
    running: bool,
    show_method: bool,
    show_surface: bool,
    clock: Clock,
    touch: Touch,
}

/// How fast simulated time may pass.
struct Clock {
    /// Simulated seconds per second of watching at speed one.
    pace: f64,
    /// Absent: as fast as it can.
    speed: Option<f64>,
    /// Wall and simulated time since which it counts.
    since: (Instant, f64),
}

/// What the hand of whoever watches does to a fluid.
#[derive(Default)]
struct Touch {
    pull: Option<Pull>,
    stirring: Option<Stirring>,
}

impl Theatre {
    pub fn load(path: &Path, generation: u64, running: bool) -> Result<Self, String> {
        let scene = Scene::load(path).map_err(|error| error.to_string())?;
        let clock = Clock { pace: pace(scene.frames_per_second), speed: Some(1.0), since: (Instant::now(), 0.0) };
        let info = SceneInfo { path: path.to_owned(), title: scene.title, camera: scene.camera, picture: scene.picture };
        let simulation = Simulation::new(scene.definition).map_err(|error| format!("{}: {error}", path.display()))?;
        let segments = Arc::new(simulation.fluid().map_or_else(Vec::new, FluidSimulation::segment_meshes));
        Ok(Self {
            simulation,
            scene: Arc::new(info),
            generation,
            segments,
            running,
            show_method: false,
            show_surface: false,
            clock,
            touch: Touch::default(),
        })
    }

    /// Plays until another scene is wanted or the window is gone.
    pub fn play(&mut self, commands: &Receiver<Command>, shared: &Mutex<Shared>) -> Next {
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
            let due = self.running && !self.clock.is_ahead(self.simulation.time());
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
                self.clock.speed = speed;
                self.clock.restart(self.simulation.time());
            }
            Command::ShowMethod(show) => self.show_method = show,
            Command::ShowSurface(show) => self.show_surface = show,
            Command::Step | Command::Restart | Command::Load(_) => {}
            of_fluid => {
                if let Some(fluid) = self.simulation.fluid_mut() {
                    self.touch.obey(of_fluid, fluid);
                    if fluid.bodies().len() != self.segments.len() {
                        self.segments = Arc::new(fluid.segment_meshes());
                    }
                }
            }
        }
    }

    fn run(&mut self, running: bool) {
        self.running = running;
        self.clock.restart(self.simulation.time());
    }

    fn step(&mut self, shared: &Mutex<Shared>) {
        let begin = Instant::now();
        // Never past the end of a longest step of a fluid, which chooses its own; others in pieces as long as a frame lasts.
        let mut until = self.simulation.time() + self.clock.pace * FRAME_INTERVAL.as_secs_f64();
        if let Some(fluid) = self.simulation.fluid_mut() {
            self.touch.act(fluid);
            until = fluid.time() + fluid.settings().time_step.maximum;
        }
        self.simulation.advance(until);
        let sample = Sample { row: self.simulation.diagnostics(), milliseconds: begin.elapsed().as_secs_f64() * 1e3 };
        self.clock.forgive(self.simulation.time());
        let mut shared = lock(shared);
        shared.history.push_back(sample);
        if shared.history.len() > HISTORY {
            shared.history.pop_front();
        }
    }

    fn publish(&mut self, shared: &Mutex<Shared>) -> Instant {
        let fluid = self.simulation.fluid();
        let conditions = fluid.map(|fluid| {
            let settings = fluid.settings();
            Conditions { gravity: settings.gravity, viscosity: settings.viscosity, pressure: settings.pressure }
        });
        let method = fluid.filter(|_| self.show_method).map(FluidSimulation::method_frame);
        let floating = fluid.map_or_else(Vec::new, |fluid| fluid.bodies().iter().map(|body| body.floating().is_some()).collect());
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
            stages: self.simulation.stage_seconds(),
        };
        lock(shared).latest = Some(Arc::new(snapshot));
        Instant::now()
    }
}

impl Clock {
    fn restart(&mut self, time: f64) {
        self.since = (Instant::now(), time);
    }

    /// Wall time (s) that simulated `time` is ahead of what the speed allows; negative if it is behind.
    fn lead(&self, time: f64) -> Option<f64> {
        let (wall, start) = self.since;
        self.speed.map(|speed| (time - start) / (self.pace * speed) - wall.elapsed().as_secs_f64())
    }

    fn is_ahead(&self, time: f64) -> bool {
        self.lead(time).is_some_and(|lead| lead > 0.0)
    }

    /// What was missed for want of speed is not made up for.
    fn forgive(&mut self, time: f64) {
        if self.lead(time).is_some_and(|lead| lead < -PATIENCE) {
            self.restart(time);
        }
    }
}

impl Touch {
    fn obey(&mut self, command: Command, fluid: &mut FluidSimulation) {
        match command {
            Command::Set(conditions) => fluid.set_conditions(conditions.gravity, conditions.viscosity, conditions.pressure),
            Command::Hold(grip) => {
                if let Some(pull) = self.pull.take_if(|pull| grip.is_none_or(|grip| grip.body != pull.body())) {
                    pull.let_go(fluid);
                }
                if let Some(grip) = grip {
                    let pull = self.pull.take();
                    self.pull = Some(pull.map_or_else(|| Pull::new(grip, fluid), |pull| pull.moved(grip)));
                }
            }
            Command::Stir(stirring) => self.stirring = stirring,
            Command::Drop(definition) => fluid.add_body(*definition),
            _ => {}
        }
    }

    /// Before a step.
    fn act(&self, fluid: &mut FluidSimulation) {
        if let Some(pull) = &self.pull {
            pull.act(fluid);
        }
        if let Some(Stirring { center, radius, velocity }) = self.stirring {
            let dt = fluid.last_step().dt;
            fluid.stir(center, radius, velocity, STIRRING_RATE * dt);
        }
    }
}
