//! `plimsoll bench`: how fast this machine is.
//!
//! Each row runs in a process of its own, so that its peak memory and its number of threads are its own.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow};
use clap::Args;
use glam::DVec3;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::{Failure, run::use_threads, terminal::print};
use crate::{
    bodies::BodyDefinition,
    fluid::{Fill, FillShape, FluidSettings, FluidSimulation, TimeStep, Viscosity},
    math::{format::grouped, lanes},
    shape::TriangleMesh,
    simulator::Simulator,
};

/// Numbers of particles, and of steps that take some seconds on one thread.
const SIZES: [(u32, u64); 3] = [(20_000, 60), (100_000, 20), (400_000, 6)];
/// Steps that are not timed: buffers grow in the first ones, and pressure builds up.
const WARM_UP: u64 = 4;
/// A time that no measurement reaches, s.
const END: f64 = 10.0;
/// The column of water and the tank, m.
const COLUMN: DVec3 = DVec3::new(0.625, 0.8, 1.0);
const TANK: DVec3 = DVec3::new(2.0, 1.0, 1.0);

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  plimsoll bench
  plimsoll bench --threads 4 --particles 1000000

Measures the first steps of a dam break, with one thread and with all of them.
It takes about half a minute. Close other programs: they slow it down.

A sweep is one application of the pressure matrix. Memory is the peak of the process.")]
pub struct BenchArguments {
    /// Number of threads of the second row of each size [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Approximate number of particles [default: 20 000, 100 000 and 400 000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1000..=20_000_000))]
    particles: Option<u32>,
    /// Measure one row and print it as JSON
    #[arg(long, hide = true, requires_all = ["threads", "particles"], value_name = "STEPS")]
    row: Option<u64>,
}

/// One measurement.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    particles: usize,
    steps: u64,
    sweeps: u64,
    /// Wall time of the steps, s.
    seconds: f64,
    /// Peak memory of the process, bytes, where the system tells it.
    memory: Option<u64>,
}

pub fn bench(arguments: &BenchArguments) -> Result<(), Failure> {
    if let (Some(steps), Some(particles)) = (arguments.row, arguments.particles) {
        use_threads(arguments.threads)?;
        let row = measure(particles, steps).map_err(Failure::Running)?;
        print(&serde_json::to_string(&row).expect("numbers can be written"));
        return Ok(());
    }
    let all = arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |count| count.get() as u16));
    let sizes = arguments.particles.map_or(SIZES.to_vec(), |particles| vec![(particles, steps_for(particles))]);
    print(&format!("dam break, first steps; loops over pairs with {}\n\n", lanes::instructions()));
    print(
        "| particles | threads | steps | sweeps per step | ms per step | M particle steps per s | M particle sweeps per s | bytes per particle |\n",
    );
    print("|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (particles, steps) in sizes {
        for threads in if all == 1 { vec![1] } else { vec![1, all] } {
            let row = in_process(particles, threads, steps).map_err(Failure::Running)?;
            print(&row.line(threads));
        }
    }
    Ok(())
}

/// As many steps as for the default sizes.
fn steps_for(particles: u32) -> u64 {
    (3_000_000 / u64::from(particles)).clamp(3, 100)
}

/// Measures in a new process.
fn in_process(particles: u32, threads: u16, steps: u64) -> anyhow::Result<Row> {
    let waiting = ProgressBar::new_spinner().with_message(format!("{} particles, threads: {threads}", grouped(particles.into())));
    waiting.enable_steady_tick(Duration::from_millis(200));
    let program = std::env::current_exe().context("cannot find this program")?;
    let output = Command::new(program)
        .args(["bench", "--row", &steps.to_string(), "--particles", &particles.to_string(), "--threads", &threads.to_string()])
        .output()
        .context("cannot start this program again")?;
    waiting.finish_and_clear();
    if !output.status.success() {
        return Err(anyhow!("{particles} particles on {threads} threads: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    serde_json::from_slice(&output.stdout).context("cannot read a measurement")
}

fn measure(particles: u32, steps: u64) -> anyhow::Result<Row> {
    let radius = 0.5 * (COLUMN.element_product() / f64::from(particles)).cbrt();
    let settings = FluidSettings {
        fills: vec![Fill::at_rest(FillShape::Box { min: DVec3::ZERO, max: COLUMN })],
        time_step: TimeStep { minimum: 1e-4, maximum: 5e-3, cfl: 0.5 },
        viscosity: Viscosity { artificial: 0.0, kinematic: 0.01, ..Viscosity::default() },
        ..FluidSettings::new(radius)
    };
    let tank = BodyDefinition::fixed("tank", TriangleMesh::basin(TANK)).at(DVec3::new(0.5 * TANK.x, 0.0, 0.5 * TANK.z));
    let mut simulation = FluidSimulation::new(settings, vec![tank])?;
    let mut advance = |count: u64| -> anyhow::Result<(f64, u64)> {
        let (start, before) = (Instant::now(), simulation.totals().sweeps);
        for _ in 0..count {
            simulation.advance(END)?;
        }
        Ok((start.elapsed().as_secs_f64(), simulation.totals().sweeps - before))
    };
    advance(WARM_UP)?;
    let (seconds, sweeps) = advance(steps)?;
    Ok(Row { particles: simulation.particle_count(), steps, sweeps, seconds, memory: peak_memory() })
}

/// Peak memory of this process, bytes; only Linux tells it in a file.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}

impl Row {
    /// A row of the table.
    fn line(&self, threads: u16) -> String {
        let &Self { particles, steps, sweeps, seconds, memory } = self;
        let work = particles as f64 / seconds / 1e6;
        let memory = memory.map_or("–".to_owned(), |bytes| grouped(bytes / particles as u64));
        format!(
            "| {} | {threads} | {steps} | {:.1} | {:.1} | {:.2} | {:.1} | {memory} |\n",
            grouped(particles as u64),
            sweeps as f64 / steps as f64,
            1e3 * seconds / steps as f64,
            work * steps as f64,
            work * sweeps as f64,
        )
    }
}
