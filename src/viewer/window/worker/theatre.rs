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

use super::{Command, Sample, SceneInfo, Shared, Snapshot, Stirring, lock};
use crate::{
    fluid::FluidSimulation,
    frame::SegmentMesh,
    run::{Simulation, SimulationError},
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
    ///
    /// # Errors
    /// The simulation cannot go on.
    pub fn play(&mut self, commands: &Receiver<Command>, shared: &Mutex<Shared>) -> Result<Next, SimulationError> {
        let mut last_frame = self.publish(shared)?;
        loop {
            let mut steps = 0;
            loop {
                match commands.try_recv() {
                    Ok(Command::Restart) => return Ok(Next::Restart),
                    Ok(Command::Load(path)) => return Ok(Next::Load(path)),
                    Ok(Command::Step) => {
                        steps += 1;
                        self.run(false);
                    }
                    Ok(command) => {
                        self.obey(command);
                        self.publish(shared)?;
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return Ok(Next::End),
                }
            }
            lock(shared).running = self.running;
            let due = self.running && !self.clock.is_ahead(self.simulation.time());
            if steps == 0 && !due {
                thread::sleep(REST);
                continue;
            }
            for _ in 0..steps.max(1) {
                self.step(shared)?;
            }
            if steps > 0 || last_frame.elapsed() >= FRAME_INTERVAL {
                last_frame = self.publish(shared)?;
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

    fn step(&mut self, shared: &Mutex<Shared>) -> Result<(), SimulationError> {
        let begin = Instant::now();
        // Never past the end of a longest step of a fluid, which chooses its own; others in pieces as long as a frame lasts.
        let mut until = self.simulation.time() + self.clock.pace * FRAME_INTERVAL.as_secs_f64();
        if let Some(fluid) = self.simulation.fluid_mut() {
            self.touch.act(fluid);
            until = fluid.time() + fluid.settings().time_step.maximum;
        }
        self.simulation.advance(until)?;
        let sample = Sample { row: self.simulation.diagnostics(), milliseconds: begin.elapsed().as_secs_f64() * 1e3 };
        self.clock.forgive(self.simulation.time());
        let mut shared = lock(shared);
        shared.history.push_back(sample);
        if shared.history.len() > HISTORY {
            shared.history.pop_front();
        }
        Ok(())
    }

    fn publish(&mut self, shared: &Mutex<Shared>) -> Result<Instant, SimulationError> {
        let frame = self.simulation.take_frame()?;
        let fluid = self.simulation.fluid();
        let conditions = fluid.map(FluidSimulation::conditions);
        let method = fluid.filter(|_| self.show_method).map(FluidSimulation::method_frame);
        let floating = fluid.map_or_else(Vec::new, |fluid| fluid.bodies().iter().map(|body| body.floating().is_some()).collect());
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
        Ok(Instant::now())
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
            Command::Set(conditions) => fluid.set_conditions(conditions),
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use glam::DVec3;

    use super::*;
    use crate::{
        fluid::Conditions,
        frame::FieldValues,
        viewer::window::{drop::body_above, grip::Grip},
    };

    /// A small tank with a box afloat.
    const POND: &str = "tests/scenes/viewer/pond.toml";

    fn load(scene: &str) -> Theatre {
        Theatre::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(scene), 1, false).expect("a scene")
    }

    /// Plays the commands, after each lot of them so many steps.
    fn play(theatre: &mut Theatre, lots: Vec<(Vec<Command>, usize)>) -> Shared {
        let shared = Mutex::new(Shared::default());
        let (commands, receiver) = channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                let (commands, mut expected) = (commands, 0);
                for (lot, steps) in lots {
                    lot.into_iter().for_each(|command| commands.send(command).expect("a listener"));
                    (0..steps).for_each(|_| commands.send(Command::Step).expect("a listener"));
                    expected += steps;
                    while lock(&shared).history.len() < expected {
                        thread::sleep(REST);
                    }
                }
            });
            assert!(matches!(theatre.play(&receiver, &shared), Ok(Next::End)));
        });
        shared.into_inner().expect("not poisoned")
    }

    fn fluid(theatre: &Theatre) -> &FluidSimulation {
        theatre.simulation.fluid().expect("a fluid")
    }

    fn floating(theatre: &Theatre) -> usize {
        fluid(theatre).bodies().iter().position(|body| body.floating().is_some()).expect("a body afloat")
    }

    /// Momentum that nothing explains, of what was exchanged.
    fn unexplained(theatre: &Theatre) -> f64 {
        let last = fluid(theatre).last_step();
        last.momentum_error.max(last.angular_momentum_error)
    }

    #[test]
    fn a_body_that_is_pulled_rises_and_the_ledger_closes() {
        let (mut free, mut held) = (load(POND), load(POND));
        play(&mut free, vec![(vec![], 120)]);
        let body = floating(&held);
        let target = fluid(&held).bodies()[body].center() + DVec3::new(0.0, 0.2, 0.0);
        let grip = Grip { body, point: DVec3::new(0.01, 0.0, 0.0), target };
        play(&mut held, vec![(vec![Command::Hold(Some(grip))], 120)]);
        let height = |theatre: &Theatre| fluid(theatre).bodies()[body].center().y;
        assert!(height(&held) > height(&free) + 0.01, "{} m held, {} m free", height(&held), height(&free));
        assert!(unexplained(&held) < 1e-5, "{:.1e}", unexplained(&held));
    }

    #[test]
    fn fluid_that_is_stirred_moves_and_the_ledger_closes() {
        let near = |theatre: &Theatre, center: DVec3, radius: f64| {
            let particles = theatre.simulation.frame().particles;
            let Some(FieldValues::Vector(velocities)) = particles.field("velocity") else { panic!("no velocities") };
            let distance = |position: [f32; 3]| glam::Vec3::from(position).as_dvec3().distance(center);
            let of_those = particles.positions.iter().zip(velocities).filter(|(position, _)| distance(**position) < radius);
            let (sum, count) = of_those.fold((0.0, 0), |(sum, count), (_, velocity)| (sum + f64::from(velocity[0]), count + 1));
            assert!(count > 5, "{count} particles there");
            sum / f64::from(count)
        };
        // Below the middle of the surface, beside the box.
        let (center, radius, velocity) = (DVec3::new(0.25, 0.15, 0.25), 0.12, DVec3::new(0.5, 0.0, 0.0));
        let (mut still, mut stirred) = (load(POND), load(POND));
        play(&mut still, vec![(vec![], 20)]);
        play(&mut stirred, vec![(vec![Command::Stir(Some(Stirring { center, radius, velocity }))], 20)]);
        let (still, faster) = (near(&still, center, radius), near(&stirred, center, radius));
        // Twenty steps are a few hundredths of a second, and in a tank that is nearly full what is pushed has to come back.
        assert!(faster > still + 0.03, "{still} m/s without, {faster} m/s with a hand at {velocity}");
        assert!(unexplained(&stirred) < 1e-5, "{:.1e}", unexplained(&stirred));
    }

    #[test]
    fn a_body_that_is_dropped_falls_and_gravity_can_be_turned_off() {
        let mut theatre = load(POND);
        let count = fluid(&theatre).bodies().len();
        let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/sphere.obj");
        let ball = body_above(&theatre.simulation.frame(), DVec3::ZERO, &mesh, 500.0).expect("a place for a ball");
        let start = ball.pose.translation.y;
        let drop = || Command::Drop(Box::new(ball.clone()));
        let shared = play(&mut theatre, vec![(vec![drop()], 10)]);
        let snapshot = shared.latest.expect("a snapshot");
        assert_eq!([snapshot.floating.len(), snapshot.segments.len(), snapshot.frame.bodies.len()], [count + 1; 3]);
        let fallen = start - snapshot.frame.bodies[count].pose.translation.y;
        let expected = 0.5 * 9.81 * snapshot.frame.time.powi(2);
        assert!((fallen - expected).abs() < 0.3 * expected, "{fallen} m, {expected} m by the law of free fall");
        let conditions = Conditions { gravity: DVec3::ZERO, ..snapshot.conditions.expect("a fluid has conditions") };
        let mut weightless = load(POND);
        play(&mut weightless, vec![(vec![Command::Set(conditions), drop()], 10)]);
        let height = weightless.simulation.frame().bodies[count].pose.translation.y;
        assert!((height - start).abs() < 1e-9, "{height} m, {start} m at first");
    }

    #[test]
    fn emitters_can_be_turned_up() {
        let emitted = |rate: Option<f64>| {
            let mut theatre = load("scenes/fluid/fountain.toml");
            let conditions = fluid(&theatre).conditions();
            assert_eq!(conditions.emission_rate, Some(1.0));
            let commands = rate.map(|rate| Command::Set(Conditions { emission_rate: Some(rate), ..conditions }));
            play(&mut theatre, vec![(commands.into_iter().collect(), 20)]);
            fluid(&theatre).emission().emitted as f64 / theatre.simulation.time()
        };
        let (none, usual, double) = (emitted(Some(0.0)), emitted(None), emitted(Some(2.0)));
        assert!(none < 0.2 * usual && double > 1.5 * usual, "{none}, {usual} and {double} particles a second");
    }

    #[test]
    fn a_gas_plays_too_and_has_nothing_to_touch() {
        let mut theatre = load("scenes/gas/discs.toml");
        let shared = play(&mut theatre, vec![(vec![Command::Stir(None)], 3)]);
        let snapshot = shared.latest.expect("a snapshot");
        assert!(snapshot.conditions.is_none() && snapshot.floating.is_empty());
        assert_eq!(snapshot.frame.particles.positions.len(), theatre.simulation.particle_count());
        assert!(theatre.simulation.time() > 0.0 && shared.history.len() == 3);
    }
}
