//! Water in a rotating cylinder: its surface is a paraboloid.

use std::f64::consts::PI;

use glam::DVec3;

use crate::{
    bodies::{BodyDefinition, PrescribedMotion},
    fluid::{Fill, FillShape, FluidSettings, FluidSimulation},
    validation::{
        Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
        setup::{cylinder, cylindrical_tank},
    },
};

/// Radius of the tank and depth of the water, m; angular velocity, rad/s.
const RADIUS: f64 = 0.2;
const DEPTH: f64 = 0.15;
const OMEGA: f64 = 6.0;
const GRAVITY: f64 = 9.81;
/// Time in which the surface forms, and the time over which it is then averaged, s.
const FORMED: f64 = 3.0;
const MEAN: f64 = 1.0;
/// Rings in which the height is measured. The outermost is left out: there the layers at the wall are.
const RINGS: usize = 8;

pub const CASE: Case = Case {
    name: "rotating_tank",
    title: "Water in a rotating tank",
    source: "paraboloid, z = ω²r²/2g",
    across: "radius",
    resolutions: &[10, 20],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = RADIUS / f64::from(run.resolution);
    let fill = Fill::at_rest(FillShape::Mesh(cylinder(RADIUS, DEPTH)));
    let settings = FluidSettings { fills: vec![fill], ..FluidSettings::new(0.5 * d) };
    let motion = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: OMEGA * DVec3::Y, pivot: DVec3::ZERO };
    let mut simulation = run.prepare(settings, vec![BodyDefinition::moving("tank", cylindrical_tank(RADIUS, 2.5 * DEPTH), motion)])?;
    simulation.set_velocities(|position| (OMEGA * DVec3::Y).cross(position));
    run.advance(&mut simulation, FORMED, |_| {})?;
    let (mut heights, mut steps) = ([0.0; RINGS], 0.0);
    run.advance(&mut simulation, FORMED + MEAN, |simulation| {
        add_heights(simulation, &mut heights);
        steps += 1.0;
    })?;
    let volume = simulation.particle_count() as f64 * simulation.settings().particle_volume();
    let middle = volume / (PI * RADIUS * RADIUS) - (OMEGA * RADIUS).powi(2) / (4.0 * GRAVITY);
    let surface = |r: f64| middle + (OMEGA * r).powi(2) / (2.0 * GRAVITY);
    // Of a ring: the mean of the paraboloid over its area.
    let edge = |ring: usize| RADIUS * ring as f64 / RINGS as f64;
    let found: Vec<(f64, f64)> =
        (0..RINGS).map(|ring| (edge(ring).hypot(edge(ring + 1)) / 2.0_f64.sqrt(), heights[ring] / steps)).collect();
    let inner = &found[..RINGS - 1];
    let largest = inner.iter().map(|&(r, height)| (height - surface(r)).abs()).fold(0.0, f64::max);
    let figures = vec![
        Figure::value("height of the surface, largest error", "m", largest, 0.0, 1.0).relative_to(0.5 * d),
        Figure::reported("particle radius", "m", 0.5 * d),
    ];
    let panel = ChartPanel {
        title: "Height of the surface".into(),
        unit: "m",
        reference: "paraboloid",
        measured: false,
        expected: (0..=50).map(|i| 0.02 * RADIUS * f64::from(i)).map(|r| (r, surface(r))).collect(),
        found: inner.to_vec(),
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Distance from the axis (m)", panels: vec![panel] }]))
}

/// Adds the volume over each ring of equal width, divided by its area.
fn add_heights(simulation: &FluidSimulation, heights: &mut [f64; RINGS]) {
    let volume = simulation.settings().particle_volume();
    let width = RADIUS / RINGS as f64;
    for position in &simulation.particles().positions {
        let ring = ((f64::from(position.x).hypot(f64::from(position.z)) / width) as usize).min(RINGS - 1);
        heights[ring] += volume / (PI * width * width * (2 * ring + 1) as f64);
    }
}
