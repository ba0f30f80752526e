//! Whole runs with enumeration and with the voxel grid, of rock in troughs of several sizes.

use std::time::Instant;

use plimsoll::{
    blocks::{BlocksSimulation, BlocksStage},
    search::planar::SearchMethod,
    simulator::Simulator,
};

use crate::scenes::{Scene, rock_in_trough};

/// Steps of each run.
const STEPS: u64 = 30;

/// Cost of a run, seconds.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// CPU time of all threads; wall time if the system does not report it.
    processor: f64,
    wall: f64,
    /// Share of the search in the wall time.
    search: f64,
    simulated: f64,
    iterations: u64,
    unsettled: u64,
}

impl Run {
    fn of(scene: &Scene, method: SearchMethod) -> Self {
        let mut settings = scene.settings.clone();
        settings.search.method = method;
        let mut simulation = BlocksSimulation::new(settings).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        let mut iterations = 0;
        let (start, before) = (Instant::now(), processor_seconds());
        for _ in 0..STEPS {
            simulation.advance(10.0).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
            iterations += u64::from(simulation.report().iterations);
        }
        let wall = start.elapsed().as_secs_f64();
        let processor = processor_seconds().zip(before).map_or(wall, |(after, before)| after - before);
        let search = simulation.stage_times().of(BlocksStage::Search) / wall;
        Self { processor, wall, search, simulated: simulation.time(), iterations, unsettled: simulation.unsettled_steps() }
    }
}

/// CPU time of this process, from Linux's process table, which counts hundredths of a second.
fn processor_seconds() -> Option<f64> {
    let table = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut columns = table.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || columns.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Prints a table of runs with these numbers of blocks.
pub fn table(counts: &[usize]) {
    println!("### Whole runs of {STEPS} steps\n");
    println!("| blocks | search | processor, s | wall, s | search in wall time | simulated, ms | iterations | unsettled steps |");
    println!("|---|---|---|---|---|---|---|---|");
    for &count in counts {
        let scene = rock_in_trough(count);
        let runs = [SearchMethod::Enumeration, SearchMethod::VoxelGrid].map(|method| {
            let run = Run::of(&scene, method);
            println!(
                "| {count} | {} | {:.2} | {:.2} | {:.1} % | {:.2} | {} | {} |",
                method.name(),
                run.processor,
                run.wall,
                100.0 * run.search,
                1e3 * run.simulated,
                run.iterations,
                run.unsettled
            );
            run
        });
        println!("{count} blocks: {:.0} % less processor time\n", 100.0 * (1.0 - runs[1].processor / runs[0].processor));
    }
}
