//! Two fluids in layers: waves at their interface, and its growth if the heavy one is on top.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use plimsoll_bodies::BodyDefinition;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation, Material};

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{SLICE, block, filled_with, plane_tank, slice, swing},
    signal::{decay_rate, extremes, period, slope},
};

const GRAVITY: f64 = 9.81;
/// Length of the tank and depth of each layer, m.
const LENGTH: f64 = 1.0;
const DEPTH: f64 = 0.5;
/// Amplitude over depth.
const STEEPNESS: f64 = 0.08;
const PERIODS: f64 = 2.5;

pub const INTERNAL_WAVE: Case = Case {
    name: "internal_wave",
    title: "Wave at the interface of two liquids",
    source: "linear theory of two layers (Lamb 1932, art. 231), 1000 and 833 kg/m³; amplitude 8 % of a layer",
    across: "layer",
    resolutions: &[12, 25, 50],
    compute: |run| interfacial_wave(run, 1000.0 / 1.2, 0.03),
};

pub const AIR_OVER_WATER: Case = Case {
    name: "air_over_water",
    title: "Standing wave of water under air",
    source: "linear theory of two layers (Lamb 1932, art. 231), 1000 and 1.2 kg/m³; amplitude 8 % of a layer",
    across: "layer",
    resolutions: &[12, 25, 50],
    compute: |run| interfacial_wave(run, 1.2, 0.03),
};

/// Wavelength and depth of each layer, m; densities, kg/m³.
const WAVELENGTH: f64 = 1.0;
const LIGHT: f64 = 500.0;
const HEAVY: f64 = 1000.0;
/// Amplitude, in wavelengths, that the initial velocity corresponds to, and range of the fit: linear theory holds up to about the second.
const FIRST: f64 = 0.01;
const FIT: [f64; 2] = [0.015, 0.05];

pub const RAYLEIGH_TAYLOR: Case = Case {
    name: "rayleigh_taylor",
    title: "Rayleigh–Taylor instability",
    source: "linear theory, σ² = A g k, densities 1000 over 500 kg/m³",
    across: "wavelength",
    resolutions: &[25, 50, 100],
    compute: rayleigh_taylor,
};

/// Settings of a slice with two layers of particles of diameter `d` (m) on top of each other, the lower of them first.
fn layers(d: f64, period: Option<f64>, [length, depth]: [f64; 2], densities: [f64; 2]) -> FluidSettings {
    let layer = |number: u8| {
        let bottom = f64::from(number) * depth;
        filled_with(number, DVec3::new(0.0, bottom, 0.0), DVec3::new(length, bottom + depth, SLICE * d))
    };
    let materials = vec![Material::new("lower", densities[0]), Material::new("upper", densities[1])];
    FluidSettings { materials, ..slice(d, period, [0, 1].map(layer).to_vec()) }
}

/// Amplitude (m) of the interface as `cos kx` over `length` (m), from the volume of the lower fluid.
fn mode(simulation: &FluidSimulation, k: f64, length: f64) -> f64 {
    let (settings, particles) = (simulation.settings(), simulation.particles());
    let lower = particles.positions.iter().zip(&particles.materials).filter(|(_, material)| **material == 0);
    let sum: f64 = lower.map(|(position, _)| (k * f64::from(position.x)).cos()).sum();
    sum * settings.particle_volume() / (0.5 * length * settings.domain.size.z)
}

/// Velocity of a wave of the interface at `depth` between a floor and a lid, if the interface rises by `cos kx`.
fn flow(x: DVec3, k: f64, depth: f64) -> DVec3 {
    let (from_wall, side) = if x.y < depth { (x.y, -1.0) } else { (2.0 * depth - x.y, 1.0) };
    let scale = 1.0 / (k * depth).sinh();
    scale * DVec3::new(side * (k * x.x).sin() * (k * from_wall).cosh(), (k * x.x).cos() * (k * from_wall).sinh(), 0.0)
}

/// A standing wave at the interface to a fluid of density `upper` (kg/m³); `target` is that of the period.
fn interfacial_wave(run: &Run, upper: f64, target: f64) -> Result<Outcome, CaseError> {
    let d = DEPTH / f64::from(run.resolution);
    let (lower, k) = (1000.0, PI / LENGTH);
    let omega = slow_frequency(k, [DEPTH; 2], [lower, upper]);
    let amplitude = STEEPNESS * DEPTH;
    let settings = layers(d, None, [LENGTH, DEPTH], [lower, upper]);
    let mut simulation = run.prepare(settings, vec![plane_tank(LENGTH, 2.5 * DEPTH)])?;
    simulation.set_velocities(|x| amplitude * omega * flow(x, k, DEPTH));
    let rest = mode(&simulation, k, LENGTH);
    let mut signal = vec![(0.0, 0.0)];
    let end = PERIODS * TAU / omega;
    run.advance(&mut simulation, end, |simulation| signal.push((simulation.time(), mode(simulation, k, LENGTH) - rest)))?;
    let rate = decay_rate(&extremes(&signal[1..], 0.0));
    let sweeps = simulation.totals().sweeps as f64 / simulation.steps() as f64;
    let figures = vec![
        Figure::value("period", "s", period(&signal[1..], usize::MAX), TAU / omega, target),
        Figure::reported("decay of the amplitude per period", "%", 100.0 * (1.0 - (-rate * TAU / omega).exp())),
        Figure::reported("sweeps per step", "", sweeps),
    ];
    let panel = swing("Amplitude of the interface", [amplitude, omega, end], signal);
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time (s)", panels: vec![panel] }]))
}

/// The smaller frequency (rad/s) of two layers with these depths (m) and densities (kg/m³), the lower first, under a free surface.
fn slow_frequency(k: f64, depths: [f64; 2], [lower, upper]: [f64; 2]) -> f64 {
    let [below, above] = depths.map(|depth| 1.0 / (k * depth).tanh());
    let (a, b, c) = (lower * below * above + upper, lower * (below + above) * GRAVITY * k, (lower - upper) * (GRAVITY * k).powi(2));
    ((b - (b * b - 4.0 * a * c).max(0.0).sqrt()) / (2.0 * a)).sqrt()
}

fn rayleigh_taylor(run: &Run) -> Result<Outcome, CaseError> {
    let d = WAVELENGTH / f64::from(run.resolution);
    let k = TAU / WAVELENGTH;
    let rate = (GRAVITY * k * (HEAVY - LIGHT) / (HEAVY + LIGHT)).sqrt();
    let settings = layers(d, Some(WAVELENGTH), [WAVELENGTH; 2], [LIGHT, HEAVY]);
    let floor = block(DVec3::new(-WAVELENGTH, -0.2, -WAVELENGTH), DVec3::new(2.0 * WAVELENGTH, 0.0, 2.0 * WAVELENGTH));
    let mut simulation = run.prepare(settings, vec![BodyDefinition::fixed("floor", floor)])?;
    let speed = FIRST * WAVELENGTH * rate;
    simulation.set_velocities(|x| speed * flow(x, k, WAVELENGTH));
    let rest = mode(&simulation, k, WAVELENGTH);
    let mut signal = vec![(0.0, 0.0)];
    let end = 2.6 / rate;
    run.advance(&mut simulation, end, |simulation| {
        signal.push((simulation.time(), (mode(simulation, k, WAVELENGTH) - rest) / WAVELENGTH))
    })?;
    let fitted: Vec<(f64, f64)> = signal.iter().copied().filter(|(_, amplitude)| (FIT[0]..FIT[1]).contains(amplitude)).collect();
    // The amplitude is that of the initial velocity times sinh σt, in which σ occurs twice.
    let mut found = rate;
    for _ in 0..50 {
        let turned: Vec<(f64, f64)> = fitted.iter().map(|&(t, a)| (t, (a * found * WAVELENGTH / speed).asinh())).collect();
        found = slope(&turned);
    }
    let figures = vec![
        Figure::value("growth rate", "1/s", found, rate, 0.1),
        Figure::reported("sweeps per step", "", simulation.totals().sweeps as f64 / simulation.steps() as f64),
    ];
    let panel = ChartPanel {
        title: "Amplitude over wavelength".into(),
        unit: "",
        reference: "linear theory",
        measured: false,
        expected: (0..=200).map(|i| f64::from(i) / 200.0 * end).map(|t| (t, FIRST * (rate * t).sinh())).collect(),
        found: signal,
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time (s)", panels: vec![panel] }]))
}
