//! How long vortices last without viscosity: the Taylor–Green vortex (1937), which would not decay at all.

mod common;

use std::f64::consts::{PI, TAU};

use common::box_fill;
use glam::DVec3;
use plimsoll::{
    fluid::{FluidSettings, FluidSimulation, Viscosity},
    math::Domain,
};

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
    let settings = FluidSettings { domain, gravity: DVec3::ZERO, viscosity, settle: false, ..common::settings(0.5 * d, fills) };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    simulation.set_velocities(|x| {
        let (x, y) = (TAU * x.x / LENGTH, TAU * x.y / LENGTH);
        SPEED * DVec3::new(-x.cos() * y.sin(), x.sin() * y.cos(), 0.0)
    });
    let before = simulation.kinetic_energy();
    common::run(&mut simulation, TURN, |_| {});
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
