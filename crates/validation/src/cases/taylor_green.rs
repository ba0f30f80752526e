//! The Taylor–Green vortex: a periodic array of vortices that decays by viscosity.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use plimsoll_base::math::Domain;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::FluidSimulation;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{SLICE, filled, slice, viscous},
    signal::decay_rate,
};

/// Period, m; initial speed, m/s; kinematic viscosity, m²/s, for a Reynolds number of 100.
const LENGTH: f64 = 1.0;
const SPEED: f64 = 1.0;
const NU: f64 = 0.01;
const END: f64 = 2.0;

pub const CASE: Case = Case {
    name: "taylor_green",
    title: "Taylor–Green vortex at a Reynolds number of 100",
    source: "speed ∝ exp(−8π²νt/L²) (Taylor & Green 1937)",
    across: "period",
    resolutions: &[25, 50],
    compute,
};

/// Velocity (m/s) at `position` (m) after `time` (s).
fn solution(position: DVec3, time: f64) -> DVec3 {
    let (x, y) = (TAU * position.x / LENGTH, TAU * position.y / LENGTH);
    SPEED * decay(time) * DVec3::new(-x.cos() * y.sin(), x.sin() * y.cos(), 0.0)
}

fn decay(time: f64) -> f64 {
    (-8.0 * PI * PI * NU * time / (LENGTH * LENGTH)).exp()
}

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = LENGTH / f64::from(run.resolution);
    let size = DVec3::new(LENGTH, LENGTH, SLICE * d);
    let mut settings = slice(d, Some(LENGTH), filled(DVec3::ZERO, size));
    settings.domain = Domain { size, periodic: [true; 3], ..settings.domain };
    settings.gravity = DVec3::ZERO;
    settings.viscosity = viscous(NU);
    let mut simulation = run.prepare(settings, Vec::new())?;
    simulation.set_velocities(|position| solution(position, 0.0));
    let mut speeds = vec![(0.0, speed(&simulation))];
    run.advance(&mut simulation, 1.0, |simulation| speeds.push((simulation.time(), speed(simulation))))?;
    let halfway = field_error(&simulation);
    run.advance(&mut simulation, END, |simulation| speeds.push((simulation.time(), speed(simulation))))?;
    let expected = 8.0 * PI * PI * NU / (LENGTH * LENGTH);
    let figures = vec![
        Figure::value("decay rate of the speed over 2 s", "1/s", decay_rate(&speeds), expected, 0.05),
        Figure::error_of("velocity field at 1 s", halfway, 0.05).without_target(),
    ];
    let panel = ChartPanel {
        title: "Root mean square of the speed".into(),
        unit: "m/s",
        reference: "solution",
        measured: false,
        expected: (0..=100).map(|i| 0.01 * END * f64::from(i)).map(|t| (t, speeds[0].1 * decay(t))).collect(),
        found: speeds,
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time (s)", panels: vec![panel] }]))
}

/// Root mean square of the speed, m/s.
fn speed(simulation: &FluidSimulation) -> f64 {
    let velocities = &simulation.particles().velocities;
    (velocities.iter().map(|velocity| velocity.as_dvec3().length_squared()).sum::<f64>() / velocities.len() as f64).sqrt()
}

/// Root mean square of the velocity error, relative to the largest velocity of the solution.
fn field_error(simulation: &FluidSimulation) -> f64 {
    let (particles, time) = (simulation.particles(), simulation.time());
    let pairs = particles.positions.iter().zip(&particles.velocities);
    let squares = pairs.map(|(position, velocity)| (velocity.as_dvec3() - solution(position.as_dvec3(), time)).length_squared());
    (squares.sum::<f64>() / particles.len() as f64).sqrt() / (SPEED * decay(time))
}
