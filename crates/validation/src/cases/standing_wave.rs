//! A standing wave in a tank half a wavelength long. It starts with the velocity of the wave in settled water with a level surface.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::FluidSimulation;

use crate::{
    Case, CaseError, Chart, Figure, Outcome, Run,
    setup::{SLICE, filled, plane_tank, slice, swing},
    signal::{decay_rate, extremes, period},
};

/// Length of the tank and depth of the water, m; amplitude over depth.
const LENGTH: f64 = 1.0;
const DEPTH: f64 = 0.5;
const STEEPNESS: f64 = 0.08;
const GRAVITY: f64 = 9.81;
const PERIODS: f64 = 5.0;

pub const CASE: Case = Case {
    name: "standing_wave",
    title: "Standing wave in a tank",
    source: "linear theory, ω² = g k tanh kh; amplitude 8 % of the depth",
    across: "depth",
    resolutions: &[12, 25, 50],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = DEPTH / f64::from(run.resolution);
    let k = PI / LENGTH;
    let omega = (GRAVITY * k * (k * DEPTH).tanh()).sqrt();
    let amplitude = STEEPNESS * DEPTH;
    let mut settings = slice(d, None, filled(DVec3::ZERO, DVec3::new(LENGTH, DEPTH, SLICE * d)));
    settings.settle = true;
    let mut simulation = run.prepare(settings, vec![plane_tank(LENGTH, 1.5 * DEPTH)])?;
    let scale = amplitude * omega / (k * DEPTH).sinh();
    simulation.set_velocities(|x| scale * DVec3::new(-(k * x.x).sin() * (k * x.y).cosh(), (k * x.x).cos() * (k * x.y).sinh(), 0.0));
    let rest = mode(&simulation, k);
    let mut signal = vec![(0.0, 0.0)];
    let end = PERIODS * TAU / omega;
    run.advance(&mut simulation, end, |simulation| signal.push((simulation.time(), mode(simulation, k) - rest)))?;
    let peaks = extremes(&signal[1..], 0.0);
    let rate = decay_rate(&peaks);
    let viscous = 2.0 * 1e-6 * k * k;
    let figures = vec![
        Figure::value("period", "s", period(&signal[1..], usize::MAX), TAU / omega, 0.007),
        Figure::between("decay of the amplitude per period", "%", 100.0 * (1.0 - (-rate * TAU / omega).exp()), [0.0, 4.0]),
        Figure::reported("viscosity that would explain the decay, 2νk²", "m²/s", rate / (2.0 * k * k)),
        Figure::reported("decay per period of water without walls", "%", 100.0 * (1.0 - (-viscous * TAU / omega).exp())),
    ];
    let panel = swing("Amplitude of the wave", [amplitude, omega, end], signal);
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time (s)", panels: vec![panel] }]))
}

/// Amplitude (m) of the surface's first mode, from the volume of all particles.
fn mode(simulation: &FluidSimulation, k: f64) -> f64 {
    let settings = simulation.settings();
    let sum: f64 = simulation.particles().positions.iter().map(|position| (k * f64::from(position.x)).cos()).sum();
    sum * settings.particle_volume() / (0.5 * LENGTH * settings.domain.size.z)
}
