//! Weakly compressible fluid: its speed of sound and its pressure at rest.

use crate::common::{GRAVITY, WATER, box_fill, cuboid, fixed};
use glam::DVec3;
use plimsoll_base::math::{Domain, Pose};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation, PressureSolver, TaitLaw, TimeStep, Viscosity};

const RADIUS: f64 = 0.005;
/// Depth of the water, 24 particle diameters.
const DEPTH: f64 = 0.24;

/// A column of water on a floor, endless along x and z. It begins without pressure.
fn column(artificial: f64) -> (FluidSimulation, f64) {
    let side = 16.0 * RADIUS;
    let sound_speed = 10.0 * (GRAVITY * DEPTH).sqrt();
    let settings = FluidSettings {
        settle: false,
        pressure: PressureSolver::Wcsph(TaitLaw { sound_speed, exponent: 1.0 }),
        viscosity: Viscosity { kinematic: 0.0, artificial, xsph: 0.0, ..Viscosity::default() },
        time_step: TimeStep { minimum: 1e-6, maximum: 0.005, cfl: 0.5 },
        domain: Domain { low: DVec3::ZERO, size: DVec3::new(side, 0.0, side), periodic: [true, false, true], dimension: 3 },
        ..crate::common::settings(RADIUS, vec![box_fill(DVec3::ZERO, DVec3::new(side, DEPTH, side), DVec3::ZERO)])
    };
    let floor = fixed("floor", cuboid(DVec3::new(-0.5, -0.1, -0.5), DVec3::new(0.5, 0.0, 0.5)), Pose::IDENTITY);
    (FluidSimulation::new(settings, vec![floor]).unwrap(), sound_speed)
}

/// The column bounces under its own weight in its lowest mode, a quarter of a wave: its period is `4 H/c`.
#[test]
fn a_column_bounces_at_the_speed_of_sound() {
    let (mut simulation, sound_speed) = column(0.02);
    let expected = 4.0 * DEPTH / sound_speed;
    let mut turns = Vec::new();
    let mut before = 0.0;
    while simulation.time() < 6.0 * expected {
        simulation.advance(f64::INFINITY).unwrap();
        let momentum = simulation.last_step().momentum.linear.y;
        if before < 0.0 && momentum >= 0.0 {
            turns.push(simulation.time() - simulation.last_step().dt * momentum / (momentum - before));
        }
        before = momentum;
    }
    let period = (turns[4] - turns[1]) / 3.0;
    println!("period {period:.5} s, expected {expected:.5} s, turns {turns:?}");
    assert!((period / expected - 1.0).abs() < 0.05, "{period} s, expected {expected}");
}

/// The column goes on bouncing, but over many periods its mean pressure carries the weight above.
#[test]
fn the_mean_pressure_is_hydrostatic() {
    let (mut simulation, sound_speed) = column(0.02);
    let end = 16.0 * 4.0 * DEPTH / sound_speed;
    // For each layer of the initial lattice, sums of height and pressure over time.
    let mut layers = [[0.0; 2]; 24];
    while simulation.time() < end {
        simulation.advance(end).unwrap();
        let (particles, dt) = (simulation.particles(), simulation.last_step().dt);
        for (position, &pressure) in particles.positions.iter().zip(&particles.density_pressures) {
            let height = f64::from(position.y);
            let layer = &mut layers[(height / (2.0 * RADIUS)).clamp(0.0, 23.0) as usize];
            *layer = [layer[0] + dt, layer[1] + dt * f64::from(pressure)];
        }
    }
    let bottom = WATER * GRAVITY * DEPTH;
    let mut errors = Vec::new();
    for (index, [time, sum]) in layers.iter().enumerate() {
        // The height of the middle of the layer does not change on average by more than the compression, 0.5 %.
        let (height, pressure) = ((2 * index + 1) as f64 * RADIUS, sum / time);
        let error = (pressure - WATER * GRAVITY * (DEPTH - height)) / bottom;
        println!("{height:.3} m: {pressure:.1} Pa, error {:.2} % of the pressure at the floor", 100.0 * error);
        errors.push(error);
    }
    // In a perfect lattice the pressure alternates from layer to layer next to a wall.
    assert!(errors.iter().all(|error| error.abs() < 0.13), "{errors:.3?}");
    assert!(errors[3..].windows(2).all(|pair| (pair[0] + pair[1]).abs() < 0.08), "{errors:.3?}");
}
