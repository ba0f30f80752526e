//! Rebuild of the pair list for mixtures of 20,000 and 100,000 grains, and a step of grains at rest on a floor, in at least ten layers.
//!
//! `GRAINS_MILLION=1` adds a million grains and prints their memory.

use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use glam::DVec3;
use plimsoll::{
    grains::{GrainsSettings, GrainsSimulation, Group, Material, PlacedGrain, Sizes, random_packing},
    math::{Domain, Random},
    search::hierarchical_grid::{HierarchicalGrid, LevelChoice, LevelPlan},
    simulator::Simulator,
};

/// Name, packing fraction, and diameters with their numbers.
type Recipe = (&'static str, f64, &'static [(f64, usize)]);

/// Whether `cargo bench` measures. A test only runs each benchmark once, and prepares it in a shorter way.
fn measures() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

fn rebuild(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pair list");
    group.sample_size(10).sampling_mode(SamplingMode::Flat).measurement_time(Duration::from_secs(3));
    let recipes: [Recipe; 4] = [
        ("one size, 20,000", 0.25, &[(1.0, 20_000)]),
        ("1:4:16, 21,000", 0.25, &[(4.0, 1000), (2.0, 4000), (1.0, 16_000)]),
        ("1:1000 and 10:1 across, 20,020", 0.3, &[(10.0, 20), (1.0, 20_000)]),
        ("1:1000 and 10:1 across, 100,100", 0.3, &[(10.0, 100), (1.0, 100_000)]),
    ];
    for (name, packing, parts) in recipes {
        let solid: f64 = parts.iter().map(|&(diameter, count)| std::f64::consts::PI / 6.0 * diameter.powi(3) * count as f64).sum();
        let size = DVec3::splat((solid / packing).cbrt());
        let mut spheres = random_packing(size, parts, &mut Random::new(7));
        let domain = Domain { low: DVec3::ZERO, size, periodic: [true; 3], dimension: 3 };
        let mut grid = HierarchicalGrid::new(LevelPlan::new(&spheres, &domain, 0.001, LevelChoice::Automatic), domain);
        let mut scratch = Vec::new();
        group.throughput(Throughput::Elements(spheres.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                grid.sort(&spheres);
                grid.reorder(&mut spheres, &mut scratch);
                grid.find_pairs(&spheres);
                grid.list.pairs.len()
            });
        });
    }
    group.finish();
}

/// Edge of the floor of a bed, meters, and the number of grains on it.
const FLOOR: f64 = 0.05;
const GRAINS: usize = 10_000;
/// Time after which the grains are at rest, seconds.
const SETTLED: f64 = 0.6;

/// A box without side walls, `tiles` times a floor's edge long and wide, with these groups or these placed grains.
fn settings(tiles: [usize; 2], groups: Vec<Group>, placed: Vec<PlacedGrain>) -> GrainsSettings {
    let material = Material { poisson_ratio: 0.25, ..Material::new("glass", 2500.0, 5e6) };
    let size = DVec3::new(FLOOR * tiles[0] as f64, 0.2, FLOOR * tiles[1] as f64);
    let domain = Domain { low: DVec3::ZERO, size, periodic: [true, false, true], dimension: 3 };
    GrainsSettings { placed, seed: 1, ..GrainsSettings::new(domain, material, groups) }
}

/// Grains with radii from 1 to 2 mm, settled on a floor.
fn settled() -> Vec<PlacedGrain> {
    let sizes = Sizes::Uniform { smallest: 1e-3, largest: 2e-3 };
    let group = Group { count: GRAINS, sizes, material: 0, velocity: DVec3::new(0.0, -0.5, 0.0), region: None };
    let mut bed = GrainsSimulation::new(settings([1, 1], vec![group], Vec::new()), Vec::new()).expect("room for all");
    let end = if measures() { SETTLED } else { 0.01 * SETTLED };
    while bed.time() < end {
        bed.advance(end).expect("a step");
    }
    let grains = bed.grains();
    let grain = |place: usize| PlacedGrain {
        radius: grains.spheres[place].radius,
        material: 0,
        position: grains.spheres[place].center,
        velocity: grains.velocities[place],
        angular_velocity: grains.angular_velocities[place],
    };
    (0..grains.len()).map(grain).collect()
}

/// Many copies of the bed side by side.
fn spread(bed: &[PlacedGrain], tiles: [usize; 2]) -> GrainsSimulation {
    let places = (0..tiles[0]).flat_map(|x| (0..tiles[1]).map(move |z| DVec3::new(x as f64, 0.0, z as f64) * FLOOR));
    let placed = places.flat_map(|shift| bed.iter().map(move |grain| PlacedGrain { position: grain.position + shift, ..*grain }));
    GrainsSimulation::new(settings(tiles, Vec::new(), placed.collect()), Vec::new()).expect("grains that lie fit beside one another")
}

fn step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    group.sample_size(10).sampling_mode(SamplingMode::Flat).warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(5));
    let million = std::env::var_os("GRAINS_MILLION").map(|_| ("1,000,000 grains", [10, 10]));
    let bed = settled();
    for (name, tiles) in [("10,000 grains", [1, 1]), ("100,000 grains", [5, 2])].into_iter().chain(million) {
        let mut simulation: Option<GrainsSimulation> = None;
        group.throughput(Throughput::Elements((GRAINS * tiles[0] * tiles[1]) as u64));
        group.bench_function(name, |bencher| {
            let simulation = simulation.get_or_insert_with(|| {
                let mut simulation = spread(&bed, tiles);
                advance(&mut simulation, if measures() { 50 } else { 1 });
                println!("{name}: {} MB, {} contacts", simulation.memory() / 1_000_000, simulation.contact_count());
                simulation
            });
            bencher.iter_custom(|rounds| {
                let start = Instant::now();
                advance(simulation, rounds);
                start.elapsed()
            });
        });
    }
    group.finish();
}

fn advance(simulation: &mut GrainsSimulation, steps: u64) {
    let last = simulation.steps() + steps;
    while simulation.steps() < last {
        let end = simulation.time() + simulation.max_step();
        simulation.advance(end).expect("a step");
    }
}

criterion_group!(benches, rebuild, step);
criterion_main!(benches);
