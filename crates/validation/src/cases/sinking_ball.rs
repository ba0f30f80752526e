//! A ball sinks slowly along the axis of a tube of very viscous liquid.

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_bodies::{BodyDefinition, BodyKind, Floating, MassSource};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{Fill, FillShape, FluidSettings, FluidSimulation};

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{cylinder, cylindrical_tank, sphere, viscous},
};

/// Radii of the ball and of the tube, m; depth of the liquid and height of the ball above the floor at the start, in radii of the tube.
const BALL: f64 = 0.02;
const TUBE: f64 = 0.06;
const DEPTH: f64 = 3.2;
const START: f64 = 1.9;
/// Densities, kg/m³; kinematic viscosity, m²/s, for a Reynolds number of 0.03.
const LIQUID: f64 = 1400.0;
const SOLID: f64 = 2800.0;
const NU: f64 = 0.02;
const GRAVITY: f64 = 9.81;
/// End, and beginning of the measurement, s.
const END: f64 = 0.6;
const FROM: f64 = 0.2;

pub const CASE: Case = Case {
    name: "sinking_ball",
    title: "Ball sinking in a tube of viscous liquid",
    source: "Stokes (1851) with the wall correction of Bohlin (1960)",
    across: "diameter of the ball",
    resolutions: &[6, 8, 12],
    compute,
};

/// Speed of a ball in a tube, m/s: that of Stokes over Bohlin's correction, which holds for radii of the ball up to 0.6 of that of the tube.
fn speed() -> f64 {
    let ratio = BALL / TUBE;
    let polynomial = 1.0 - 2.10443 * ratio + 2.08877 * ratio.powi(3) - 6.94813 * ratio.powi(5) - 1.372 * ratio.powi(6)
        + 3.87 * ratio.powi(8)
        - 4.19 * ratio.powi(10);
    2.0 / 9.0 * (SOLID / LIQUID - 1.0) * GRAVITY * BALL * BALL / NU * polynomial
}

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = 2.0 * BALL / f64::from(run.resolution);
    let mut liquid = cylinder(TUBE, DEPTH * TUBE);
    liquid.vertices.iter_mut().for_each(|vertex| vertex.y += 1e-3 * d);
    let settings = FluidSettings {
        density: LIQUID,
        gravity: -GRAVITY * DVec3::Y,
        viscosity: viscous(NU),
        fills: vec![Fill::at_rest(FillShape::Mesh(liquid))],
        settle: true,
        ..FluidSettings::new(0.5 * d)
    };
    let floating = BodyKind::Floating(Floating::new(MassSource::Density(SOLID)));
    let pose = Pose { translation: START * TUBE * DVec3::Y, ..Pose::default() };
    let ball = BodyDefinition { kind: floating, pose, ..BodyDefinition::fixed("ball", sphere(BALL)) };
    let tube = BodyDefinition::fixed("tube", cylindrical_tank(TUBE, 1.2 * DEPTH * TUBE));
    let mut simulation = run.prepare(settings, vec![tube, ball])?;
    let height = |simulation: &FluidSimulation| simulation.bodies()[1].pose.translation.y;
    let mut heights = vec![(0.0, height(&simulation))];
    run.advance(&mut simulation, END, |simulation| heights.push((simulation.time(), height(simulation))))?;
    let &(from, above) = heights.iter().find(|(time, _)| *time >= FROM).unwrap_or(&heights[0]);
    let &(end, below) = heights.last().unwrap_or(&heights[0]);
    let expected = speed();
    let figures = vec![Figure::value("speed", "m/s", (above - below) / (end - from), expected, 0.08)];
    let panel = ChartPanel {
        title: "Height of the ball".into(),
        unit: "m",
        reference: "Stokes and Bohlin",
        measured: false,
        expected: vec![(from, above), (end, above - expected * (end - from))],
        found: heights,
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time (s)", panels: vec![panel] }]))
}
