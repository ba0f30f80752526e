//! A stream without viscosity past a circular cylinder across it.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};
use plimsoll_base::math::{Domain, Pose};
use plimsoll_bodies::BodyDefinition;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation, Viscosity};

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{SLICE, cylinder, filled},
};

/// Diameter of the cylinder, m; speed of the stream at the start, m/s.
const DIAMETER: f64 = 0.2;
const SPEED: f64 = 1.0;
/// Period along and across the stream, in diameters: the same cylinder again. Potential flow has no drag with any neighbours.
const ALONG: f64 = 8.0;
const ACROSS: f64 = 6.0;
/// The measurement begins and ends when the stream has travelled so far, in diameters: after the start, and before it meets its own wake.
const FROM: f64 = 1.0;
const TO: f64 = 5.0;

pub const CASE: Case = Case {
    name: "cylinder",
    title: "Stream without viscosity past a circular cylinder",
    source: "potential flow: no drag (d'Alembert 1752)",
    across: "diameter of the cylinder",
    resolutions: &[10, 16],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = DIAMETER / f64::from(run.resolution);
    let mut simulation = stream(run, d)?;
    let size = simulation.settings().domain.size;
    // Force over ρ D L U²/2: with the impulse and the mean of U² over the same time.
    let unit = 0.5 * simulation.settings().density * DIAMETER * size.z;
    let (mut last, mut travelled, mut impulse, mut square) = (0.0, 0.0, DVec3::ZERO, 0.0);
    let (mut from, mut end) = (f64::NAN, f64::NAN);
    let (mut share, mut drag) = (Vec::new(), Vec::new());
    run.advance(&mut simulation, TO * DIAMETER / SPEED, |simulation| {
        let (dt, u) = (simulation.time() - last, speed(simulation));
        last = simulation.time();
        travelled += u * dt / DIAMETER;
        let load = simulation.loads()[0].total().linear;
        share.push((travelled, u));
        drag.push((travelled, load.x / (dt * unit * u * u)));
        if travelled > FROM {
            from = if from.is_nan() { u } else { from };
            (impulse, square, end) = (impulse + load, square + u * u * dt, u);
        }
    })?;
    let coefficient = impulse / (unit * square);
    let start = share.first().map_or(SPEED, |first| first.1);
    let share = share.into_iter().map(|(way, speed)| (way, speed / start)).collect();
    let figures = vec![
        Figure::error_of("coefficient of drag over a way of 1 to 5 diameters", coefficient.x, 0.05),
        Figure::reported("coefficient of lift", "", coefficient.y),
        Figure::reported("loss of speed of the stream over the same way", "%", 100.0 * (1.0 - end / from)),
        Figure::reported("way of the stream", "diameters", travelled),
    ];
    let panel = |title: &str, found: Vec<(f64, f64)>, value: f64| ChartPanel {
        title: title.into(),
        unit: "",
        reference: "potential flow",
        measured: false,
        expected: vec![(0.0, value), (TO, value)],
        found,
    };
    let panels = vec![panel("Coefficient of drag", smooth(&drag), 0.0), panel("Speed of the stream over that at the start", share, 1.0)];
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Way of the stream (diameters)", panels }]))
}

/// Fluid in a box periodic along all axes, with the velocity of potential flow past a single cylinder in its middle.
fn stream(run: &Run, d: f64) -> Result<FluidSimulation, CaseError> {
    let size = DVec3::new(ALONG * DIAMETER, ACROSS * DIAMETER, SLICE * d);
    let settings = FluidSettings {
        gravity: DVec3::ZERO,
        domain: Domain { low: DVec3::ZERO, size, periodic: [true; 3], dimension: 3 },
        viscosity: Viscosity { kinematic: 0.0, artificial: 0.0, wall: Some(0.0), ..Viscosity::default() },
        fills: filled(DVec3::ZERO, size),
        ..FluidSettings::new(0.5 * d)
    };
    // Longer than the slice.
    let length = 3.0 * size.z;
    let middle = 0.5 * size;
    let pose = Pose::new(DQuat::from_rotation_x(FRAC_PI_2), middle - 0.5 * length * DVec3::Z);
    let body = BodyDefinition { pose, ..BodyDefinition::fixed("cylinder", cylinder(0.5 * DIAMETER, length)) };
    let mut simulation = run.prepare(settings, vec![body])?;
    simulation.set_velocities(|point| SPEED * potential_flow(point - middle));
    Ok(simulation)
}

/// Velocity in a stream of speed one along x past a cylinder about the z axis.
fn potential_flow(point: DVec3) -> DVec3 {
    let square = (point.x * point.x + point.y * point.y).max(0.25 * DIAMETER * DIAMETER);
    let share = 0.25 * DIAMETER * DIAMETER / (square * square);
    DVec3::new(1.0 - share * (point.x * point.x - point.y * point.y), -2.0 * share * point.x * point.y, 0.0)
}

/// Speed of the stream, m/s: the volume that flows through a section of the box per time and area. In a flow without divergence, it is the
/// momentum of all fluid per density and volume of the box, with the cylinder.
fn speed(simulation: &FluidSimulation) -> f64 {
    let settings = simulation.settings();
    let size = settings.domain.size;
    let sum: f64 = simulation.particles().velocities.iter().map(|velocity| f64::from(velocity.x)).sum();
    sum * settings.particle_volume() / (size.x * size.y * size.z)
}

/// Means over a tenth of a diameter: the force of a step is mostly noise.
fn smooth(drag: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let parts = drag.chunk_by(|a, b| (10.0 * a.0).floor() == (10.0 * b.0).floor());
    let mean = |part: &[(f64, f64)]| {
        let (way, force) = part.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        (way / part.len() as f64, force / part.len() as f64)
    };
    parts.map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_potential_flow_does_not_enter_the_cylinder() {
        for angle in [0.0, 0.4, 1.3, 3.0] {
            let normal = DVec3::new(f64::cos(angle), f64::sin(angle), 0.0);
            assert!(potential_flow(0.5 * DIAMETER * normal).dot(normal).abs() < 1e-12);
        }
        assert!((potential_flow(100.0 * DVec3::X) - DVec3::X).length() < 1e-5);
    }
}
