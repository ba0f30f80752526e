//! Flow between two plates from rest, driven by a force (Poiseuille) or by the upper plate (Couette).

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_bodies::{BodyDefinition, PrescribedMotion};
use plimsoll_fluid::FluidSimulation;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{block, filled, profile_error, slice, speed_by_height, viscous},
};

/// Distance of the plates, m; kinematic viscosity, m²/s.
const GAP: f64 = 0.1;
const NU: f64 = 1e-3;
/// Driving acceleration, m/s², and speed of the upper plate, m/s.
const ACCELERATION: f64 = 0.05;
const SPEED: f64 = 0.05;
/// Times at which profiles are compared, s: the flow develops within `GAP² / NU`, 10 s.
const TIMES: [f64; 3] = [0.6, 1.8, 6.0];

pub const POISEUILLE: Case = Case {
    name: "poiseuille",
    title: "Plane Poiseuille flow from rest",
    source: "series solution (Morris, Fox & Zhu 1997)",
    across: "gap",
    resolutions: &[10, 20, 40],
    compute: |run| compute(run, ACCELERATION, 0.0, poiseuille),
};

pub const COUETTE: Case = Case {
    name: "couette",
    title: "Plane Couette flow from rest",
    source: "series solution (Morris, Fox & Zhu 1997)",
    across: "gap",
    resolutions: &[10, 20, 40],
    compute: |run| compute(run, 0.0, SPEED, couette),
};

/// Velocity (m/s) at height `y` (m) after `time` (s).
fn poiseuille(y: f64, time: f64) -> f64 {
    let term = |n: i32| {
        let k = f64::from(2 * n + 1) * PI / GAP;
        4.0 * ACCELERATION / (NU * GAP * k.powi(3)) * (k * y).sin() * (-NU * k * k * time).exp()
    };
    ACCELERATION / (2.0 * NU) * y * (GAP - y) - (0..100).map(term).sum::<f64>()
}

/// Velocity (m/s) at height `y` (m) after `time` (s).
fn couette(y: f64, time: f64) -> f64 {
    let term = |n: i32| {
        let k = f64::from(n) * PI / GAP;
        2.0 * SPEED / (GAP * k) * f64::from(1 - 2 * (n % 2)) * (k * y).sin() * (-NU * k * k * time).exp()
    };
    SPEED * y / GAP + (1..100).map(term).sum::<f64>()
}

fn compute(run: &Run, acceleration: f64, speed: f64, solution: fn(f64, f64) -> f64) -> Result<Outcome, CaseError> {
    let d = GAP / f64::from(run.resolution);
    let length = 12.0 * d;
    let mut settings = slice(d, Some(length), filled(DVec3::ZERO, DVec3::new(length, GAP, 8.0 * d)));
    settings.gravity = acceleration * DVec3::X;
    settings.viscosity = viscous(NU);
    let far = DVec3::new(2.0 * length, 0.0, 2.0 * length);
    let plate = |low: f64, high: f64| block(DVec3::new(-far.x, low, -far.z), DVec3::new(far.x, high, far.z));
    let motion = PrescribedMotion::Constant { linear: speed * DVec3::X, angular: DVec3::ZERO, pivot: DVec3::ZERO };
    let lower = BodyDefinition::fixed("lower plate", plate(-0.3 * GAP, 0.0));
    let upper = BodyDefinition::moving("upper plate", plate(GAP, 1.3 * GAP), motion);
    let mut simulation = run.prepare(settings, vec![lower, upper])?;
    let (mut figures, mut panels) = (Vec::new(), Vec::new());
    for time in TIMES {
        run.advance(&mut simulation, time, |_| {})?;
        figures.push(Figure::error_of(
            format!("profile at {time} s"),
            profile_error(&simulation, |y| solution(y, time), largest(time, solution)),
            0.02,
        ));
        panels.push(profile(&simulation, time, solution));
    }
    let force: f64 = simulation.loads().iter().map(|load| load.total().linear.x.abs()).sum::<f64>() / simulation.last_step().dt;
    let slope =
        (solution(1e-4 * GAP, 6.0) / (1e-4 * GAP)).abs() + (solution(GAP, 6.0) - solution(GAP * (1.0 - 1e-4), 6.0)).abs() / (1e-4 * GAP);
    let area = length * 8.0 * d;
    figures.push(Figure::value("shear on the plates at 6 s", "Pa", force / area, 1000.0 * NU * slope, 0.02));
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Height above the lower plate (m)", panels }]))
}

/// The largest velocity of the solution after `time` (s), m/s.
fn largest(time: f64, solution: fn(f64, f64) -> f64) -> f64 {
    (0..=100).map(|i| solution(0.01 * GAP * f64::from(i), time).abs()).fold(0.0, f64::max)
}

/// Mean velocity in layers.
fn profile(simulation: &FluidSimulation, time: f64, solution: fn(f64, f64) -> f64) -> ChartPanel {
    let found = speed_by_height(simulation, GAP);
    let expected = (0..=100).map(|i| 0.01 * GAP * f64::from(i)).map(|y| (y, solution(y, time))).collect();
    ChartPanel { title: format!("Velocity at {time} s"), unit: "m/s", reference: "series", measured: false, expected, found }
}
