//! Whole runs: the same with every search, with any number of threads, and after an interruption; candidates include every contact.

use std::path::Path;

use plimsoll_blocks::{BlocksError, BlocksSettings, BlocksSimulation};
use plimsoll_contract::simulator::{Simulator, Unwatched};
use plimsoll_run::Simulation;
use plimsoll_scene::{Definition, Scene};
use plimsoll_search::planar::{SearchMethod, pairs_within};

use super::common::{block, polygon, rectangle, run, settings};

const SCENE: &str = r#"
title = "Rock in a trough"
simulator = "blocks"
duration = 1.0
frames_per_second = 50
seed = 4
[blocks]
[[blocks.material]]
name = "rock"
density = 2500
young_modulus = 2e8
[[blocks.joint]]
friction_angle = 25
[[blocks.block]]
vertices = [[-4, -1], [4, -1], [4, 6], [3, 6], [3, 0], [-3, 0], [-3, 6], [-4, 6]]
fixed = true
[[blocks.block]]
vertices = [[-2.9, 0.01], [2.4, 0.01], [2.4, 0.5], [0.2, 0.5], [0.2, 2.5], [-0.2, 2.5], [-0.2, 0.5], [-2.9, 0.5]]
[[blocks.region]]
outline = [[0.3, 0.6], [2.7, 0.6], [2.7, 3], [0.3, 3]]
voronoi = { spacing = 0.55, scatter = 0.8 }
[[blocks.region]]
outline = [[-2.7, 0.6], [-0.3, 0.6], [-0.3, 3], [-2.7, 3]]
joint_set = [{ angle = 30, spacing = 0.5 }, { angle = 110, spacing = 0.6 }]
[blocks.step]
maximum = 4e-3
"#;

fn scene() -> BlocksSettings {
    let scene = Scene::parse(SCENE, Path::new("whole.toml")).unwrap_or_else(|error| panic!("{error}"));
    let Definition::Blocks(settings) = scene.definition else { panic!("blocks") };
    *settings
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had").install(work)
}

fn steps(simulation: &mut BlocksSimulation, count: usize) {
    for _ in 0..count {
        let next_frame = ((simulation.time() * 50.0 + 1e-9).floor() + 1.0) / 50.0;
        simulation.advance(next_frame).unwrap_or_else(|error| panic!("{error}"));
    }
}

fn bytes(simulation: &BlocksSimulation) -> Vec<u8> {
    postcard::to_allocvec(&(simulation.state(), simulation.memory())).expect("plain data can be written")
}

/// As `bytes`, with the counters of the last step.
fn bytes_and_counters(simulation: &BlocksSimulation) -> Vec<u8> {
    postcard::to_allocvec(&(simulation.state(), simulation.memory(), simulation.report())).expect("plain data can be written")
}

#[test]
fn every_search_leads_to_the_same_motion_and_holds_every_contact() {
    let mut results = Vec::new();
    for method in SearchMethod::ALL {
        let mut settings = scene();
        settings.search.method = method;
        let cutoff = settings.step.cutoff();
        let mut simulation = BlocksSimulation::new(settings).unwrap_or_else(|error| panic!("{error}"));
        let mut closed = 0;
        for step in 0..120 {
            let near = (step % 10 == 0).then(|| pairs_within(&simulation.state().outlines(), cutoff));
            steps(&mut simulation, 1);
            closed = closed.max(simulation.report().closed);
            let (pairs, _) = simulation.found();
            for pair in near.iter().flatten() {
                assert!(pairs.binary_search(pair).is_ok(), "{pair:?} lost by {}", method.name());
            }
        }
        println!("{}: at most {closed} contacts closed, {} unsettled steps", method.name(), simulation.unsettled_steps());
        assert!(closed > 20);
        results.push(bytes(&simulation));
    }
    assert!(results.iter().all(|result| *result == results[0]), "searches differ");
}

#[test]
fn results_do_not_depend_on_threads_or_interruptions() {
    SearchMethod::ALL.into_iter().for_each(|method| same_after_interruption(&scene_with(method)));
}

fn scene_with(method: SearchMethod) -> BlocksSettings {
    let mut settings = scene();
    settings.search.method = method;
    settings
}

/// Runs a scene on several numbers of threads, and with an interruption soon after which the lists of pairs still hold.
fn same_after_interruption(settings: &BlocksSettings) {
    let whole = |threads| {
        on_threads(threads, || {
            let mut simulation = BlocksSimulation::new(settings.clone()).unwrap_or_else(|error| panic!("{error}"));
            steps(&mut simulation, 52);
            bytes_and_counters(&simulation)
        })
    };
    let one = whole(1);
    assert!(whole(2) == one && whole(4) == one, "threads differ");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.plimsoll");
    on_threads(2, || {
        let mut simulation = BlocksSimulation::new(settings.clone()).unwrap_or_else(|error| panic!("{error}"));
        steps(&mut simulation, 50);
        Simulation::Blocks(Box::new(simulation)).save(&path, 1).expect("a checkpoint can be written");
    });
    let resumed = on_threads(3, || {
        let saved = Simulation::load(&path, 1).expect("a checkpoint can be read");
        let Simulation::Blocks(mut simulation) = saved else { panic!("blocks") };
        steps(&mut simulation, 2);
        bytes_and_counters(&simulation)
    });
    assert!(resumed == one, "resumed differs");
}

#[test]
fn blocks_in_one_another_and_points_in_none_are_refused() {
    let refused = |blocks| BlocksSimulation::new(settings(blocks, 30.0)).err().expect("refused");
    let overlapping = refused(vec![block(rectangle(0.0, 0.0, 1.0, 1.0)), block(rectangle(0.9, 0.0, 1.0, 1.0))]);
    assert!(matches!(overlapping, BlocksError::Overlap { first: 1, second: 2, area, .. } if (area - 0.1).abs() < 1e-6), "{overlapping}");
    // Completely inside the wall of a trough, far from its edges.
    let trough = polygon(&[(0.0, 0.0), (30.0, 0.0), (30.0, 20.0), (26.0, 20.0), (26.0, 4.0), (4.0, 4.0), (4.0, 20.0), (0.0, 20.0)]);
    let swallowed = refused(vec![block(trough), block(rectangle(1.5, 1.5, 0.5, 0.5)), block(rectangle(10.0, 10.0, 0.5, 0.5))]);
    assert!(matches!(swallowed, BlocksError::Overlap { first: 1, second: 2, .. }), "{swallowed}");
    let mut nowhere = settings(vec![block(rectangle(0.0, 0.0, 1.0, 1.0))], 30.0);
    nowhere.fixed_points.push(glam::DVec2::new(3.0, 0.0));
    assert!(matches!(BlocksSimulation::new(nowhere).err(), Some(BlocksError::NoBlock { what: "fixed point", .. })));
}

#[test]
fn setup_errors_name_file_line_and_key() {
    let message = |more: &str| {
        let text = format!(
            "title = \"Blocks\"\nsimulator = \"blocks\"\nduration = 1\nframes_per_second = 10\n[[blocks.material]]\nname = \"rock\"\n\
             density = 2500\nyoung_modulus = 2e8\n[[blocks.joint]]\nfriction_angle = 25\n[[blocks.block]]\n\
             vertices = [[0, 0], [1, 0], [1, 1], [0, 1]]\n{more}"
        );
        let path = Path::new("blocks.toml");
        let scene = Scene::parse(&text, path).unwrap_or_else(|error| panic!("{error}"));
        let error = Simulation::prepare(scene.definition, None, &Unwatched).err().expect("refused");
        error.in_scene(path, &text)
    };
    assert_eq!(
        message("[[blocks.block]]\nvertices = [[0.5, 0], [1.5, 0], [1.5, 1], [0.5, 1]]\n"),
        "blocks.toml:14: blocks.block[2].vertices: block 2 overlaps block 1 by 0.5 m² around [1, 0.5]"
    );
    let region = message("[[blocks.region]]\noutline = [[0.5, 0], [1.5, 0], [1.5, 1], [0.5, 1]]\nbricks = { width = 1, height = 1 }\n");
    assert!(region.starts_with("blocks.toml:14: blocks.region[1].outline: block 2 overlaps block 1 by 0.5"), "{region}");
    assert_eq!(
        message("[[blocks.fixed_point]]\nat = [0.5, 0.5]\n[[blocks.fixed_point]]\nat = [3, 0]\n"),
        "blocks.toml:16: blocks.fixed_point[2].at: fixed point at [3, 0] is outside all blocks"
    );
    assert_eq!(message("fixed = true\n"), "blocks.toml:5: blocks: all blocks are fixed: at least one must be able to move");
}

#[test]
fn frames_show_the_blocks_that_are_there() {
    let mut settings = settings(vec![block(rectangle(0.0, 0.0, 1.0, 1.0)), block(rectangle(3.0, 0.0, 1.0, 1.0))], 30.0);
    settings.removals = vec![plimsoll_blocks::Removal { point: glam::DVec2::new(3.5, 0.2), time: 0.05 }];
    let simulation = run(settings.clone(), 0.04);
    assert_eq!((simulation.frame().polygons.len(), simulation.frame().polygons.polygon(1)[0][0]), (2, 3.0));
    let simulation = run(settings, 0.2);
    let frame = simulation.frame();
    assert_eq!((frame.polygons.len(), simulation.block_count(), frame.polygons.positions.len()), (1, 1, 4));
    assert!(frame.polygons.fields.iter().all(|field| field.values.len() == 1) && frame.particles.positions.is_empty());
}
