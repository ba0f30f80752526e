//! A wedge that enters water at constant speed.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_bodies::{BodyDefinition, PrescribedMotion};
use plimsoll_contract::simulator::Simulator;
use plimsoll_shape::TriangleMesh;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{SLICE, filled, plane_tank, slice},
    signal::integral,
};

/// Half the width of the wedge, m; tangent of its deadrise angle of 30°; speed, m/s.
const HALF_WIDTH: f64 = 0.25;
const TANGENT: f64 = 0.577_350_269_189_625_8;
const SPEED: f64 = 2.0;
/// Length of the tank and depth of the water, m.
const LENGTH: f64 = 1.6;
const DEPTH: f64 = 0.4;
const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;
/// Force over `ρ V³ t` per length: similarity solution of Zhao & Faltinsen (1993).
const SIMILARITY: f64 = 14.139;
/// Time before the tip meets the water, s.
const APPROACH: f64 = 0.01;

pub const CASE: Case = Case {
    name: "wedge_entry",
    title: "Wedge with a deadrise angle of 30° entering water at constant speed",
    source: "von Kármán (1929), Wagner (1932); similarity solution of Zhao & Faltinsen (1993)",
    across: "half width",
    resolutions: &[12, 25],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = HALF_WIDTH / f64::from(run.resolution);
    let settings = slice(d, None, filled(DVec3::ZERO, DVec3::new(LENGTH, DEPTH, SLICE * d)));
    // Fluid at rest stands where its volume does.
    let tip = DVec3::new(0.5 * LENGTH, DEPTH + SPEED * APPROACH, 0.0);
    let motion = PrescribedMotion::Constant { linear: -SPEED * DVec3::Y, angular: DVec3::ZERO, pivot: DVec3::ZERO };
    let wedge = BodyDefinition::moving("wedge", wedge(LENGTH), motion).at(tip);
    let mut simulation = run.prepare(settings, vec![plane_tank(LENGTH, 1.5 * DEPTH), wedge])?;
    // Until the jet reaches the edges of the wedge, by Wagner's wetted width.
    let end = APPROACH + 2.0 / PI * HALF_WIDTH * TANGENT / SPEED;
    let unit = DENSITY * SPEED.powi(3) * simulation.settings().domain.size.z;
    let mut force = vec![(-APPROACH, 0.0)];
    run.advance(&mut simulation, end, |simulation| {
        let time = simulation.time() - APPROACH;
        // Less the lift of the part below the level.
        let lift = DENSITY * GRAVITY * (SPEED * time.max(0.0)).powi(2) / TANGENT * simulation.settings().domain.size.z;
        let load = simulation.loads()[1].total().linear.y / simulation.last_step().dt;
        force.push((time, (load - lift) / unit));
    })?;
    let (karman, wagner) = (PI / TANGENT.powi(2), PI.powi(3) / (4.0 * TANGENT.powi(2)));
    // From the impulse between two times, for a force that grows with time.
    let (from, to) = (0.3 * (end - APPROACH), end - APPROACH);
    let found = 2.0 * integral(&force, from, to) / (to * to - from * from);
    let figures = vec![
        Figure::between("force over ρV³t per length, between von Kármán and Wagner", "", found, [karman, wagner]),
        Figure::value("the same against the similarity solution", "", found, SIMILARITY, 0.1).without_target(),
    ];
    let panel = ChartPanel {
        title: "Force over ρV³ per length".into(),
        unit: "s",
        reference: "similarity solution",
        measured: false,
        expected: vec![(0.0, 0.0), (end - APPROACH, SIMILARITY * (end - APPROACH))],
        found: force,
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time since the tip met the water (s)", panels: vec![panel] }]))
}

/// A prism along z of the given length, with its lower edge in the origin.
fn wedge(length: f64) -> TriangleMesh {
    let height = HALF_WIDTH * TANGENT;
    let end = |z: f64| [DVec3::new(0.0, 0.0, z), DVec3::new(HALF_WIDTH, height, z), DVec3::new(-HALF_WIDTH, height, z)];
    let vertices = [end(0.5 * length), end(-0.5 * length)].concat();
    let triangles = vec![[0, 1, 2], [3, 5, 4], [0, 4, 1], [0, 3, 4], [1, 5, 2], [1, 4, 5], [2, 3, 0], [2, 5, 3]];
    TriangleMesh { vertices, triangles }
}
