//! Steady flow of fluids whose viscosity depends on the shear rate, between two plates.

use glam::DVec3;
use plimsoll_bodies::BodyDefinition;
use plimsoll_fluid::{FluidSimulation, Rheology, Viscosity};

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{block, filled, profile_error, slice, speed_by_height, viscous},
};

/// Distance of the plates, m; density, kg/m³; driving acceleration, m/s².
const GAP: f64 = 0.1;
const DENSITY: f64 = 1000.0;
const ACCELERATION: f64 = 1.0;

pub const CARREAU: Case = Case {
    name: "channel_carreau",
    title: "Plane channel flow of a shear-thinning fluid (Carreau)",
    source: "numerical integration of the momentum balance",
    across: "gap",
    resolutions: &[10, 20],
    compute: |run| compute(run, 1e-2, Rheology::Carreau { infinite: 1e-4, time: 1.0, index: 0.5 }, 6.0),
};

pub const YIELD_STRESS: Case = Case {
    name: "channel_yield_stress",
    title: "Plane channel flow of a fluid with a yield stress (Herschel–Bulkley)",
    source: "numerical integration of the momentum balance with the regularized law",
    across: "gap",
    resolutions: &[10, 20],
    compute: |run| compute(run, 1.0, Rheology::HerschelBulkley { yield_stress: 20.0, consistency: 4.0, index: 0.6 }, 4.0),
};

/// Speed (m/s) at height `y` (m): the stress falls from the wall to the middle as `τ = ρ g (h − y)`, with half the gap h.
fn speed(law: Rheology, at_rest: f64, y: f64) -> f64 {
    const PARTS: u32 = 2000;
    let half = 0.5 * GAP;
    let from_wall = y.min(GAP - y).max(0.0);
    let part = from_wall / f64::from(PARTS);
    let rate = |i: u32| shear_rate(law, at_rest, DENSITY * ACCELERATION * (half - (f64::from(i) + 0.5) * part));
    (0..PARTS).map(|i| rate(i) * part).sum()
}

/// Shear rate (1/s) under a stress of `stress` (Pa), by bisection.
fn shear_rate(law: Rheology, at_rest: f64, stress: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if DENSITY * law.kinematic(at_rest, DENSITY, middle) * middle < stress { low = middle } else { high = middle }
    }
    low
}

fn compute(run: &Run, at_rest: f64, law: Rheology, end: f64) -> Result<Outcome, CaseError> {
    let d = GAP / f64::from(run.resolution);
    let length = 12.0 * d;
    let mut settings = slice(d, Some(length), filled(DVec3::ZERO, DVec3::new(length, GAP, 8.0 * d)));
    settings.gravity = ACCELERATION * DVec3::X;
    settings.viscosity = Viscosity { law, ..viscous(at_rest) };
    let far = DVec3::new(2.0 * length, 0.0, 2.0 * length);
    let plate = |low: f64, high: f64| block(DVec3::new(-far.x, low, -far.z), DVec3::new(far.x, high, far.z));
    let bodies =
        vec![BodyDefinition::fixed("lower plate", plate(-0.3 * GAP, 0.0)), BodyDefinition::fixed("upper plate", plate(GAP, 1.3 * GAP))];
    let mut simulation = run.prepare(settings, bodies)?;
    run.advance(&mut simulation, end, |_| {})?;
    let largest = speed(law, at_rest, 0.5 * GAP);
    let figures = vec![
        Figure::error_of("profile", profile_error(&simulation, |y| speed(law, at_rest, y), largest), 0.05),
        Figure::value("speed in the middle", "m/s", middle_speed(&simulation, d), largest, 0.05),
    ];
    let expected = (0..=100).map(|i| 0.01 * GAP * f64::from(i)).map(|y| (y, speed(law, at_rest, y))).collect();
    let title = "Velocity".into();
    let panel = ChartPanel {
        title,
        unit: "m/s",
        reference: "momentum balance",
        measured: false,
        expected,
        found: speed_by_height(&simulation, GAP),
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Height above the lower plate (m)", panels: vec![panel] }]))
}

/// Mean speed of the particles within a diameter `d` of the middle, m/s.
fn middle_speed(simulation: &FluidSimulation, d: f64) -> f64 {
    let particles = simulation.particles();
    let near = |i: &usize| (f64::from(particles.positions[*i].y) - 0.5 * GAP).abs() < d;
    let speeds: Vec<f64> = (0..particles.len()).filter(near).map(|i| particles.velocities[i].x.into()).collect();
    speeds.iter().sum::<f64>() / speeds.len() as f64
}
