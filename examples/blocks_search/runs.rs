//! Whole runs with enumeration and with the voxel grid, of rock in troughs of several sizes.

use std::time::Instant;

use plimsoll::{
    blocks::{BlocksSimulation, Stage},
    search::planar::SearchMethod,
};

use crate::scenes::{Scene, rock_in_trough};

/// Steps of each run.
const STEPS: u64 = 50;

/// What a run took, seconds.
#[derive(Clone, Copy, Debug)]
struct Run {
    stages: [f64; 6],
    total: f64,
    iterations: u64,
    unsettled: u64,
}

impl Run {
    fn of(scene: &Scene, method: SearchMethod) -> Self {
        let mut settings = scene.settings.clone();
        settings.search.method = method;
        let mut simulation = BlocksSimulation::new(settings).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        let mut iterations = 0;
        let start = Instant::now();
        for _ in 0..STEPS {
            simulation.advance(10.0).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
            iterations += u64::from(simulation.report().iterations);
        }
        let total = start.elapsed().as_secs_f64();
        let stages = [Stage::Search, Stage::Detection, Stage::Assembly, Stage::Solution, Stage::Contacts, Stage::Update];
        let stages = stages.map(|stage| simulation.stage_times().of(stage));
        Self { stages, total, iterations, unsettled: simulation.unsettled_steps() }
    }
}

/// Prints a table of runs with these numbers of blocks.
pub fn table(counts: &[usize]) {
    println!("### Whole runs of {STEPS} steps, s\n");
    println!(
        "| blocks | search | searching | detection | assembly | solution | contacts | update | in all | iterations | unsettled steps |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for &count in counts {
        let scene = rock_in_trough(count);
        let runs = [SearchMethod::Enumeration, SearchMethod::VoxelGrid].map(|method| {
            let run = Run::of(&scene, method);
            let stages = run.stages.map(|seconds| format!("{seconds:.3}")).join(" | ");
            println!("| {count} | {} | {stages} | {:.2} | {} | {} |", method.name(), run.total, run.iterations, run.unsettled);
            run
        });
        println!("{count} blocks: {:.0} % faster\n", 100.0 * (1.0 - runs[1].total / runs[0].total));
    }
}
