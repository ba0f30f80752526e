//! What a particle of the fluid costs, from twenty thousand to two million of them.
//!
//! `cargo run --release --example fluid_cost` prints the table of `docs/performance.md` and draws `docs/images/fluid_cost.svg`: the first
//! steps of `benches/scenes/dam_break_98k.toml` on one thread, at several particle radii. It takes two minutes and 3 GB of memory.

use std::path::Path;

use plimsoll::{
    fluid::FluidSimulation,
    plot::{Panel, Picture, PictureFormat, Scale, Series, write_picture},
    scene::{Definition, Scene},
    simulator::Simulator,
};

const SIZES: [f64; 7] = [2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6];
/// Steps that are timed.
const STEPS: u64 = 20;
/// Steps that are not timed: buffers grow in the first ones, and pressure builds up.
const WARM_UP: u64 = 4;
const SCENE: &str = "benches/scenes/dam_break_98k.toml";
/// Volume of its column of water, m³.
const VOLUME: f64 = 0.625 * 0.8;
const PICTURE: &str = "docs/images/fluid_cost.svg";

struct Row {
    particles: f64,
    sweeps_per_step: f64,
    /// Per particle and step.
    microseconds: f64,
    /// Of both solves, per particle and sweep.
    nanoseconds_per_sweep: f64,
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    println!("| particles | sweeps per step | µs per particle and step | of that, ns per particle and sweep |");
    println!("|---:|---:|---:|---:|");
    let rows: Vec<Row> = SIZES.iter().map(|&size| pool.install(|| measure(size))).collect();
    draw(&rows);
}

fn measure(size: f64) -> Row {
    let mut simulation = dam_break(0.5 * (VOLUME / size).cbrt());
    let particles = simulation.particle_count() as f64;
    advance(&mut simulation, WARM_UP);
    let (before, sweeps) = (seconds(&simulation), simulation.totals().sweeps);
    advance(&mut simulation, STEPS);
    let (after, sweeps) = (seconds(&simulation), (simulation.totals().sweeps - sweeps) as f64);
    let steps = STEPS as f64;
    let row = Row {
        particles,
        sweeps_per_step: sweeps / steps,
        microseconds: 1e6 * (after.0 - before.0) / (particles * steps),
        nanoseconds_per_sweep: 1e9 * (after.1 - before.1) / (particles * sweeps),
    };
    println!("| {particles} | {:.1} | {:.2} | {:.1} |", row.sweeps_per_step, row.microseconds, row.nanoseconds_per_sweep);
    row
}

/// The scene's fluid with particles of `radius` (m).
fn dam_break(radius: f64) -> FluidSimulation {
    let Definition::Fluid { mut settings, bodies } = Scene::load(Path::new(SCENE)).unwrap_or_else(|error| panic!("{error}")).definition
    else {
        panic!("a fluid")
    };
    settings.particle_radius = radius;
    FluidSimulation::new(*settings, bodies).expect("there is room for fluid")
}

fn advance(simulation: &mut FluidSimulation, steps: u64) {
    (0..steps).for_each(|_| simulation.advance(10.0).expect("a step"));
}

/// Time of all stages and of the two solves, s.
fn seconds(simulation: &FluidSimulation) -> (f64, f64) {
    let stages = simulation.timings();
    let solves = stages.iter().filter(|(name, _)| ["pressure_seconds", "divergence_seconds"].contains(name));
    (stages.iter().map(|(_, seconds)| seconds).sum(), solves.map(|(_, seconds)| seconds).sum())
}

/// Plots against the decimal logarithm of the number of particles.
fn draw(rows: &[Row]) {
    let series = |value: fn(&Row) -> f64| {
        let points = rows.iter().map(|row| (row.particles.log10(), value(row))).collect();
        vec![Series { name: "dam break".to_owned(), color: 0, points }]
    };
    let panels = vec![
        Panel::new("Time per particle and step", "µs", Scale::Linear, series(|row| row.microseconds)),
        Panel::new("Time of the solves per particle and sweep", "ns", Scale::Linear, series(|row| row.nanoseconds_per_sweep)),
        Panel::new("Sweeps per step", "", Scale::Linear, series(|row| row.sweeps_per_step)),
    ];
    let picture = Picture {
        name: "fluid_cost".to_owned(),
        title: "Cost of a particle".to_owned(),
        subtitle: "first steps of a dam break, one thread".to_owned(),
        horizontal: "Decimal logarithm of the number of particles".to_owned(),
        panels,
    };
    write_picture(Path::new(PICTURE), &picture, PictureFormat::Svg).expect("the picture can be written");
}
