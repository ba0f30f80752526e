//! Floating boxes that roll: one with and one without stability.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::{BodyDefinition, BodyKind, Floating, MassSource};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation};
use plimsoll_shape::TriangleMesh;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{filled, tank},
    signal::{extremes, period},
};

/// Side of the tank and depth of the water, m.
const SIDE: f64 = 1.2;
const DEPTH: f64 = 0.45;
/// Breadth and height of the stable box, m; the other one stands on its side. Both are as long as broad and half as dense as water.
const BREADTH: f64 = 0.4;
const HEIGHT: f64 = 0.2;
/// Initial angles of the two boxes, rad.
const HEELED: f64 = 0.15;
const NUDGED: f64 = 0.05;
/// Half a period of the broad box, s: the distance of the first two zeros of the angle in linear potential flow with a free surface, in a
/// tank of this size, computed with finite differences on cells of 1.25 to 5 cm. At infinite frequency the added inertia is 0.51 to 0.53 of
/// that of the box; in that flow the first extreme is 0.99 of the start, as a box that rolls hardly makes waves.
const HALF_PERIOD: f64 = 0.553;
/// The least first extreme over the start that is good enough: eddies at the edges, which potential flow lacks, take some of it.
const LEAST_EXTREME: f64 = 0.6;

pub const CASE: Case = Case {
    name: "roll",
    title: "Roll decay and stability of floating boxes",
    source: "linear potential flow in the same tank, computed with finite differences; the metacentric height decides on stability",
    across: "breadth",
    resolutions: &[12, 20],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = BREADTH / f64::from(run.resolution);
    let mut flat = afloat(run, d, DVec3::new(BREADTH, HEIGHT, BREADTH), HEELED)?;
    let mut roll = vec![(0.0, HEELED)];
    run.advance(&mut flat, 4.0, |simulation| roll.push((simulation.time(), angle(simulation))))?;
    let mut tall = afloat(run, d, DVec3::new(HEIGHT, BREADTH, BREADTH), NUDGED)?;
    let mut fall = vec![(0.0, NUDGED)];
    run.advance(&mut tall, 4.0, |simulation| fall.push((simulation.time(), angle(simulation))))?;
    let largest = roll.iter().filter(|(time, _)| *time > 3.0).map(|(_, angle)| angle.abs()).fold(0.0, f64::max);
    let half = 0.5 * period(&roll, 2);
    let extreme = extremes(&roll, 0.0).first().map_or(f64::NAN, |(_, angle)| -angle / HEELED);
    let last = fall[fall.len() - 1].1.abs();
    let figures = vec![
        Figure::value("half a period of the broad box, between the first two zeros", "s", half, HALF_PERIOD, 0.08),
        Figure::between("first extreme of the broad box over the start", "", extreme, [LEAST_EXTREME, 1.0]),
        Figure::between("largest angle of the broad box after 3 s", "rad", largest, [0.0, HEELED]),
        Figure::between("angle of the tall box after 4 s", "rad", last, [0.4 * PI, 0.6 * PI]),
    ];
    let panel = |title: &str, found: Vec<(f64, f64)>, rest: f64| ChartPanel {
        title: title.into(),
        unit: "rad",
        reference: "at rest",
        measured: false,
        expected: vec![(0.0, rest), (4.0, rest)],
        found,
    };
    let upright = fall.iter().map(|&(time, angle)| (time, angle.abs())).collect();
    let panels = vec![panel("Roll of the broad box", roll, 0.0), panel("Roll of the tall box", upright, 0.5 * PI)];
    Ok(Outcome::of(&flat, figures, vec![Chart { name: "", horizontal: "Time (s)", panels }]))
}

/// A box of `extent` (m) afloat in the middle of a tank, heeled by `angle` (rad) about z.
fn afloat(run: &Run, d: f64, extent: DVec3, angle: f64) -> Result<FluidSimulation, CaseError> {
    let fills = filled(DVec3::ZERO, DVec3::new(SIDE, DEPTH, SIDE));
    let settings = FluidSettings { fills, settle: true, ..FluidSettings::new(0.5 * d) };
    let floating = Floating {
        locked_translation: [false, false, true],
        locked_rotation: [true, true, false],
        ..Floating::new(MassSource::Density(0.5 * settings.density))
    };
    let pose = Pose::new(DQuat::from_rotation_z(angle), DVec3::new(0.5 * SIDE, DEPTH, 0.5 * SIDE));
    let body = BodyDefinition { kind: BodyKind::Floating(floating), pose, ..BodyDefinition::fixed("box", TriangleMesh::cuboid(extent)) };
    run.prepare(settings, vec![tank(SIDE, 2.0 * DEPTH), body])
}

/// Roll angle (rad) of the box, −π to π.
fn angle(simulation: &FluidSimulation) -> f64 {
    let up = simulation.bodies()[1].pose.rotation * DVec3::Y;
    (-up.x).atan2(up.y)
}
