//! One running simulation: receives commands and publishes snapshots.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, TryRecvError},
    },
    thread,
    time::{Duration, Instant},
};

use plimsoll_base::input;
use plimsoll_contract::{frame::SegmentMesh, simulator::SimulationError};
use plimsoll_run::Simulation;
use plimsoll_scene::Scene;

use super::{
    preparation::Preparation,
    shared::{Command, Sample, SceneInfo, Shared, Snapshot, Touch, lock},
};
use crate::{playback_rate::playback_rate, water::water_surfaces};

/// Minimum time between two published frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);
/// How long an idle thread sleeps before it checks for commands.
const REST: Duration = Duration::from_millis(4);
/// Number of steps whose figures are kept for the plots.
const HISTORY: usize = 600;
/// Maximum lag behind real time, in wall-clock seconds; beyond it the lost time is skipped.
const PATIENCE: f64 = 0.5;

/// What follows a simulation.
pub enum Next {
    End,
    Restart,
    Load(PathBuf),
}

/// One running simulation.
pub struct Session {
    simulation: Simulation,
    scene: Arc<SceneInfo>,
    generation: u64,
    segments: Arc<Vec<Arc<SegmentMesh>>>,
    running: bool,
    show_method: bool,
    show_surface: bool,
    clock: Clock,
}

/// Limits how fast simulated time passes.
struct Clock {
    /// Simulated seconds per second of playback at speed one.
    rate: f64,
    /// Absent: as fast as possible.
    speed: Option<f64>,
    /// Wall-clock and simulated time at which the clock was started.
    since: (Instant, f64),
}

impl Session {
    pub fn load(path: &Path, generation: u64, running: bool, shared: &Mutex<Shared>) -> Result<Self, String> {
        let text = input::read_text(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let scene = Scene::parse(&text, path).map_err(|error| error.to_string())?;
        let info = SceneInfo { path: path.to_owned(), title: scene.title, camera: scene.camera, picture: scene.picture };
        let prepared = Simulation::prepare(scene.definition, scene.start.as_ref(), &Preparation(shared));
        let simulation = prepared.map_err(|error| error.in_scene(path, &text))?.simulation;
        let clock = Clock { rate: playback_rate(scene.frames_per_second), speed: Some(1.0), since: (Instant::now(), simulation.time()) };
        let segments = Arc::new(simulation.segment_meshes());
        Ok(Self { simulation, scene: Arc::new(info), generation, segments, running, show_method: false, show_surface: false, clock })
    }

    /// Runs until another scene is requested or the window is closed.
    ///
    /// # Errors
    /// If the simulation cannot continue.
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
                        self.apply(command);
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

    fn apply(&mut self, command: Command) {
        match command {
            Command::Run(running) => self.run(running),
            Command::Speed(speed) => {
                self.clock.speed = speed;
                self.clock.restart(self.simulation.time());
            }
            Command::ShowMethod(show) => self.show_method = show,
            Command::ShowSurface(show) => self.show_surface = show,
            Command::Step | Command::Restart | Command::Load(_) => {}
            touch => self.touch(touch),
        }
    }

    /// Applies a user interaction to the simulation.
    fn touch(&mut self, command: Command) {
        let Some(interaction) = self.simulation.interaction() else { return };
        match command {
            Command::Set(name, value) => interaction.set_parameter(name, value),
            Command::Drag(drag) => interaction.drag(drag),
            Command::Stir(stirring) => interaction.stir(stirring),
            Command::Drop(body) => {
                interaction.add_body(*body);
                self.segments = Arc::new(self.simulation.segment_meshes());
            }
            _ => {}
        }
    }

    fn run(&mut self, running: bool) {
        self.running = running;
        self.clock.restart(self.simulation.time());
    }

    fn step(&mut self, shared: &Mutex<Shared>) -> Result<(), SimulationError> {
        let begin = Instant::now();
        // Advances by at most the simulated time of one frame interval.
        let until = self.simulation.time() + self.clock.rate * FRAME_INTERVAL.as_secs_f64();
        self.simulation.advance(until)?;
        let sample = Sample { row: self.simulation.diagnostics(), milliseconds: begin.elapsed().as_secs_f64() * 1e3 };
        self.clock.skip_lost_time(self.simulation.time());
        let mut shared = lock(shared);
        shared.history.push_back(sample);
        if shared.history.len() > HISTORY {
            shared.history.pop_front();
        }
        Ok(())
    }

    fn publish(&mut self, shared: &Mutex<Shared>) -> Result<Instant, SimulationError> {
        let frame = self.simulation.take_checked_frame()?;
        let search = if self.show_method { self.simulation.search_frame() } else { None };
        let shows_search = !self.segments.is_empty();
        let touch = self.simulation.interaction().map_or_else(Touch::default, |interaction| Touch {
            draggable: interaction.draggable(),
            can_stir: interaction.can_stir(),
            accepts_bodies: interaction.accepts_bodies(),
            parameters: interaction.parameters(),
            shows_search,
        });
        // If the surface cannot be reconstructed, it is not shown; the particles still can be.
        let water = self.show_surface.then(|| water_surfaces(&frame).ok()).flatten().unwrap_or_default();
        let snapshot = Snapshot {
            scene: Arc::clone(&self.scene),
            generation: self.generation,
            frame,
            steps: self.simulation.steps(),
            search,
            water,
            touch,
            segments: Arc::clone(&self.segments),
            timings: self.simulation.timings(),
            instruments: Arc::new(self.simulation.instruments()),
        };
        let readings = Arc::clone(&lock(shared).readings);
        // Commands publish the same instant again, which adds nothing.
        readings.lock().unwrap_or_else(PoisonError::into_inner).add(snapshot.frame.time, &snapshot.instruments);
        lock(shared).latest = Some(Arc::new(snapshot));
        Ok(Instant::now())
    }
}

impl Clock {
    fn restart(&mut self, time: f64) {
        self.since = (Instant::now(), time);
    }

    /// Wall-clock time (s) by which simulated `time` is ahead of the speed limit; negative if it is behind.
    fn lead(&self, time: f64) -> Option<f64> {
        let (wall, start) = self.since;
        self.speed.map(|speed| (time - start) / (self.rate * speed) - wall.elapsed().as_secs_f64())
    }

    fn is_ahead(&self, time: f64) -> bool {
        self.lead(time).is_some_and(|lead| lead > 0.0)
    }

    /// Skips the time lost by a slow simulation.
    fn skip_lost_time(&mut self, time: f64) {
        if self.lead(time).is_some_and(|lead| lead < -PATIENCE) {
            self.restart(time);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use glam::DVec3;
    use plimsoll_contract::{
        frame::FieldValues,
        simulator::{Drag, Stirring},
    };

    use super::*;
    use crate::window::drop::body_above;

    /// A small tank with a floating box.
    const POND: &str = "tests/scenes/viewer/pond.toml";

    fn load(scene: &str) -> Session {
        Session::load(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(scene), 1, false, &Mutex::default()).expect("a scene")
    }

    /// Sends each batch of commands and then runs its number of steps.
    fn play(session: &mut Session, lots: Vec<(Vec<Command>, usize)>) -> Shared {
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
            assert!(matches!(session.play(&receiver, &shared), Ok(Next::End)));
        });
        shared.into_inner().expect("not poisoned")
    }

    fn floating(session: &mut Session) -> usize {
        let interaction = session.simulation.interaction().expect("it can be touched");
        interaction.draggable().iter().position(|draggable| *draggable).expect("a body afloat")
    }

    fn parameter(session: &mut Session, name: &str) -> f64 {
        let parameters = session.simulation.interaction().expect("it can be touched").parameters();
        parameters.iter().find(|parameter| parameter.name == name).expect("there is such a parameter").value
    }

    fn number(session: &Session, column: &str) -> f64 {
        Sample { row: session.simulation.diagnostics(), milliseconds: 0.0 }.number(column).expect("there is such a column")
    }

    /// Momentum error relative to the exchanged impulse.
    fn momentum_error(session: &Session) -> f64 {
        number(session, "momentum_error").max(number(session, "angular_momentum_error"))
    }

    #[test]
    fn a_body_that_is_pulled_rises_and_the_ledger_closes() {
        let (mut free, mut held) = (load(POND), load(POND));
        play(&mut free, vec![(vec![], 120)]);
        let body = floating(&mut held);
        let center = |session: &Session| session.simulation.frame().bodies[body].center;
        let target = center(&held) + DVec3::new(0.0, 0.2, 0.0);
        let drag = Drag { body, point: DVec3::new(0.01, 0.0, 0.0), target };
        play(&mut held, vec![(vec![Command::Drag(Some(drag))], 120)]);
        let height = |session: &Session| center(session).y;
        assert!(height(&held) > height(&free) + 0.01, "{} m held, {} m free", height(&held), height(&free));
        assert!(momentum_error(&held) < 1e-5, "{:.1e}", momentum_error(&held));
    }

    #[test]
    fn fluid_that_is_stirred_moves_and_the_ledger_closes() {
        let near = |session: &Session, center: DVec3, radius: f64| {
            let particles = session.simulation.frame().particles;
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
        play(&mut stirred, vec![(vec![Command::Stir(Some(Stirring { center, radius, velocity, rate: 12.0 }))], 20)]);
        let (still, faster) = (near(&still, center, radius), near(&stirred, center, radius));
        // Twenty steps are a few hundredths of a second, and in an almost full tank the displaced fluid flows back.
        assert!(faster > still + 0.03, "{still} m/s without, {faster} m/s with a hand at {velocity}");
        assert!(momentum_error(&stirred) < 1e-5, "{:.1e}", momentum_error(&stirred));
    }

    #[test]
    fn a_body_that_is_dropped_falls_and_gravity_can_be_turned_off() {
        let mut session = load(POND);
        let count = session.simulation.frame().bodies.len();
        let mesh = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("meshes/sphere.obj");
        let ball = body_above(&session.simulation.frame(), DVec3::ZERO, &mesh, 500.0).expect("a place for a ball");
        let start = ball.pose.translation.y;
        let drop = || Command::Drop(Box::new(ball.clone()));
        let shared = play(&mut session, vec![(vec![drop()], 10)]);
        let snapshot = shared.latest.expect("a snapshot");
        assert_eq!([snapshot.touch.draggable.len(), snapshot.segments.len(), snapshot.frame.bodies.len()], [count + 1; 3]);
        let fallen = start - snapshot.frame.bodies[count].pose.translation.y;
        let expected = 0.5 * 9.81 * snapshot.frame.time.powi(2);
        assert!((fallen - expected).abs() < 0.3 * expected, "{fallen} m, {expected} m by the law of free fall");
        let mut weightless = load(POND);
        play(&mut weightless, vec![(vec![Command::Set("gravity", 0.0), drop()], 10)]);
        let height = weightless.simulation.frame().bodies[count].pose.translation.y;
        assert!((height - start).abs() < 1e-9, "{height} m, {start} m at first");
    }

    #[test]
    fn emitters_can_be_turned_up() {
        let emitted = |rate: Option<f64>| {
            let mut session = load("tests/scenes/viewer/jet.toml");
            assert_eq!(parameter(&mut session, "emitters"), 1.0);
            let commands = rate.map(|rate| Command::Set("emitters", rate));
            play(&mut session, vec![(commands.into_iter().collect(), 40)]);
            number(&session, "emitted") / session.simulation.time()
        };
        let (none, usual, double) = (emitted(Some(0.0)), emitted(None), emitted(Some(2.0)));
        assert!(none < 0.2 * usual && double > 1.5 * usual, "{none}, {usual} and {double} particles a second");
    }

    #[test]
    fn instruments_are_read_with_every_frame() {
        let mut session = load("tests/scenes/viewer/gauge.toml");
        let step = || (vec![Command::Set("gravity", -9.8)], 1);
        let shared = play(&mut session, vec![step(), step(), step()]);
        let latest = shared.latest.expect("a frame");
        let [gauge, energy] = &latest.instruments[..] else { panic!("{:?}", latest.instruments) };
        let [foot, surface] = gauge.lines[0];
        assert!(foot == DVec3::new(0.5, 0.0, 0.5) && (surface.y - 0.4).abs() < 0.06, "{surface}");
        assert!(energy.lines.is_empty() && energy.readings.len() == 8);
        // The first frame and three steps; commands publish the same instants again.
        let readings = shared.readings.lock().expect("readings");
        let [heights, _] = &readings.instruments[..] else { panic!("{readings:?}") };
        assert_eq!(
            (heights.name.as_str(), heights.quantities[0].name.as_str(), heights.quantities[0].unit.as_str()),
            ("gauge", "surface", "m")
        );
        let points = heights.quantities[0].samples.points();
        assert!(points.len() == 4 && points.iter().all(|(_, height)| (height - 0.4).abs() < 0.06), "{points:?}");
    }

    #[test]
    fn a_gas_plays_too_and_has_no_body_to_drag() {
        let mut session = load("scenes/gas/discs.toml");
        let shared = play(&mut session, vec![(vec![Command::Stir(None)], 3)]);
        let snapshot = shared.latest.expect("a snapshot");
        assert!(snapshot.touch.draggable.is_empty() && !snapshot.touch.accepts_bodies && !snapshot.touch.can_stir);
        assert_eq!(snapshot.touch.parameters.len(), 1);
        assert_eq!(snapshot.frame.particles.positions.len(), session.simulation.element_count());
        assert!(session.simulation.time() > 0.0 && shared.history.len() == 3);
    }

    /// A cube is pulled up out of grains, and a ball falls onto them.
    #[test]
    fn bodies_among_grains_can_be_dragged_and_dropped() {
        let scene = "tests/scenes/viewer/grains.toml";
        let (mut free, mut held) = (load(scene), load(scene));
        let body = floating(&mut held);
        let center = |session: &Session| session.simulation.frame().bodies[body].center;
        let drag = Drag { body, point: DVec3::ZERO, target: center(&held) + DVec3::new(0.0, 0.1, 0.0) };
        let mesh = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("meshes/sphere.obj");
        let ball = body_above(&free.simulation.frame(), DVec3::ZERO, &mesh, 500.0).expect("a place for a ball");
        let (start, count) = (ball.pose.translation.y, free.simulation.frame().bodies.len());
        play(&mut held, vec![(vec![Command::Drag(Some(drag))], 20)]);
        play(&mut free, vec![(vec![Command::Drop(Box::new(ball))], 20)]);
        assert!(center(&held).y > center(&free).y + 0.02, "{} m held, {} m free", center(&held).y, center(&free).y);
        let frame = free.simulation.frame();
        assert_eq!(frame.bodies.len(), count + 1);
        let (fallen, expected) = (start - frame.bodies[count].center.y, 0.5 * 9.81 * frame.time.powi(2));
        assert!(fallen > 0.3 * expected && fallen < 1.1 * expected, "{fallen} m, {expected} m by the law of free fall");
    }
}
