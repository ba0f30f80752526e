//! A sphere that oscillates deep under water.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use plimsoll_bodies::{BodyDefinition, PrescribedMotion};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::FluidSettings;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{filled, sphere, tank},
    signal::harmonic,
};

/// Diameter of the sphere, m; amplitude of its vertical motion in diameters (Keulegan–Carpenter number 0.9: the flow stays attached);
/// period, s. The waves of this period that reach down to the sphere are e⁻⁸ of those at the surface.
const DIAMETER: f64 = 0.4;
const AMPLITUDE: f64 = 0.15;
const PERIOD: f64 = 0.7;
/// Distance from the middle of the sphere to the walls, the floor and the surface, in diameters.
const AROUND: f64 = 2.5;
/// Periods simulated, and periods at the end that are measured.
const PERIODS: f64 = 3.0;
const MEASURED: f64 = 2.0;
/// Added mass over displaced mass: 1/2 in unbounded water (Lamb §92), and its images of first order in four walls along which the sphere
/// moves, 3/16 (a/h)³ each; those in the floor, 3/8 (a/h)³, and in a surface without waves, minus as much, cancel. A sphere of fluid of the
/// same width around it would be 1.024 times that of unbounded water, this is 1.006 times.
const ADDED_MASS: f64 = 0.5 * (1.0 + 4.0 * 3.0 / 16.0 / (8.0 * AROUND * AROUND * AROUND));

pub const CASE: Case = Case {
    name: "added_mass",
    title: "Sphere oscillating deep under water",
    source: "potential flow: half the displaced mass, corrected for the walls; no damping",
    across: "diameter of the sphere",
    resolutions: &[8, 12],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = DIAMETER / f64::from(run.resolution);
    let side = 2.0 * AROUND * DIAMETER;
    let settings = FluidSettings { fills: filled(DVec3::ZERO, DVec3::splat(side)), settle: true, ..FluidSettings::new(0.5 * d) };
    let displaced = settings.density * PI / 6.0 * DIAMETER.powi(3);
    let (omega, amplitude) = (TAU / PERIOD, AMPLITUDE * DIAMETER);
    let motion = PrescribedMotion::Sinusoid {
        amplitude: amplitude * DVec3::Y,
        rotation: DVec3::ZERO,
        pivot: DVec3::ZERO,
        frequency: 1.0 / PERIOD,
        phase: 0.0,
    };
    let ball = BodyDefinition::moving("sphere", sphere(0.5 * DIAMETER), motion).at(DVec3::splat(0.5 * side));
    let mut simulation = run.prepare(settings, vec![tank(side, 1.2 * side), ball])?;
    let (mut last, mut forces) = (0.0, Vec::new());
    run.advance(&mut simulation, PERIODS * PERIOD, |simulation| {
        // The mean force of the step belongs to its middle.
        let (time, load) = (simulation.time(), simulation.loads()[1].total().linear);
        forces.push((0.5 * (last + time), load.y / (time - last)));
        last = time;
    })?;
    let [mean, sine, cosine] = harmonic(&forces, omega, (PERIODS - MEASURED) * PERIOD);
    // With the height A sin ωt, the acceleration is −ω² A sin ωt and the velocity ω A cos ωt.
    let unit = displaced * omega * omega * amplitude;
    let (added, damping) = (sine / unit, -cosine / unit);
    let buoyancy = displaced * 9.81;
    let figures = vec![
        Figure::value("added mass over displaced mass", "", added, ADDED_MASS, 0.05),
        Figure::error_of("damping over displaced mass and frequency", damping, 0.05),
        Figure::value("mean force", "N", mean, buoyancy, 0.02).without_target(),
    ];
    let panel = ChartPanel {
        title: "Force less its mean".into(),
        unit: "N",
        reference: "potential flow",
        measured: false,
        expected: (0..=400).map(|i| f64::from(i) / 400.0 * last).map(|time| (time, ADDED_MASS * unit * (omega * time).sin())).collect(),
        found: forces.iter().skip(1).map(|&(time, force)| (time, force - mean)).collect(),
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time (s)", panels: vec![panel] }]))
}
