//! A floating sphere that is lifted and let go.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_bodies::{BodyDefinition, BodyKind, Floating, MassSource};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation};

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{absorbing_walls, filled, sphere, tank},
    signal::{extremes, mean_between, period},
};

/// Diameter, m; mass, kg; height of the drop, m: the second of three.
const DIAMETER: f64 = 0.3;
const MASS: f64 = 7.056;
const DROP: f64 = 0.09;
/// Center of gravity below the center, m.
const LOW: f64 = 0.0348;
/// Side of the tank and depth of the water, m; width of the zones at the walls that absorb waves, m; density, kg/m³; gravity, m/s². The
/// depth is four times the draft.
const SIDE: f64 = 1.6;
const DEPTH: f64 = 0.6;
const ZONE: f64 = 0.3;
const DENSITY: f64 = 998.2;
const GRAVITY: f64 = 9.82;
/// Measured period, s.
const PERIOD: f64 = 0.777;
/// End, s: an extreme.
const END: f64 = 3.5 * PERIOD;
/// The period is that of the first sign changes: the late swings are small.
const SIGN_CHANGES: usize = 4;
/// Names and targets of the amplitudes at the first three extremes.
const AMPLITUDES: [(&str, f64); 3] = [("first", 0.07), ("second", 0.07), ("third", 0.2)];
/// Added mass over the displaced mass, and damping over the displaced mass and the frequency, of a heaving half-immersed sphere at the
/// natural frequency, ω²a/g = 1.06 (Hulme 1982).
const ADDED_MASS: f64 = 0.42;
const DAMPING: f64 = 0.236;

pub const CASE: Case = Case {
    name: "heave_decay",
    title: "Heave decay of a floating sphere",
    source: "period measured by Kramer et al. (2021) in a basin of 13 m by 8 m; amplitudes by linear theory with the coefficients of Hulme (1982)",
    across: "diameter of the sphere",
    resolutions: &[8, 12],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = DIAMETER / f64::from(run.resolution);
    // A whole number of particles, so that the water fills the tank up to its depth.
    let side = (SIDE / d).round() * d;
    let fills = filled(DVec3::new(0.0, 0.0, 0.0), DVec3::new(side, DEPTH, side));
    let gravity = -GRAVITY * DVec3::Y;
    let damping_zones = absorbing_walls(DVec3::new(side, 1.3 * DEPTH, side), ZONE, gravity);
    let settings = FluidSettings { density: DENSITY, gravity, fills, damping_zones, settle: true, ..FluidSettings::new(0.5 * d) };
    let floating = Floating {
        center_of_mass: Some(-LOW * DVec3::Y),
        locked_translation: [true, false, true],
        ..Floating::new(MassSource::Mass(MASS))
    };
    // Above the level that the water has with half the sphere in it.
    let middle = DVec3::new(0.5 * side, DEPTH + MASS / DENSITY / (side * side) + DROP, 0.5 * side);
    let ball = BodyDefinition { kind: BodyKind::Floating(floating), ..BodyDefinition::fixed("sphere", sphere(0.5 * DIAMETER)) }.at(middle);
    let mut simulation = run.prepare(settings, vec![tank(side, 1.3 * DEPTH), ball])?;
    let volume = simulation.particle_count() as f64 * simulation.settings().particle_volume();
    let level = (volume + MASS / DENSITY) / (side * side);
    let height = |simulation: &FluidSimulation| simulation.bodies()[1].pose.translation.y - level;
    let start = height(&simulation);
    let mut heave = vec![(0.0, start)];
    run.advance(&mut simulation, END, |simulation| heave.push((simulation.time(), height(simulation))))?;
    let rest = rest_height(&heave);
    let about: Vec<(f64, f64)> = heave.iter().map(|&(time, height)| (time, height - rest)).collect();
    let peaks = extremes(&about, 0.0);
    let ratio = 0.5 * DAMPING / (1.0 + ADDED_MASS);
    let half = (-PI * ratio / (1.0 - ratio * ratio).sqrt()).exp();
    let mut figures = vec![Figure::value("period", "s", period(&about, SIGN_CHANGES), PERIOD, 0.02)];
    for (index, (name, target)) in AMPLITUDES.into_iter().enumerate() {
        let found = peaks.get(index).map_or(f64::NAN, |peak| peak.1.abs() / DROP);
        figures.push(Figure::value(format!("{name} amplitude over the drop"), "", found, half.powi(index as i32 + 1), target));
    }
    figures.push(Figure::reported("rest above the level, in particle radii", "", rest / (0.5 * d)));
    let omega = 2.0 * PI / PERIOD;
    let theory = |time: f64| DROP * (-ratio * omega * time).exp() * (omega * time).cos();
    let panel = ChartPanel {
        title: "Heave".into(),
        unit: "m",
        reference: "linear theory",
        measured: false,
        expected: (0..=200).map(|i| f64::from(i) / 200.0 * END).map(|time| (time, theory(time))).collect(),
        found: about,
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time (s)", panels: vec![panel] }]))
}

/// The height at rest: the mean over the last two periods, from extreme to extreme, where decay shifts it least.
fn rest_height(heave: &[(f64, f64)]) -> f64 {
    mean_between(heave, END - 2.0 * PERIOD, END)
}
