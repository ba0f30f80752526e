//! Time per impact in a periodic gas of spheres at a packing fraction of 0.2, from 1,000 spheres up; the reference version with 10,000
//! spheres; a gas between walls.
//!
//! `GAS_MILLION=1` adds a gas of a million spheres.

use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use glam::DVec3;
use plimsoll::gas::{Container, Dimension, Gas, GasSettings, GasSetup, Group, ReferenceGas, Species};

/// Number of impacts per measurement.
const IMPACTS: u64 = 1000;

fn setup(count: usize, walls: bool) -> GasSetup {
    let container = if walls { Container::closed } else { Container::periodic };
    let group = Group::new(count, Species { radius: 0.5, mass: 1.0 }, 1.0);
    let container = container(Dimension::Three, DVec3::ZERO, Dimension::Three.edges(count, 0.2));
    let settings = GasSettings { seed: 1, ..GasSettings::new(container, vec![group]) };
    settings.set_up().expect("room for all")
}

fn advance(gas: &mut Gas, impacts: u64) {
    let end = gas.counters().pairs + impacts;
    while gas.counters().pairs < end {
        // In small batches, as in a run; a few more impacts do not matter.
        gas.advance(f64::INFINITY, 16).expect("room");
    }
}

/// Whether `cargo bench` measures. A test only runs each benchmark once, and prepares it in a shorter way.
fn measures() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

fn impact(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gas");
    group.sample_size(10).sampling_mode(SamplingMode::Flat).warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(4));
    group.throughput(Throughput::Elements(IMPACTS));
    let million = std::env::var_os("GAS_MILLION").map(|_| ("1,000,000 spheres", 1_000_000, false));
    let sizes = [("1,000 spheres", 1000, false), ("4,000 spheres", 4000, false), ("4,000 spheres between walls", 4000, true)];
    let sizes = sizes.into_iter().chain([("10,000 spheres", 10_000, false), ("100,000 spheres", 100_000, false)]).chain(million);
    for (name, count, walls) in sizes {
        let mut gas: Option<Gas> = None;
        group.bench_function(name, |bencher| {
            let gas = gas.get_or_insert_with(|| {
                let mut gas = Gas::new(setup(count, walls)).expect("a sound setup");
                // Past the transient from the regular initial state, and through one reset of the clock.
                advance(&mut gas, if measures() { 4 * count as u64 } else { 1 });
                gas
            });
            bencher.iter_custom(|rounds| {
                let start = Instant::now();
                advance(gas, rounds * IMPACTS);
                start.elapsed()
            });
        });
    }
    group.throughput(Throughput::Elements(10));
    // Created only once: the setup takes seconds, because each sphere is tested against all others.
    let mut gas: Option<ReferenceGas> = None;
    group.bench_function("reference, 10,000 spheres", |bencher| {
        bencher.iter_custom(|rounds| {
            let gas = gas.get_or_insert_with(|| ReferenceGas::new(setup(if measures() { 10_000 } else { 100 }, false)));
            let start = Instant::now();
            for _ in 0..10 * rounds {
                gas.next_collision(f64::INFINITY).expect("room");
            }
            start.elapsed()
        });
    });
    group.finish();
}

criterion_group!(benches, impact);
criterion_main!(benches);
