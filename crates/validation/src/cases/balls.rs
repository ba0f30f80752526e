//! Balls nearly as dense as water, released under water: one sinks, one rises.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_bodies::{BodyDefinition, MassSource};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation};

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{filled, sphere, tank},
};

/// Diameter of the balls, side of the tank and depth of the water, m. The balls start in the middle.
const DIAMETER: f64 = 0.4;
const SIDE: f64 = 1.0;
const DEPTH: f64 = 1.0;
const GRAVITY: f64 = 9.81;
/// Densities of the two balls over that of water.
const HEAVY: f64 = 1.05;
const LIGHT: f64 = 0.95;
/// Added mass over displaced mass of a sphere in unbounded water. At the distances to walls, floor and surface here, it is 5 to 10 % larger
/// (images of first order, Lamb §137), which shortens the way by 2 to 3 %.
const ADDED_MASS: f64 = 0.5;
/// Coefficient of drag of a sphere at Reynolds numbers of 10³ to 10⁵. Drag shortens the way by 3 %.
const DRAG: f64 = 0.45;
/// Duration, s, and steps of the reference.
const END: f64 = 1.0;
const STEPS: u32 = 1000;

pub const CASE: Case = Case {
    name: "balls",
    title: "Balls released under water",
    source: "(m + m_w/2) dv/dt = (m − m_w) g − ρ C A v²/2 with C = 0.45",
    across: "diameter of the balls",
    resolutions: &[8, 12],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = DIAMETER / f64::from(run.resolution);
    let (mut figures, mut panels, mut last) = (Vec::new(), Vec::new(), None);
    for (name, relative_density) in [("heavy", HEAVY), ("light", LIGHT)] {
        let mut simulation = let_go(run, d, relative_density)?;
        let mut way = vec![(0.0, 0.0)];
        run.advance(&mut simulation, END, |simulation| way.push((simulation.time(), risen(simulation))))?;
        let expected = theory(relative_density);
        let [found, right] = [&way, &expected].map(|way| way.last().map_or(f64::NAN, |point| point.1));
        let at = simulation.bodies()[1].pose.translation - start();
        figures.push(Figure::value(format!("rise of the {name} ball in 1 s"), "m", found, right, 0.15));
        figures.push(Figure::reported(format!("drift of the {name} ball to the side"), "m", at.x.hypot(at.z)));
        panels.push(ChartPanel {
            title: format!("Rise of the {name} ball"),
            unit: "m",
            reference: "added mass and drag",
            measured: false,
            expected,
            found: way,
        });
        last = Some(simulation);
    }
    let charts = vec![Chart { name: "", horizontal: "Time (s)", panels }];
    Ok(last.map_or_else(Outcome::default, |simulation| Outcome::of(&simulation, figures, charts)))
}

fn start() -> DVec3 {
    0.5 * DVec3::new(SIDE, DEPTH, SIDE)
}

/// Settled water with a ball held in its middle until the first step.
fn let_go(run: &Run, d: f64, relative_density: f64) -> Result<FluidSimulation, CaseError> {
    let settings = FluidSettings {
        gravity: -GRAVITY * DVec3::Y,
        fills: filled(DVec3::ZERO, DVec3::new(SIDE, DEPTH, SIDE)),
        settle: true,
        ..FluidSettings::new(0.5 * d)
    };
    let mass = MassSource::Density(relative_density * settings.density);
    let ball = BodyDefinition::floating("ball", sphere(0.5 * DIAMETER), mass).at(start());
    run.prepare(settings, vec![tank(SIDE, 1.3 * DEPTH), ball])
}

fn risen(simulation: &FluidSimulation) -> f64 {
    simulation.bodies()[1].pose.translation.y - start().y
}

/// Times (s) and heights above the start (m) of a ball of a density relative to that of water, by the midpoint rule.
fn theory(relative_density: f64) -> Vec<(f64, f64)> {
    // Per mass of the displaced water.
    let drag = 0.5 * DRAG * (0.25 * PI * DIAMETER.powi(2)) / (PI / 6.0 * DIAMETER.powi(3));
    let acceleration = |v: f64| ((1.0 - relative_density) * GRAVITY - drag * v * v.abs()) / (relative_density + ADDED_MASS);
    let dt = END / f64::from(STEPS);
    let (mut y, mut v, mut way) = (0.0, 0.0, vec![(0.0, 0.0)]);
    for step in 1..=STEPS {
        let middle = v + 0.5 * dt * acceleration(v);
        v += dt * acceleration(middle);
        y += dt * middle;
        way.push((dt * f64::from(step), y));
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_starts_with_the_acceleration_of_potential_flow() {
        let way = theory(HEAVY);
        let (time, y) = way[100];
        assert!((y / (-0.25 * GRAVITY * 0.05 / 1.55 * 2.0 * time * time) - 1.0).abs() < 1e-2, "{y}");
        let end = way[STEPS as usize].1;
        assert!((-0.158..-0.150).contains(&end), "{end}");
    }
}
