//! How long vortices last without viscosity: the Taylor–Green vortex (1937), which would not decay at all, and slow vortices in a layer of water.

use std::f64::consts::{PI, TAU};

use crate::common::{box_fill, cuboid, fixed};
use glam::DVec3;
use plimsoll_base::math::{Domain, Pose};
use plimsoll_fluid::{FluidSettings, FluidSimulation, Viscosity};

/// Period, m; initial speed, m/s.
const LENGTH: f64 = 1.0;
const SPEED: f64 = 1.0;
/// About the time in which a vortex turns once, s.
const TURN: f64 = 0.5;

/// Kinematic viscosity (m²/s) with which the vortex would lose as much energy in half a second, its time of turning, as it does without any, with these
/// particles per period. Without gravity there is no artificial viscosity either.
fn numerical_viscosity(resolution: f64) -> f64 {
    let d = LENGTH / resolution;
    let size = DVec3::new(LENGTH, LENGTH, 6.0 * d);
    let domain = Domain { low: DVec3::ZERO, size, periodic: [true; 3], dimension: 3 };
    let fills = vec![box_fill(DVec3::ZERO, size, DVec3::ZERO)];
    let viscosity = Viscosity { kinematic: 0.0, ..Viscosity::default() };
    let settings = FluidSettings { domain, gravity: DVec3::ZERO, viscosity, settle: false, ..crate::common::settings(0.5 * d, fills) };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    simulation.set_velocities(|x| {
        let (x, y) = (TAU * x.x / LENGTH, TAU * x.y / LENGTH);
        SPEED * DVec3::new(-x.cos() * y.sin(), x.sin() * y.cos(), 0.0)
    });
    let before = simulation.kinetic_energy();
    crate::common::run(&mut simulation, TURN, |_| {});
    // Energy decays as exp(−16π²νt/L²).
    -(simulation.kinetic_energy() / before).ln() * LENGTH * LENGTH / (16.0 * PI * PI * TURN)
}

#[test]
fn vortices_decay_slowly_without_viscosity() {
    for (resolution, most) in [(16.0, 2.2e-3), (25.0, 1.7e-3), (50.0, 1.4e-3)] {
        let viscosity = numerical_viscosity(resolution);
        let lost = 100.0 * (1.0 - (-16.0 * PI * PI * viscosity * TURN).exp());
        println!("{resolution} particles per period: {lost:.1} % of the energy lost in a turn, as with {viscosity:.1e} m²/s");
        assert!(viscosity < most, "{viscosity} m²/s");
    }
}

/// Period, depth and speed of the vortices in a layer, m and m/s; particles per period.
const PERIOD: f64 = 1.0;
const DEPTH: f64 = 0.5;
const SLOW: f64 = 0.3;
const IN_PERIOD: f64 = 32.0;

/// With hyperviscosity, more artificial viscosity is needed against noise (docs/theory/vortices.md).
const ARTIFICIAL: f64 = 0.3;

/// Vortices of `speed` (m/s) in a layer of water with a surface, of which the floor is free to slip.
fn layer(speed: f64, hyperviscosity: bool) -> FluidSimulation {
    let d = PERIOD / IN_PERIOD;
    let domain = Domain { low: DVec3::ZERO, size: DVec3::new(PERIOD, 2.0, 8.0 * d), periodic: [true, false, true], dimension: 3 };
    let fills = vec![box_fill(DVec3::ZERO, DVec3::new(PERIOD, DEPTH, 8.0 * d), DVec3::ZERO)];
    let viscosity = Viscosity { artificial: ARTIFICIAL, hyperviscosity, wall: Some(0.0), ..Viscosity::default() };
    let settings = FluidSettings { domain, viscosity, ..crate::common::settings(0.5 * d, fills) };
    let floor = fixed("floor", cuboid(DVec3::new(-1.0, -0.2, -1.0), DVec3::new(2.0, 0.0, 2.0)), Pose::IDENTITY);
    let mut simulation = FluidSimulation::new(settings, vec![floor]).unwrap();
    simulation.set_velocities(|x| {
        let (x, y) = (TAU * x.x / PERIOD, PI * x.y / DEPTH);
        speed * DVec3::new(-x.sin() * y.cos() * 0.5 * PERIOD / DEPTH, x.cos() * y.sin(), 0.0)
    });
    simulation
}

#[test]
fn hyperviscosity_lets_slow_vortices_last() {
    let left = |hyperviscosity: bool| {
        let mut simulation = layer(SLOW, hyperviscosity);
        let before = simulation.kinetic_energy();
        crate::common::run(&mut simulation, 2.0, |_| {});
        simulation.kinetic_energy() / before
    };
    let (once, twice) = (left(false), left(true));
    println!("kinetic energy after 2 s: {once:.3}, with hyperviscosity {twice:.3}");
    assert!(twice > 0.6 && twice > 1.5 * once, "{twice} {once}");
}

#[test]
fn a_layer_with_hyperviscosity_comes_to_rest() {
    let mut simulation = layer(0.0, true);
    crate::common::run(&mut simulation, 2.0, |_| {});
    let mass = simulation.particle_mass(0) * simulation.particles().len() as f64;
    let speed = (2.0 * simulation.kinetic_energy() / mass).sqrt();
    println!("speed of the particles at rest: {:.1} mm/s", 1e3 * speed);
    assert!(speed < 6e-3, "{speed} m/s");
}
