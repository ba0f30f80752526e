//! Water in a rotating cylinder: its surface is a paraboloid.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use plimsoll_bodies::{BodyDefinition, PrescribedMotion};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{
    Fill, FillShape, FluidSettings,
    probes::{Probe, ProbeKind, WaterHeight},
};

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{cylinder, cylindrical_tank},
    signal::number,
};

/// Radius of the tank and depth of the water, m; angular velocity, rad/s.
const RADIUS: f64 = 0.2;
const DEPTH: f64 = 0.15;
const OMEGA: f64 = 6.0;
const GRAVITY: f64 = 9.81;
/// Kinematic viscosity, m²/s. While the surface forms, water flows outward and falls behind the tank; this viscosity takes 0.3 s to make it
/// turn with the tank, R²/(14.7 ν). That of water would take a minute, the time of Ekman layers.
const VISCOSITY: f64 = 0.01;
/// Time in which the surface forms, and the time over which it is then averaged, s.
const FORMED: f64 = 3.0;
const MEAN: f64 = 1.0;
/// Gauges on circles about the axis: radii in tenths of the tank's, and gauges on each. Farther out, a gauge would reach beyond the wall.
const CIRCLES: u32 = 9;
const GAUGES: u32 = 8;
/// Samples of the gauges, 1/s.
const RATE: f64 = 50.0;

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
    let mut settings = FluidSettings { fills: vec![fill], probes: gauges(), ..FluidSettings::new(0.5 * d) };
    settings.viscosity.kinematic = VISCOSITY;
    let motion = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: OMEGA * DVec3::Y, pivot: DVec3::ZERO };
    let mut simulation = run.prepare(settings, vec![BodyDefinition::moving("tank", cylindrical_tank(RADIUS, 2.5 * DEPTH), motion)])?;
    simulation.set_velocities(|position| (OMEGA * DVec3::Y).cross(position));
    let mut heights = [Mean::default(); CIRCLES as usize];
    run.advance(&mut simulation, FORMED + MEAN, |simulation| {
        for (index, table) in simulation.tables().iter().filter(|table| table.name.starts_with("probes/")).enumerate() {
            for row in table.rows.iter().filter(|row| number(&row[1]) > FORMED) {
                // Step, time; value, mean, minimum and maximum of the surface; then the mean of the column.
                heights[index / GAUGES as usize].add(number(&row[7]));
            }
        }
    })?;
    let volume = simulation.particle_count() as f64 * simulation.settings().particle_volume();
    let middle = volume / (PI * RADIUS * RADIUS) - (OMEGA * RADIUS).powi(2) / (4.0 * GRAVITY);
    let surface = |r: f64| middle + (OMEGA * r).powi(2) / (2.0 * GRAVITY);
    let found: Vec<(f64, f64)> = (0..CIRCLES).map(|circle| (radius(circle), heights[circle as usize].value())).collect();
    let largest = found.iter().map(|&(r, height)| (height - surface(r)).abs()).fold(0.0, f64::max);
    let figures = vec![
        Figure::value("height of the surface, largest error", "m", largest, 0.0, 1.0).relative_to(0.5 * d),
        Figure::reported("particle radius", "m", 0.5 * d),
    ];
    let panel = ChartPanel {
        title: "Height of the surface above the middle".into(),
        unit: "m",
        reference: "paraboloid",
        measured: false,
        expected: (0..=50).map(|i| 0.02 * RADIUS * f64::from(i)).map(|r| (r, surface(r) - middle)).collect(),
        // The lattice fills a round tank with somewhat less than its volume.
        found: found.into_iter().map(|(r, height)| (r, height - middle)).collect(),
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Distance from the axis (m)", panels: vec![panel] }]))
}

fn radius(circle: u32) -> f64 {
    0.1 * RADIUS * f64::from(circle)
}

fn gauges() -> Vec<Probe> {
    let gauge = |index: u32| {
        let (circle, angle) = (index / GAUGES, TAU * f64::from(index % GAUGES) / f64::from(GAUGES));
        let position = radius(circle) * DVec3::new(angle.cos(), 0.0, angle.sin());
        Probe { name: format!("h{index:02}"), rate: RATE, kind: ProbeKind::Height(WaterHeight { position }) }
    };
    (0..CIRCLES * GAUGES).map(gauge).collect()
}

#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn value(&self) -> f64 {
        self.sum / self.count
    }
}
