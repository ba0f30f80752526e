//! Scenes are refused with the line of each error, or run.

use std::path::{Path, PathBuf};

use plimsoll::{
    bodies::{BodyKind, PrescribedMotion},
    fluid::FillShape,
    run::Simulation,
    scene::{Definition, Scene, SceneError, load_probes},
    simulator::{Interrupted, Watch},
};

use super::{Folder, assert_says_why, repository, seeds};

/// Larger scenes are not run.
const MAX_ELEMENTS: usize = 1000;
const MAX_TRIANGLES: usize = 3000;
/// Calls of `advance`.
const ADVANCES: usize = 3;
/// Fraction of a frame interval that a run advances.
const PART_OF_FRAME: f64 = 0.05;

/// A scene with a body whose motion is in a file.
const MOVING: &str = r#"title = "A moving body"
simulator = "fluid"
duration = 1
frames_per_second = 10

[fluid]
particle_radius = 0.02

[[fluid.fill]]
box = { min = [-9, -9, -9], max = [-8, -8, -8] }

[[body]]
name = "cube"
mesh = "../meshes/cube.obj"
kind = "moving"
motion = { type = "keyframes", file = 'PATH' }
"#;

/// Meshes are found as from the scenes of the tests.
fn scene_path() -> PathBuf {
    repository().join("tests/scenes/viewer/damaged.toml")
}

fn assert_reports_lines(error: &SceneError, text: &str) {
    assert_says_why(error);
    let lines = 1 + text.matches('\n').count();
    for problem in &error.problems {
        assert!(problem.line.is_some_and(|line| (1..=lines).contains(&line)), "{problem}: there are {lines} lines");
        assert!(!problem.found.is_empty() && !problem.expected.is_empty(), "{problem}");
    }
}

pub fn check(file: &[u8]) {
    let text = String::from_utf8_lossy(file);
    match Scene::parse(&text, &scene_path()) {
        Ok(scene) => {
            assert!(!scene.title.chars().any(char::is_control));
            assert!(scene.duration > 0.0 && scene.frames_per_second > 0.0 && !scene.formats.is_empty());
        }
        Err(error) => assert_reports_lines(&error, &text),
    }
}

pub fn check_probes(file: &[u8]) {
    let text = String::from_utf8_lossy(file);
    let scene = String::from_utf8(seeds::pond()).expect("a scene");
    match load_probes((&scene, &scene_path()), (&text, Path::new("probes.toml"))) {
        Ok((_, probes)) => assert!(!probes.is_empty()),
        Err(error) => assert_reports_lines(&error, &text),
    }
}

/// Reads `file` as the motion of a body: its keyframes are in order.
pub fn check_motion(file: &[u8]) {
    thread_local!(static FOLDER: Folder = Folder::new());
    FOLDER.with(|folder| {
        let path = folder.write("motion.csv", file);
        let scene = MOVING.replace("PATH", path.to_str().expect("a path"));
        match Scene::parse(&scene, &scene_path()) {
            Ok(scene) => {
                let Definition::Fluid { bodies, .. } = scene.definition else { panic!("a fluid") };
                let BodyKind::Moving(PrescribedMotion::Keyframes(keyframes)) = &bodies[0].kind else { panic!("keyframes") };
                assert!(keyframes.len() > 1 && keyframes.windows(2).all(|pair| pair[0].time < pair[1].time));
                assert!(keyframes.iter().all(|keyframe| keyframe.position.is_finite() && keyframe.rotation.is_normalized()));
            }
            Err(error) => {
                assert_reports_lines(&error, &scene);
                assert!(!error.to_string().contains('\r'), "control characters: {error:?}");
            }
        }
    });
}

/// A scene that is accepted runs or ends with an error; its frames are finite.
pub fn check_run(file: &[u8]) {
    runs(&String::from_utf8_lossy(file));
}

/// Runs the beginning of a scene, if it is accepted and small. Returns whether it did.
pub fn runs(text: &str) -> bool {
    let Ok(scene) = Scene::parse(text, &scene_path()) else { return false };
    if scene.start.is_some() || !is_small(&scene.definition) {
        return false;
    }
    let mut simulation = match Simulation::new(scene.definition, &Impatience) {
        Ok(simulation) => simulation,
        Err(error) => {
            assert_says_why(&error);
            return false;
        }
    };
    assert!(!simulation.describe().is_empty());
    let end = simulation.time() + PART_OF_FRAME / scene.frames_per_second;
    for _ in 0..ADVANCES {
        if simulation.element_count() > MAX_ELEMENTS {
            break;
        }
        let before = simulation.time();
        if let Err(error) = simulation.advance(end).and_then(|()| simulation.take_checked_frame().map(drop)) {
            assert_says_why(&error);
            break;
        }
        let time = simulation.time();
        assert!(before <= time && time <= end, "a step from {before} s to {time} s, which is after {end} s");
        assert!(before < time || before == end || simulation.is_finished(), "a step that does not advance from {before} s");
    }
    assert!(!simulation.diagnostics().is_empty());
    simulation.summary();
    true
}

/// Interrupts a setup of many parts.
struct Impatience;

impl Watch for Impatience {
    fn progress(&self, _: &'static str, _: usize, total: usize) -> Result<(), Interrupted> {
        if total > 10 * MAX_ELEMENTS { Err(Interrupted) } else { Ok(()) }
    }
}

fn is_small(definition: &Definition) -> bool {
    let (elements, bodies) = match definition {
        Definition::Fluid { settings, bodies } => {
            let volume = |shape: &FillShape| shape.aabb().volume();
            let filled: f64 = settings.fills.iter().map(|fill| volume(&fill.shape)).sum();
            let emitted: usize = settings.emitters.iter().map(|_| MAX_ELEMENTS / 4).sum();
            ((filled / (2.0 * settings.particle_radius).powi(3)) as usize + emitted, &bodies[..])
        }
        Definition::Gas(settings) => (settings.placed.len() + settings.groups.iter().map(|group| group.count).sum::<usize>(), &[][..]),
        Definition::Aggregates(settings) => (settings.count, &[][..]),
        Definition::Blocks(settings) => (settings.blocks.len(), &[][..]),
        Definition::Grains { settings, bodies } => {
            (settings.placed.len() + settings.groups.iter().map(|group| group.count).sum::<usize>(), &bodies[..])
        }
    };
    elements <= MAX_ELEMENTS && bodies.iter().map(|body| body.mesh.triangles.len()).sum::<usize>() <= MAX_TRIANGLES
}
