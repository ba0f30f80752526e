//! Time of one step of the dam break, at about 20,000 and 100,000 particles.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use plimsoll::{
    fluid::FluidSimulation,
    scene::{Definition, Scene},
    simulator::Simulator,
};

/// The scene's fluid with particles of `radius` (meters).
fn dam_break(radius: f64) -> FluidSimulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/fluid/dam_break.toml");
    let Definition::Fluid { mut settings, bodies } = Scene::load(&path).unwrap_or_else(|error| panic!("{error}")).definition else {
        panic!("a fluid")
    };
    settings.particle_radius = radius;
    FluidSimulation::new(*settings, bodies).expect("there is room for fluid")
}

fn step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    group.sample_size(10).sampling_mode(SamplingMode::Flat).warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(5));
    for (name, radius, particles) in
        [("dam break, 20k particles", 0.0146_f64, 18_000..22_000), ("dam break, 100k particles", 0.00855, 90_000..110_000)]
    {
        let mut simulation: Option<FluidSimulation> = None;
        group.throughput(Throughput::Elements((0.5 / (2.0 * radius).powi(3)) as u64));
        group.bench_function(name, |bencher| {
            // The simulation continues from sample to sample, so the whole collapse is measured and not one instant repeatedly.
            let simulation = simulation.get_or_insert_with(|| dam_break(radius));
            assert!(particles.contains(&simulation.particle_count()), "{} particles", simulation.particle_count());
            bencher.iter_custom(|count| {
                let start = Instant::now();
                for _ in 0..count {
                    simulation.advance(f64::INFINITY).unwrap();
                }
                start.elapsed()
            });
        });
        if let Some(simulation) = &simulation {
            let sweeps = simulation.totals().sweeps as f64 / simulation.steps().max(1) as f64;
            println!("{name}: {} steps to {:.3} s, {sweeps:.1} sweeps a step", simulation.steps(), simulation.time());
        }
    }
    group.finish();
}

criterion_group!(benches, step);
criterion_main!(benches);
