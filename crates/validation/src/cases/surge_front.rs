//! The front of a collapsing column of water on a dry floor.

use glam::DVec3;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::FluidSimulation;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{SLICE, filled, plane_tank, slice},
    signal::slope,
};

/// Width of the column, m; it is twice as high.
const WIDTH: f64 = 0.05715;
const GRAVITY: f64 = 9.81;
/// Time `t √(2g/a)` and position `z/a` of the front.
const MEASURED: [(f64, f64); 15] = [
    (0.41, 1.11),
    (0.84, 1.22),
    (1.19, 1.44),
    (1.43, 1.67),
    (1.63, 1.89),
    (1.83, 2.11),
    (1.98, 2.33),
    (2.20, 2.56),
    (2.32, 2.78),
    (2.51, 3.00),
    (2.65, 3.22),
    (2.83, 3.44),
    (2.98, 3.67),
    (3.11, 3.89),
    (3.33, 4.11),
];

pub const CASE: Case = Case {
    name: "surge_front",
    title: "Surge front of a collapsing column",
    source: "measured by Martin & Moyce (1952), a = 57.15 mm, height 2a",
    across: "width of the column",
    resolutions: &[16, 32, 64],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = WIDTH / f64::from(run.resolution);
    let settings = slice(d, None, filled(DVec3::ZERO, DVec3::new(WIDTH, 2.0 * WIDTH, SLICE * d)));
    let mut simulation = run.prepare(settings, vec![plane_tank(6.0 * WIDTH, 4.0 * WIDTH)])?;
    let unit = (WIDTH / (2.0 * GRAVITY)).sqrt();
    let mut front = vec![(0.0, 1.0)];
    run.advance(&mut simulation, 3.4 * unit, |simulation| front.push((simulation.time() / unit, position(simulation) / WIDTH)))?;
    let beyond = |points: &[(f64, f64)]| points.iter().copied().filter(|point| (2.0..4.2).contains(&point.1)).collect::<Vec<_>>();
    let (found, measured) = (beyond(&front), beyond(&MEASURED));
    let mean = |points: &[(f64, f64)]| points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
    let line = |points: &[(f64, f64)], place: f64| {
        let ((t, z), count) = (mean(points), points.len() as f64);
        t / count + (place - z / count) / slope(points)
    };
    let figures = vec![
        Figure::value("speed of the front beyond 2a, over √(2ga)", "", slope(&found), slope(&measured), 0.05),
        Figure::value("time of the front at 3a, t √(2g/a)", "", line(&found, 3.0), line(&measured, 3.0), 0.05).without_target(),
    ];
    let panel = ChartPanel {
        title: "Position of the front over the width of the column".into(),
        unit: "",
        reference: "measured",
        measured: true,
        expected: MEASURED.to_vec(),
        found: front,
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time t √(2g/a)", panels: vec![panel] }]))
}

/// Front of the water (m): the farthest particle with neighbours, and a particle radius.
fn position(simulation: &FluidSimulation) -> f64 {
    let particles = simulation.particles();
    let connected = particles.positions.iter().zip(&particles.relative_densities).filter(|(_, density)| **density > 0.5);
    connected.map(|(position, _)| f64::from(position.x)).fold(0.0, f64::max) + simulation.settings().particle_radius
}
