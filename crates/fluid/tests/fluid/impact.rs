//! SPHERIC test 2 (Kleefsman et al. 2005): a dam break against a box. The force on the box varies smoothly from step to step and does not
//! depend on the output rate.

use crate::common::{box_fill, closed_tank, cuboid, fixed};
use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation};

/// m
const RADIUS: f64 = 0.0125;
/// Seconds.
const END: f64 = 1.0;

fn tank_with_box(frames_per_second: f64) -> FluidSimulation {
    let tank = fixed("tank", closed_tank([DVec3::ZERO, DVec3::new(3.22, 1.0, 1.0)], 0.05), Pose::IDENTITY);
    let obstacle = fixed("box", cuboid(DVec3::new(0.6635, 0.0, 0.2955), DVec3::new(0.8245, 0.161, 0.6985)), Pose::IDENTITY);
    let water = box_fill(DVec3::new(1.992, 0.0, 0.0), DVec3::new(3.22, 0.55, 1.0), DVec3::ZERO);
    let mut settings = FluidSettings { settle: false, ..crate::common::settings(RADIUS, vec![water]) };
    settings.time_step.maximum = (0.25 * RADIUS).min(1.0 / frames_per_second);
    FluidSimulation::new(settings, vec![tank, obstacle]).unwrap()
}

/// A step: its end time and length, s, and the force of the fluid on the box towards the far wall, N.
struct Sample {
    time: f64,
    dt: f64,
    force: f64,
}

fn record(frames_per_second: f64) -> Vec<Sample> {
    let mut simulation = tank_with_box(frames_per_second);
    let mut samples = Vec::new();
    for frame in 1..=(END * frames_per_second).round() as u32 {
        let landing = f64::from(frame) / frames_per_second;
        while simulation.time() < landing {
            simulation.advance(landing).unwrap();
            let last = simulation.last_step();
            samples.push(Sample { time: last.time, dt: last.dt, force: -simulation.loads()[1].total().linear.x / last.dt });
        }
    }
    assert_eq!(simulation.totals().leaked, 0);
    samples
}

fn within(samples: &[Sample], from: f64, to: f64) -> Vec<&Sample> {
    samples.iter().filter(|sample| sample.time > from + 1e-9 && sample.time < to + 1e-9).collect()
}

/// Mean force, N, and its relative noise: the standard deviation of the steps from a straight line, since the force itself changes too.
fn mean_and_noise(samples: &[&Sample]) -> (f64, f64) {
    let sum = |term: &dyn Fn(&Sample) -> f64| samples.iter().map(|sample| sample.dt * term(sample)).sum::<f64>();
    let total = sum(&|_| 1.0);
    let (mean, middle) = (sum(&|sample| sample.force) / total, sum(&|sample| sample.time) / total);
    let slope = sum(&|sample| (sample.time - middle) * sample.force) / sum(&|sample| (sample.time - middle).powi(2));
    let variance = sum(&|sample| (sample.force - mean - slope * (sample.time - middle)).powi(2)) / total;
    (mean, variance.sqrt() / mean)
}

#[test]
fn the_force_on_the_box_is_calm_and_the_same_at_every_output_rate() {
    let (few, many) = rayon::join(|| record(50.0), || record(400.0));
    for (from, to, noise_allowed) in [(0.44, 0.48, 0.5), (0.48, 0.56, 0.2), (0.56, 0.7, 0.2), (0.8, 1.0, 0.1)] {
        let (mean, noise) = mean_and_noise(&within(&few, from, to));
        let (other_mean, other_noise) = mean_and_noise(&within(&many, from, to));
        println!(
            "{from} to {to} s: {mean:.1} N, noise {:.1} %; at 400 frames a second {other_mean:.1} N, {:.1} %",
            100.0 * noise,
            100.0 * other_noise
        );
        assert!(noise < noise_allowed && other_noise < noise_allowed, "{from}: noise {noise} and {other_noise}");
        // The noise of single steps leaves a standard error of 6 % in the first 40 ms.
        let error = noise / (within(&few, from, to).len() as f64).sqrt();
        assert!((mean - other_mean).abs() < (0.03 + error) * mean, "{from}: {mean} and {other_mean} N");
    }
    // The collapse is turbulent: single windows of 20 ms differ by more than the means of the phases.
    let windows = (22..50).map(|window| (0.02 * f64::from(window), 0.02 * f64::from(window + 1)));
    let pairs: Vec<(f64, f64)> =
        windows.map(|(from, to)| (mean_and_noise(&within(&few, from, to)).0, mean_and_noise(&within(&many, from, to)).0)).collect();
    let apart = (pairs.iter().map(|(one, other)| (one / other - 1.0).powi(2)).sum::<f64>() / pairs.len() as f64).sqrt();
    let bias = pairs.iter().map(|(one, other)| one / other - 1.0).sum::<f64>() / pairs.len() as f64;
    println!("20 ms means: {:.1} % apart (root mean square), {:+.1} % on average; {pairs:.0?}", 100.0 * apart, 100.0 * bias);
    assert!(bias.abs() < 0.03, "{bias}");
}
