//! Aggregation: 200 primaries to one cluster; steps of soot from 1,000 spheres up; one round of the third algorithm of Wang et al. (2019);
//! the narrow phase of two large clusters.
//!
//! `AGGREGATES_MILLION=1` adds steps of a million spheres.

use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use plimsoll::aggregates::{AggregateSettings, AggregateSimulation, Algorithm, MotionLaw, NarrowPhase, first_collision};
use plimsoll::simulator::Simulator;

fn simulation(count: usize, volume_fraction: f64, law: MotionLaw) -> AggregateSimulation {
    AggregateSimulation::new(&AggregateSettings { seed: 1, ..AggregateSettings::soot(count, volume_fraction, law) }).expect("room for all")
}

fn aggregate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("aggregates");
    group.sample_size(10).sampling_mode(SamplingMode::Flat).warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(3));
    let flame = MotionLaw::Fixed { time_step: 1e-6 };
    for (name, volume_fraction, law) in
        [("200 primaries to one cluster", 8e-4, MotionLaw::Relaxation), ("200 primaries to one cluster, in a flame", 3e-6, flame)]
    {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut simulation = simulation(200, volume_fraction, law);
                while simulation.population().len() > 1 {
                    simulation.advance(f64::INFINITY).expect("a step");
                }
                simulation.time()
            });
        });
    }
    let million = std::env::var_os("AGGREGATES_MILLION").map(|_| ("step, 1,000,000 spheres", 1_000_000));
    for (name, count) in [("step, 1,000 spheres", 1000), ("step, 10,000 spheres", 10_000)].into_iter().chain(million) {
        let mut simulation = simulation(count, 3e-6, flame);
        group.bench_function(name, |bencher| bencher.iter(|| simulation.advance(simulation.time() + simulation.remaining())));
    }
    let state = simulation(3000, 3e-6, flame);
    group.bench_function("round of the third algorithm, 3,000 spheres", |bencher| {
        bencher.iter(|| first_collision(state.population(), state.remaining(), Algorithm::Spheres, NarrowPhase::Sampling));
    });
    let mut large = simulation(600, 1e-3, MotionLaw::Relaxation);
    while large.population().len() > 2 {
        large.advance(f64::INFINITY).expect("a step");
    }
    let clusters = &large.population().clusters;
    let mut motions = [large.population().motion_at(0, 0.0), large.population().motion_at(1, 0.0)];
    motions[1].center = motions[0].center + glam::DVec3::X * (clusters[0].radius + clusters[1].radius);
    motions[1].velocity = motions[0].velocity - glam::DVec3::X;
    let limits = (0.0, 2.0 * (clusters[0].radius + clusters[1].radius));
    for (name, narrow) in [("narrow phase, advancement", NarrowPhase::Advancement), ("narrow phase, sampling", NarrowPhase::Sampling)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| narrow.first_contact((&clusters[0], &motions[0]), (&clusters[1], &motions[1]), limits));
        });
    }
    group.finish();
}

criterion_group!(benches, aggregate);
criterion_main!(benches);
