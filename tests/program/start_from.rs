//! Simulations that start from the last state of another run.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use glam::{DQuat, DVec3};
use plimsoll_base::math::{Aabb, Domain};
use plimsoll_bodies::{Body, BodyDefinition, BodyKind, Floating, Keyframe, MassSource, Mismatch, PrescribedMotion};
use plimsoll_contract::simulator::{Simulator, Unwatched};
use plimsoll_fluid::{
    Continuation, ContinuationError, Emitter, Fill, FillShape, FluidSettings, FluidSimulation, Mouth, PressureSolver, TaitLaw,
};
use plimsoll_output::{RunInfo, RunResult};
use plimsoll_shape::TriangleMesh;

const FRAMES_PER_SECOND: f64 = 50.0;

/// Water that collapses against two floating bodies while an emitter pours and a paddle moves.
fn settings() -> FluidSettings {
    let mut settings = FluidSettings::new(0.025);
    settings.fills = vec![Fill::at_rest(FillShape::Box { min: DVec3::new(-0.5, 0.0, -0.3), max: DVec3::new(-0.1, 0.4, 0.3) })];
    settings.emitters = vec![Emitter::new(Mouth::Disc { radius: 0.06 }, DVec3::new(0.3, 0.35, 0.0), DVec3::NEG_Y, 0.6)];
    // The speed of the water limits the steps, so that the length of each depends on the one before.
    settings.time_step.cfl = 0.1;
    settings.drains = vec![Aabb { min: DVec3::new(-0.5, 0.0, 0.2), max: DVec3::new(-0.4, 0.1, 0.3) }];
    settings
}

fn tank() -> BodyDefinition {
    BodyDefinition::fixed("tank", TriangleMesh::basin(DVec3::new(1.0, 0.8, 0.6)))
}

fn bodies() -> Vec<BodyDefinition> {
    let cube = |name: &str, edge: f64, density: f64| {
        BodyDefinition::floating(name, TriangleMesh::cuboid(DVec3::splat(edge)), MassSource::Density(density))
    };
    let mut tilted = cube("box", 0.14, 1800.0).at(DVec3::new(0.05, 0.12, 0.0));
    tilted.pose.rotation = DQuat::from_rotation_z(0.4);
    vec![tank(), tilted, cube("crate", 0.1, 300.0).at(DVec3::new(0.06, 0.27, 0.02))]
}

fn paddle(phase: f64) -> BodyDefinition {
    let motion = PrescribedMotion::Sinusoid {
        amplitude: DVec3::new(0.04, 0.0, 0.0),
        rotation: DVec3::ZERO,
        pivot: DVec3::ZERO,
        frequency: 1.5,
        phase,
    };
    BodyDefinition::moving("paddle", TriangleMesh::cuboid(DVec3::new(0.02, 0.3, 0.4)), motion).at(DVec3::new(0.42, 0.2, 0.0))
}

/// Advances by `frames` frames from `start` (s) as a run does; `first` is the number of the current frame.
fn run(simulation: &mut FluidSimulation, start: f64, frames: std::ops::Range<u64>) {
    for frame in frames {
        let until = (start * FRAMES_PER_SECOND + (frame + 1) as f64) / FRAMES_PER_SECOND;
        while simulation.time() < until {
            simulation.advance(until).expect("a sound simulation");
        }
        simulation.take_frame();
    }
}

/// The simulation as a checkpoint restores it.
fn restored(simulation: &FluidSimulation) -> FluidSimulation {
    plimsoll_saved::fluid::restored(simulation)
}

fn state(simulation: &FluidSimulation) -> [Vec<u8>; 2] {
    let bytes = |bytes: postcard::Result<Vec<u8>>| bytes.expect("plain data");
    [bytes(postcard::to_allocvec(simulation.particles())), bytes(postcard::to_allocvec(simulation.bodies()))]
}

fn continued(settings: FluidSettings, bodies: Vec<BodyDefinition>, from: &FluidSimulation, time: f64) -> FluidSimulation {
    continue_from(settings, bodies, from, time).expect("a state that fits").0
}

fn continue_from(
    settings: FluidSettings,
    bodies: Vec<BodyDefinition>,
    from: &FluidSimulation,
    time: f64,
) -> Result<(FluidSimulation, Continuation), ContinuationError> {
    FluidSimulation::continue_from(settings, bodies, restored(from), time, &Unwatched)
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

const HALF: u64 = 20;
const WHOLE: u64 = 36;

#[test]
fn a_simulation_from_a_state_takes_the_steps_of_the_other() {
    let mut other = on_threads(2, || {
        let mut other = FluidSimulation::new(settings(), bodies()).expect("room");
        run(&mut other, 0.0, 0..HALF);
        other
    });
    let half = restored(&other);
    on_threads(2, || run(&mut other, 0.0, HALF..WHOLE));
    let touched = |simulation: &FluidSimulation| simulation.bodies()[1].contact_impulse != plimsoll_bodies::Impulse::default();
    assert!(
        other.inflow().emitted > half.inflow().emitted && other.inflow().drained > 0,
        "{} {}",
        other.inflow().emitted,
        other.inflow().drained
    );
    assert!(touched(&half) && touched(&other), "the solver of contacts is at work");
    // Steps lengthen gradually from the last one.
    let mut wide = settings();
    wide.time_step.cfl = 0.5;
    let mut wide = continued(wide, bodies(), &half, 0.0);
    wide.advance(1.0 / FRAMES_PER_SECOND).expect("a step");
    assert!(wide.last_step().dt < 1.5 * half.last_step().dt, "{} {}", wide.last_step().dt, half.last_step().dt);
    for (time, threads) in [(0.0, 1), (0.0, 3), (HALF as f64 / FRAMES_PER_SECOND, 2)] {
        let found = on_threads(threads, || {
            let mut found = continued(settings(), bodies(), &half, time);
            run(&mut found, time, 0..WHOLE - HALF);
            found
        });
        let ([particles, bodies], [expected_particles, expected_bodies]) = (state(&found), state(&other));
        assert!(particles == expected_particles, "particles from {time} s");
        assert!(bodies == expected_bodies, "bodies from {time} s");
        assert_eq!(found.steps(), other.steps() - half.steps());
        // Counters and the ledger are those of this simulation alone.
        assert!(found.last_step().momentum_error < 1e-6 && found.last_step().angular_momentum_error < 1e-6, "{:?}", found.last_step());
        assert_eq!(found.inflow().emitted, other.inflow().emitted - half.inflow().emitted);
        assert_eq!(found.inflow().drained, other.inflow().drained - half.inflow().drained);
    }
}

#[test]
fn prescribed_motion_continues_on_the_clock_of_the_other() {
    let scene = || [bodies(), vec![paddle(0.0)]].concat();
    let mut other = FluidSimulation::new(settings(), scene()).expect("room");
    run(&mut other, 0.0, 0..HALF);
    let half = restored(&other);
    run(&mut other, 0.0, HALF..WHOLE);
    let time = HALF as f64 / FRAMES_PER_SECOND;
    let mut found = continued(settings(), scene(), &half, time);
    run(&mut found, time, 0..WHOLE - HALF);
    assert!(state(&found) == state(&other));
    assert_eq!(found.time(), other.time());
    // At time zero the paddle would jump, but for a phase with which it begins where it is.
    let Err(ContinuationError::Bodies(mismatches)) = continue_from(settings(), scene(), &half, 0.0).map(|_| ()) else {
        panic!("the paddle jumps")
    };
    assert!(matches!(mismatches.as_slice(), [Mismatch { key: "motion", body, .. }] if body == "paddle"), "{mismatches:?}");
    let phase = std::f64::consts::TAU * 1.5 * time;
    let mut shifted = continued(settings(), [bodies(), vec![paddle(phase)]].concat(), &half, 0.0);
    run(&mut shifted, 0.0, 0..WHOLE - HALF);
    assert!(shifted.bodies()[3].pose.translation.distance(other.bodies()[3].pose.translation) < 1e-9);
    assert!(shifted.bodies()[1].center().distance(other.bodies()[1].center()) < 0.02);
}

#[test]
fn bodies_and_fluid_continue_across_periodic_ends() {
    let domain = Domain { low: DVec3::new(-0.5, 0.0, 0.0), size: DVec3::new(1.0, 0.0, 0.0), periodic: [true, false, false], dimension: 3 };
    let settings = || FluidSettings { domain, gravity: DVec3::new(2.0, -9.81, 0.0), ..settings() };
    let scene = || {
        let floor = TriangleMesh::cuboid(DVec3::new(1.0, 0.1, 0.6));
        let wall = || TriangleMesh::cuboid(DVec3::new(1.2, 1.0, 0.1));
        let belt = PrescribedMotion::Constant { linear: DVec3::new(1.0, 0.0, 0.0), angular: DVec3::ZERO, pivot: DVec3::ZERO };
        let rock = BodyDefinition::moving("rock", TriangleMesh::cuboid(DVec3::splat(0.1)), belt).at(DVec3::new(0.3, 0.05, 0.0));
        let mut all = bodies();
        all[0] = BodyDefinition::fixed("floor", floor).at(DVec3::new(0.0, -0.05, 0.0));
        all.push(BodyDefinition::fixed("left", wall()).at(DVec3::new(0.0, 0.3, -0.35)));
        all.push(BodyDefinition::fixed("right", wall()).at(DVec3::new(0.0, 0.3, 0.35)));
        all.push(rock);
        all
    };
    let mut other = FluidSimulation::new(settings(), scene()).expect("room");
    run(&mut other, 0.0, 0..HALF);
    let half = restored(&other);
    assert!(half.bodies()[5].wrapped.x.abs() > 0.5, "the rock has passed an end");
    run(&mut other, 0.0, HALF..WHOLE);
    let time = HALF as f64 / FRAMES_PER_SECOND;
    let mut found = continued(settings(), scene(), &half, time);
    assert!(found.bodies()[5].pose.translation.distance(half.bodies()[5].pose.translation) < 1e-12, "where it is, not a period away");
    run(&mut found, time, 0..WHOLE - HALF);
    assert!(state(&found)[0] == state(&other)[0], "particles");
    for (body, expected) in found.bodies().iter().zip(other.bodies()) {
        assert_eq!((body.pose, body.velocity), (expected.pose, expected.velocity), "{}", body.name);
    }
}

/// A pool in which a ball is held, and later floats, or is moved.
fn held(kind: BodyKind) -> BodyDefinition {
    BodyDefinition::new("ball", TriangleMesh::cuboid(DVec3::splat(0.2)), kind).at(DVec3::new(0.0, 0.2, 0.0))
}

fn pool() -> FluidSettings {
    let mut settings = settings();
    settings.fills = vec![Fill::at_rest(FillShape::Box { min: DVec3::new(-0.5, 0.0, -0.3), max: DVec3::new(0.5, 0.3, 0.3) })];
    settings.emitters.clear();
    settings.drains.clear();
    settings
}

fn light() -> Floating {
    Floating::new(MassSource::Density(300.0))
}

#[test]
fn a_body_that_was_held_may_float_and_the_other_way_around() {
    let mut other = FluidSimulation::new(pool(), vec![tank(), held(BodyKind::Static)]).expect("room");
    run(&mut other, 0.0, 0..10);
    let released = Floating { velocity: DVec3::new(0.0, 0.0, 0.1), ..light() };
    let mut floating = continued(pool(), vec![tank(), held(BodyKind::Floating(released))], &other, 0.0);
    let ball = |simulation: &FluidSimulation| -> Body { simulation.bodies()[1].clone() };
    assert_eq!((ball(&floating).pose, ball(&floating).velocity), (ball(&other).pose, DVec3::new(0.0, 0.0, 0.1)));
    run(&mut floating, 0.0, 0..15);
    assert!(ball(&floating).center().y > 0.21, "{}: it rises", ball(&floating).center());
    // Held again where it is, and moved from there; its position in the scene is still that of the beginning.
    let held_again = continued(pool(), vec![tank(), held(BodyKind::Static)], &floating, 0.0);
    assert_eq!((ball(&held_again).pose, ball(&held_again).velocity), (ball(&floating).pose, DVec3::ZERO));
    assert_eq!(restored(&held_again).bodies()[1].pose, ball(&floating).pose);
    let there = ball(&floating).pose;
    let keyframe = |time: f64, shift: f64| Keyframe { time, position: there.translation + shift * DVec3::Y, rotation: there.rotation };
    let lifted = BodyKind::Moving(PrescribedMotion::Keyframes(vec![keyframe(0.0, 0.0), keyframe(0.2, 0.1)]));
    let mut lifted = continued(pool(), vec![tank(), held(lifted)], &floating, 0.0);
    run(&mut lifted, 0.0, 0..10);
    assert!((ball(&lifted).pose.translation.y - there.translation.y - 0.1).abs() < 1e-9);
    // A heavier body keeps its velocity.
    let heavy = Floating { mass: MassSource::Density(900.0), velocity: released_velocity(&floating), ..light() };
    let heavy = continued(pool(), vec![tank(), held(BodyKind::Floating(heavy))], &floating, 0.0);
    assert!((ball(&heavy).velocity - ball(&floating).velocity).length() < 1e-12 && ball(&heavy).velocity.length() > 1e-3);
    assert!((ball(&heavy).mass / ball(&floating).mass - 3.0).abs() < 1e-12);
}

/// A static body is cut finely only near the fluid, one that may move everywhere. A run from a checkpoint cuts it as the run before.
#[test]
fn a_large_body_that_is_held_or_released_is_cut_as_after_a_resume() {
    let slab = |kind: BodyKind| {
        BodyDefinition::new("slab", TriangleMesh::cuboid(DVec3::new(40.0, 0.1, 40.0)), kind).at(DVec3::new(0.0, -0.1, 0.0))
    };
    let pieces = |simulation: &FluidSimulation| simulation.bodies()[1].segmentation.mesh.triangles.len();
    let [still, free] = [BodyKind::Static, BodyKind::Floating(light())];
    let mut counts = Vec::new();
    for (first, second) in [(&still, &free), (&free, &still), (&still, &still), (&free, &free)] {
        let before = FluidSimulation::new(pool(), vec![tank(), slab(first.clone())]).expect("room");
        let after = continued(pool(), vec![tank(), slab(second.clone())], &before, 0.0);
        assert!(after.bodies()[1].segmentation == restored(&after).bodies()[1].segmentation);
        counts.push((pieces(&before), pieces(&after)));
    }
    println!("{counts:?}");
    let (few, many) = counts[0];
    assert!(few * 2 < many);
    assert_eq!(counts[1..], [(many, few), (few, few), (many, many)]);
}

fn released_velocity(simulation: &FluidSimulation) -> DVec3 {
    simulation.bodies()[1].floating().expect("a floating body").velocity
}

#[test]
fn new_bodies_displace_fluid_and_others_may_go() {
    let mut other = FluidSimulation::new(pool(), vec![tank(), held(BodyKind::Floating(light()))]).expect("room");
    run(&mut other, 0.0, 0..10);
    let pillar = BodyDefinition::fixed("pillar", TriangleMesh::cuboid(DVec3::new(0.2, 0.8, 0.2))).at(DVec3::new(-0.3, 0.4, 0.0));
    let (mut found, continuation) = continue_from(pool(), vec![pillar, tank()], &other, 0.0).expect("a state that fits");
    let Continuation { new_bodies, gone_bodies, removed_particles } = continuation;
    assert_eq!((new_bodies, gone_bodies), (vec!["pillar".to_owned()], vec!["ball".to_owned()]));
    // The pillar and a layer of one particle radius, 0.25 m wide, in water about 0.3 m deep.
    let expected = 0.25_f64.powi(2) * 0.3 / 0.05_f64.powi(3);
    assert!((0.7..1.2).contains(&(removed_particles as f64 / expected)), "{removed_particles} of {expected}");
    assert_eq!(found.particle_count() as u64 + removed_particles, other.particle_count() as u64);
    let left: std::collections::BTreeSet<u32> = found.particles().ids.iter().copied().collect();
    assert!(left.len() == found.particle_count() && left.iter().all(|id| other.particles().ids.contains(id)), "ids stay");
    run(&mut found, 0.0, 0..10);
    assert_eq!(found.totals().leaked, 0);
    assert!(found.last_step().max_speed < 2.0, "{} m/s: the fluid fills the gaps calmly", found.last_step().max_speed);
    // A new body in a floating one.
    let inside = BodyDefinition::fixed("post", TriangleMesh::cuboid(DVec3::new(0.02, 0.8, 0.02))).at(other.bodies()[1].center());
    let clash = continue_from(pool(), vec![tank(), held(BodyKind::Floating(light())), inside], &other, 0.0).map(|_| ());
    let Err(ContinuationError::Bodies(mismatches)) = clash else { panic!("a post in the ball") };
    assert!(matches!(mismatches.as_slice(), [Mismatch { key: "position", body, .. }] if body == "post"), "{mismatches:?}");
}

#[test]
fn an_emitter_elsewhere_leaves_free_fluid_behind() {
    let mut other = FluidSimulation::new(settings(), vec![tank()]).expect("room");
    run(&mut other, 0.0, 0..5);
    let prescribed = |simulation: &FluidSimulation| simulation.particles().inverse_masses.iter().filter(|&&w| w == 0.0).count();
    assert!(prescribed(&other) > 0);
    let mut none = settings();
    none.emitters.clear();
    let none = continued(none, vec![tank()], &other, 0.0);
    assert_eq!((prescribed(&none), none.bodies().len()), (0, 1));
    let mut moved = settings();
    moved.emitters[0].position.x = 0.0;
    let (mut moved, continuation) = continue_from(moved, vec![tank()], &other, 0.0).expect("a state that fits");
    assert_eq!(continuation.new_bodies, ["emitter 1"]);
    run(&mut moved, 0.0, 0..10);
    assert!(moved.inflow().emitted > 0 && prescribed(&moved) > 0, "{} {}", moved.inflow().emitted, prescribed(&moved));
}

#[test]
fn another_solver_leaves_no_pressure_behind() {
    let mut other = FluidSimulation::new(pool(), vec![tank()]).expect("room");
    run(&mut other, 0.0, 0..5);
    assert!(other.particles().divergence_pressures.iter().any(|&pressure| pressure != 0.0));
    let explicit = FluidSettings { pressure: PressureSolver::Wcsph(TaitLaw { sound_speed: 30.0, exponent: 7.0 }), ..pool() };
    let mut explicit = continued(explicit, vec![tank()], &other, 0.0);
    run(&mut explicit, 0.0, 0..2);
    assert!(explicit.particles().divergence_pressures.iter().all(|&pressure| pressure == 0.0));
    assert!(explicit.particles().density_pressures.iter().any(|&pressure| pressure > 1e3));
}

// The program.

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

const HEAD: &str = "title = \"Falling block\"\nsimulator = \"fluid\"\nduration = 0.06\nframes_per_second = 50\n";
const FLUID: &str = "\n[fluid]\nparticle_radius = 0.02\n";
const FILL: &str = "[[fluid.fill]]\nbox = { min = [0, 1.1, 0], max = [0.2, 1.3, 0.2] }\n";
const BODIES: &str = "
[[body]]
name = \"cube\"
mesh = \"cube.obj\"
kind = \"static\"

[[body]]
name = \"raft\"
mesh = \"cube.obj\"
scale = 0.1
position = [0.05, 1.33, 0.03]
kind = \"floating\"
density = 500
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("cube.obj"), CUBE).expect("a mesh");
    write(folder.path(), "first", &[HEAD, FLUID, FILL, BODIES].concat());
    folder
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(format!("{name}.toml"));
    fs::write(&path, text).expect("a scene");
    path
}

fn plimsoll(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.current_dir(folder).stdin(Stdio::null()).args(arguments).output().expect("the program runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn succeed(folder: &Path, arguments: &[&str]) -> Output {
    let output = plimsoll(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    output
}

/// The frame number `frame` of a run.
fn frame(folder: &Path, run: &str, frame: u64) -> [Vec<u8>; 2] {
    ["particles", "bodies"].map(|series| {
        let path = folder.join(run).join(format!("{series}_{frame:06}.vtu"));
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    })
}

#[test]
fn a_run_starts_from_the_last_state_of_another_and_resumes_without_it() {
    let folder = folder();
    let folder = folder.path();
    succeed(folder, &["run", "first.toml", "--until", "0.12", "--out", "whole"]);
    succeed(folder, &["run", "first.toml"]);
    for (name, time) in [("at_zero", 0.0), ("later", 0.06)] {
        write(folder, name, &format!("{HEAD}start_from = \"out/first\"\nstart_time = {time}\n{FLUID}{BODIES}"));
        let shown = String::from_utf8(succeed(folder, &["check", &format!("{name}.toml")]).stdout).expect("text");
        assert!(shown.contains(&format!("start     at {time} s from out/first at 0.06 s, step ")), "{shown}");
        succeed(folder, &["run", &format!("{name}.toml"), "--until", &format!("{}", time + 0.04)]);
    }
    let source = RunInfo::read(&folder.join("out/first/run.json")).expect("a record");
    // The state is in each run's own checkpoint.
    fs::remove_dir_all(folder.join("out/first")).expect("the folder is removed");
    for (name, time) in [("at_zero", 0.0), ("later", 0.06)] {
        let out = format!("out/{name}");
        succeed(folder, &["run", "--resume", &out]);
        // Forces and pressures in frame 0 are those of an instant, as in any first frame.
        for number in 1..=3 {
            assert!(frame(folder, &out, number) == frame(folder, "whole", 3 + number), "{name}: frame {number}");
        }
        let info = RunInfo::read(&folder.join(&out).join("run.json")).expect("a record");
        assert_eq!((info.result, info.frames, info.time), (RunResult::Completed, 4, if time == 0.0 { 0.06 } else { 0.12 }));
        let start = info.start.expect("the state from which it started");
        assert_eq!((start.run.as_str(), start.time, start.steps), ("out/first", 0.06, source.steps));
        assert_eq!((start.checksum.len(), start.removed_particles), (16, 0));
        let collection = fs::read_to_string(folder.join(&out).join("particles.pvd")).expect("a collection");
        assert!(collection.contains(&format!("timestep=\"{}\"", if time == 0.0 { 0.02 } else { 0.08 })), "{collection}");
    }
    let run = plimsoll(folder, &["run", "at_zero.toml"]);
    assert!(
        stderr(&run).contains("at_zero.toml:5: start_from: found \"out/first\": missing folder out/first, expected the folder"),
        "{}",
        stderr(&run)
    );
}

/// A scene that starts from `out/first`, with one text replaced by another.
fn scene_with(from: &str, to: &str) -> String {
    [HEAD, "start_from = \"out/first\"\n", FLUID, BODIES].concat().replace(from, to)
}

const RISING: &str = "kind = \"moving\"\nmotion = { type = \"sinusoid\", amplitude = [0, 0.1, 0], frequency = 1, phase = 90 }";

/// Neither `check` nor `run` accepts any of the scenes, given with a name and what the message says, and nothing is written.
fn assert_refused(folder: &Path, cases: &[(&str, String, &str)]) {
    for (name, text, expected) in cases {
        write(folder, "scene", text);
        for command in [&["check", "scene.toml"][..], &["run", "scene.toml", "--out", "other"]] {
            assert_says(&plimsoll(folder, command), name, expected);
        }
        assert!(!folder.join("other").exists(), "{name}: nothing is written");
    }
}

/// The program found bad input and says so.
fn assert_says(output: &Output, name: &str, expected: &str) {
    assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(output));
    assert!(stderr(output).contains(expected), "{name}: expected {expected}, found {}", stderr(output));
}

#[test]
fn a_run_that_does_not_fit_is_an_error_before_anything_runs() {
    let folder = folder();
    let folder = folder.path();
    succeed(folder, &["run", "first.toml", "--until", "0.02", "--out", "out/first"]);
    fs::create_dir(folder.join("empty")).expect("a folder");
    for (copy, damage) in [("cut", true), ("changed", false)] {
        fs::create_dir(folder.join(copy)).expect("a folder");
        let mut bytes = fs::read(folder.join("out/first/checkpoint.plimsoll")).expect("a checkpoint");
        if damage {
            bytes.truncate(bytes.len() / 2);
        } else {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        }
        fs::write(folder.join(copy).join("checkpoint.plimsoll"), bytes).expect("a checkpoint");
    }
    let gas = "title = \"Gas\"\nsimulator = \"gas\"\nduration = 0.1\nframes_per_second = 10\n[gas]\nbox = { min = [0, 0, 0], max = [1, 1, 1] }\n\
        [[gas.group]]\ncount = 10\nradius = 0.01\nmass = 1\ntemperature = 1\n";
    write(folder, "gas", gas);
    succeed(folder, &["run", "gas.toml"]);

    let with = scene_with;
    let cases = [
        (
            "missing",
            with("out/first", "out/none"),
            "scene.toml:5: start_from: found \"out/none\": missing folder out/none, expected the folder of a run",
        ),
        (
            "empty",
            with("out/first", "empty"),
            "scene.toml:5: start_from: found \"empty\": a folder without checkpoint.plimsoll, expected the folder of a run",
        ),
        ("cut", with("out/first", "cut"), "scene.toml:5: start_from: found \"cut\": cut/checkpoint.plimsoll: checkpoint is truncated"),
        (
            "changed",
            with("out/first", "changed"),
            "scene.toml:5: start_from: found \"changed\": changed/checkpoint.plimsoll: checkpoint is corrupt",
        ),
        ("gas", with("out/first", "out/gas"), "found \"out/gas\": a run of simulator \"gas\", expected a run of simulator \"fluid\""),
        (
            "radius",
            with("0.02\n", "0.025\n"),
            "found \"out/first\": a run with particle_radius 0.02, expected a run with particle_radius 0.025, as in this scene",
        ),
        (
            "density",
            with("0.02\n", "0.02\ndensity = 900\n"),
            "found \"out/first\": a run with density 1000, expected a run with density 900",
        ),
        (
            "origin",
            with("start_from", "origin = [0, 5, 0]\nstart_from"),
            "found \"out/first\": a run with origin [0, 0, 0], expected a run with origin [0, 5, 0]",
        ),
        (
            "periods",
            with("0.02\n", "0.02\nperiodic = { z = [-2, 3] }\n"),
            "a run with no periodic axes, expected a run with periodic axes z = [-2, 3]",
        ),
    ];
    assert_refused(folder, &cases);
}

#[test]
fn bodies_that_do_not_fit_are_errors_before_anything_runs() {
    let folder = folder();
    let folder = folder.path();
    succeed(folder, &["run", "first.toml", "--until", "0.02", "--out", "out/first"]);
    let with = scene_with;
    let cases = [
        (
            "mesh",
            with("scale = 0.1", "scale = 0.11"),
            "scene.toml:15: body \"raft\".mesh: found another mesh, of 12 triangles, expected the mesh that this body has there",
        ),
        (
            "position",
            with("1.33", "1.4"),
            "scene.toml:15: body \"raft\".position: found [0.05, 1.4, 0.03], expected [0.05, 1.33, 0.03] as there",
        ),
        (
            "rotation",
            with("density", "rotation = { axis = [0, 1, 0], angle = 30 }\ndensity"),
            "body \"raft\".rotation: found a rotation that differs by 30.0000°",
        ),
        (
            "velocity",
            with("density", "velocity = [1, 0, 0]\ndensity"),
            "body \"raft\".velocity: found [1, 0, 0], expected [0, 0, 0] as there",
        ),
        (
            "motion",
            with("kind = \"static\"", RISING),
            "scene.toml:10: body \"cube\".motion: found a motion that is at [0, 0.1, 0] at 0 s, up to 0.1 m from",
        ),
        (
            "overlap",
            with("name = \"cube\"", "name = \"block\"\nposition = [0, 0.7, 0]"),
            "scene.toml:10: body \"block\".position: found a position that overlaps body \"raft\"",
        ),
    ];
    assert_refused(folder, &cases);
    // Several errors at once.
    write(folder, "scene", &with("1.33", "1.4").replace("kind = \"static\"", RISING));
    let output = plimsoll(folder, &["check", "scene.toml"]);
    assert_says(&output, "several", "\"cube\".motion");
    assert_says(&output, "several", "\"raft\".position");
}

#[test]
fn a_run_has_its_own_folder_and_ends_after_its_start() {
    let folder = folder();
    let folder = folder.path();
    succeed(folder, &["run", "first.toml", "--until", "0.02", "--out", "out/first"]);
    write(folder, "scene", &scene_with("", ""));
    let own = "scene.toml:5: start_from: found \"out/first\": the output folder of this run, expected the folder of another run";
    assert_says(&plimsoll(folder, &["run", "scene.toml", "--out", "./out/../out/first"]), "own folder", own);
    write(folder, "scene", &scene_with("out/first\"\n", "out/first\"\nstart_time = 0.5\n"));
    let early = "--until: found 0.3 s, expected a time after the start of the scene, 0.5 s";
    assert_says(&plimsoll(folder, &["run", "scene.toml", "--until", "0.3", "--out", "other"]), "early end", early);
    assert!(!folder.join("other").exists(), "nothing is written");
}
