//! Particles and bodies are bitwise identical for any number of threads and after any interruption.

use std::path::Path;

use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::FluidSimulation;
use plimsoll_output::checkpoint;
use plimsoll_run::Simulation;
use plimsoll_scene::{Definition, Scene};

const STEPS: u64 = 200;

/// Water collapses against a cube and a ball, which fall onto each other and onto the floor of the tank.
const SCENE: &str = r#"
title = "Collapse and collisions"
simulator = "fluid"
duration = 10
frames_per_second = 50

[fluid]
particle_radius = 0.02

[fluid.viscosity]
artificial = 0.05
wall = 0.05

# Above what the speed of the water allows, so that the length of a step depends on the one before.
[fluid.time_step]
maximum = 0.02

[[fluid.fill]]
box = { min = [0, 0, 0], max = [0.32, 0.4, 1] }

[[fluid.emitter]]
radius = 0.05
position = [0.88, 0.3, 0.12]
direction = [0, -1, 0]
speed = 0.5

[[fluid.drain]]
box = { min = [0, 0, 0.9], max = [0.1, 0.2, 1] }

[[body]]
name = "tank"
mesh = "meshes/small_tank.obj"
kind = "static"

[[body]]
name = "cube"
mesh = "meshes/box.obj"
kind = "floating"
scale = 0.15
position = [0.6, 0.14, 0.5]
rotation = { axis = [1, 2, 3], angle = 30 }
density = 700

[[body]]
name = "ball"
mesh = "meshes/sphere.obj"
kind = "floating"
scale = 0.15
position = [0.63, 0.35, 0.48]
velocity = [0, -1, 0]
density = 1500
"#;

fn simulation() -> FluidSimulation {
    // Mesh paths are relative to the folder of the scene.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("determinism.toml");
    let Definition::Fluid { settings, bodies } = Scene::parse(SCENE, &path).expect("the scene is sound").definition else {
        panic!("a fluid")
    };
    FluidSimulation::new(*settings, bodies).expect("there is room for fluid")
}

/// Whether another body pushes the body.
fn is_touched(simulation: &FluidSimulation, body: usize) -> bool {
    simulation.bodies()[body].contact_impulse != plimsoll_bodies::Impulse::default()
}

fn steps(simulation: &mut FluidSimulation, count: u64) {
    for _ in 0..count {
        // As in a run: up to the next frame.
        let next_frame = ((simulation.time() * 50.0 + 1e-9).floor() + 1.0) / 50.0;
        simulation.advance(next_frame).unwrap();
    }
}

/// The complete state of particles (in their current order) and bodies, bit by bit, and the diagnostics of the last step.
fn state(simulation: &FluidSimulation) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let bytes = |result: postcard::Result<Vec<u8>>| result.expect("plain data can be written");
    (
        bytes(postcard::to_allocvec(simulation.particles())),
        bytes(postcard::to_allocvec(simulation.bodies())),
        bytes(postcard::to_allocvec(simulation.last_step())),
    )
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had").install(work)
}

fn assert_same(found: &FluidSimulation, expected: &FluidSimulation, what: &str) {
    assert_eq!(found.time().to_bits(), expected.time().to_bits(), "{what}: time");
    let (found, expected) = (state(found), state(expected));
    assert!(found.0 == expected.0, "{what}: particles differ");
    assert!(found.1 == expected.1, "{what}: bodies differ");
    assert!(found.2 == expected.2, "{what}: diagnostics differ");
}

fn undisturbed(threads: usize) -> FluidSimulation {
    on_threads(threads, || {
        let mut simulation = simulation();
        steps(&mut simulation, STEPS);
        simulation
    })
}

#[test]
fn the_scene_is_worth_comparing() {
    let mut simulation = simulation();
    assert!((1500..3000).contains(&simulation.particle_count()), "{} particles", simulation.particle_count());
    let mut touched = [0; 3];
    let mut before_half = [0; 3];
    for step in 0..STEPS {
        steps(&mut simulation, 1);
        for (body, count) in touched.iter_mut().enumerate() {
            *count += u32::from(is_touched(&simulation, body));
        }
        if step == STEPS / 2 {
            before_half = touched;
        }
    }
    println!("steps with contacts: {touched:?}, {before_half:?} before the interruption; {:?}", simulation.last_step());
    for body in [1, 2] {
        assert!(touched[body] > before_half[body] && before_half[body] > 0, "body {body}: {touched:?} {before_half:?}");
        let load = simulation.loads()[body].total();
        assert!(load.linear.length() > 0.0, "the water reached body {body}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let one = undisturbed(1);
    assert_eq!(one.steps(), STEPS);
    for threads in [2, 4] {
        assert_same(&undisturbed(threads), &one, &format!("{threads} threads"));
    }
}

#[test]
fn an_interrupted_run_goes_on_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().expect("a folder for the checkpoint");
    let path = folder.path().join("checkpoint.plimsoll");
    let hash = checkpoint::scene_hash(SCENE);
    let whole = undisturbed(2);
    let half = on_threads(2, || {
        let mut simulation = simulation();
        steps(&mut simulation, STEPS / 2);
        simulation
    });
    Simulation::Fluid(Box::new(half)).save(&path, hash).expect("a checkpoint can be written");
    // Resumed on another number of threads, as if on another machine.
    let resumed = on_threads(3, || {
        let saved = Simulation::load(&path, hash).expect("a checkpoint can be read");
        let Simulation::Fluid(mut simulation) = saved else { panic!("a fluid") };
        steps(&mut simulation, STEPS - STEPS / 2);
        simulation
    });
    assert_same(&resumed, &whole, "resumed");
}

/// A paddle that pushes and turns in the water, with its motion in the scene or in a file.
fn paddle(motion: &str, folder: &Path) -> FluidSimulation {
    let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/box.obj");
    let scene = format!(
        r#"title = "Paddle"
simulator = "fluid"
duration = 1
frames_per_second = 50
origin = [100, 0, -3]

[fluid]
particle_radius = 0.02

[[fluid.fill]]
box = {{ min = [100, 0, -3], max = [100.3, 0.3, -2.7] }}

[[body]]
name = "paddle"
mesh = {mesh:?}
kind = "moving"
scale = 0.1

[body.motion]
type = "keyframes"
{motion}"#
    );
    let Definition::Fluid { settings, bodies } = Scene::parse(&scene, &folder.join("scene.toml")).expect("the scene is sound").definition
    else {
        panic!("a fluid")
    };
    FluidSimulation::new(*settings, bodies).expect("there is room for fluid")
}

#[test]
fn a_motion_in_a_file_is_the_same_as_in_the_scene() {
    // Rotation vectors of negative angles differ in the sign of zeros.
    let rows = [(0.0, 99.9, 0.0), (0.03, 99.93, 12.5), (0.11, 100.07, 31.0), (0.2, 100.1, 45.0)];
    let keyframe = |(time, x, angle): &(f64, f64, f64)| {
        format!(
            "[[body.motion.keyframe]]\ntime = {time:?}\nposition = [{x:?}, 0.1, -2.9]\nrotation = {{ axis = [0, 0, 1], angle = {angle:?} }}\n"
        )
    };
    let in_scene: String = rows.iter().map(keyframe).collect();
    let row = |(time, x, angle): &(f64, f64, f64)| format!("{time:?},{x:?},0.1,-2.9,0,0,{angle:?}\n");
    let file: String = std::iter::once("time,x,y,z,rx,ry,rz\n".to_owned()).chain(rows.iter().map(row)).collect();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("path.csv"), file).expect("a file can be written");
    let [mut from_scene, mut from_file] = [in_scene.as_str(), "file = \"path.csv\""].map(|motion| paddle(motion, folder.path()));
    let start = from_scene.bodies()[0].center();
    for _ in 0..40 {
        steps(&mut from_scene, 1);
        steps(&mut from_file, 1);
        assert_same(&from_file, &from_scene, "from a file");
    }
    assert!(from_scene.bodies()[0].center().distance(start) > 0.05, "the paddle moves");
    assert!(from_scene.loads()[0].total().linear.length() > 0.0, "the paddle touches the water");
}

/// Files of frames and bodies of 0.1 s of `scene`, run with `instructions`, and the instructions it names.
#[cfg(feature = "cli")]
fn files(scene: &str, instructions: &str) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PLIMSOLL_INSTRUCTIONS", instructions)
        .args(["run", scene, "--until", "0.1", "--out", out.to_str().expect("a path")])
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    ["particles_000002.vtu", "bodies_000002.vtu", "bodies.csv"].map(read).into()
}

/// With bodies across periodic ends, and with two floating bodies in a collapsing column.
#[test]
#[cfg(feature = "cli")]
fn results_do_not_depend_on_the_instructions_of_the_processor() {
    for scene in ["scenes/fluid/river.toml", "scenes/fluid/dam_break_bodies.toml"] {
        let best = files(scene, "best");
        for instructions in ["portable", "avx2"] {
            assert!(files(scene, instructions) == best, "{scene}, {instructions}");
        }
    }
}
