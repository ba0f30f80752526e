//! A floating hull that is let go from a sinkage and from a trim.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::{BodyDefinition, BodyKind, Floating, MassSource};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation};
use plimsoll_shape::TriangleMesh;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{absorbing_walls, filled},
    signal::{extremes, period},
    strips::{Section, Strips},
};

/// Half the length and half the breadth of the hull, m; its underwater part is half a spheroid, so that all sections are half circles.
const HALF_LENGTH: f64 = 0.8;
const HALF_BREADTH: f64 = 0.2;
/// Height of the upright sides and of the deck above the water, m.
const FREEBOARD: f64 = 0.12;
/// Length and breadth of the tank and depth of the water, m; width of the zones at the walls that absorb waves, m.
const TANK: [f64; 2] = [3.0, 2.0];
const DEPTH: f64 = 0.8;
const ZONE: f64 = 0.4;
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;
/// How far the hull is pushed down, m, and turned, rad, before it is let go. Its sides are upright above the waterline: a hull that is pushed
/// down keeps the waterplane of the theory, a turned one loses some of it at the end that rises.
const SINKAGE: f64 = 0.06;
const TRIM: f64 = 0.08;
/// End, s; the period is that of the first sign changes.
const END: f64 = 2.0;
const SIGN_CHANGES: usize = 4;
/// Sections of the theory, half turns of the mesh and its stations.
const SECTIONS: u32 = 50;
const AROUND: u32 = 32;
const STATIONS: u32 = 48;
/// First extreme over the start in linear potential flow in this tank with its zones, computed in three dimensions with finite differences:
/// heave and pitch. The hull is four times as long as broad, and strip theory, which has waves only across, damps too much.
const EXTREMES: [f64; 2] = [0.7, 0.85];

pub const CASE: Case = Case {
    name: "ship",
    title: "Heave and pitch decay of a floating hull",
    source: "strip theory (Ursell 1949, Cummins 1962); extremes between it and potential flow in three dimensions",
    across: "breadth",
    resolutions: &[10, 15],
    compute,
};

#[derive(Clone, Copy)]
enum Motion {
    Heave,
    Pitch,
}

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = 2.0 * HALF_BREADTH / f64::from(run.resolution);
    let (mut figures, mut panels, mut last) = (Vec::new(), Vec::new(), None);
    for (motion, name, extreme) in [(Motion::Heave, "heave", EXTREMES[0]), (Motion::Pitch, "pitch", EXTREMES[1])] {
        let mut simulation = afloat(run, d, motion)?;
        let level = level(&simulation);
        let place = |simulation: &FluidSimulation| match motion {
            Motion::Heave => simulation.bodies()[1].pose.translation.y - level,
            Motion::Pitch => pitch(simulation),
        };
        let start = place(&simulation);
        let mut found = vec![(0.0, 1.0)];
        run.advance(&mut simulation, END, |simulation| found.push((simulation.time(), place(simulation) / start)))?;
        let theory = theory(motion).let_go(END);
        let first = |signal: &[(f64, f64)]| extremes(signal, 0.0).first().map_or(f64::NAN, |peak| -peak.1);
        figures.push(Figure::value(format!("period of {name}"), "s", period(&found, SIGN_CHANGES), period(&theory, SIGN_CHANGES), 0.05));
        let figure = Figure::between(format!("first extreme of {name} over the start"), "", first(&found), [first(&theory), extreme]);
        figures.push(Figure { target: Some(0.15), ..figure });
        panels.push(ChartPanel {
            title: format!("{}{} over that at the start", name[..1].to_uppercase(), &name[1..]),
            unit: "",
            reference: "strip theory",
            measured: false,
            expected: theory,
            found,
        });
        last = Some(simulation);
    }
    let charts = vec![Chart { name: "", horizontal: "Time (s)", panels }];
    Ok(last.map_or_else(Outcome::default, |simulation| Outcome::of(&simulation, figures, charts)))
}

/// The hull pushed out of its rest in settled water.
fn afloat(run: &Run, d: f64, motion: Motion) -> Result<FluidSimulation, CaseError> {
    // Whole particles.
    let [length, breadth] = TANK.map(|side| (side / d).round() * d);
    let (size, gravity) = (DVec3::new(length, 1.3 * DEPTH, breadth), -GRAVITY * DVec3::Y);
    let settings = FluidSettings {
        density: DENSITY,
        gravity,
        fills: filled(DVec3::ZERO, DVec3::new(length, DEPTH, breadth)),
        damping_zones: absorbing_walls(size, ZONE, gravity),
        settle: true,
        ..FluidSettings::new(0.5 * d)
    };
    let (sinkage, trim, locked) = match motion {
        Motion::Heave => (SINKAGE, 0.0, [true; 3]),
        Motion::Pitch => (0.0, TRIM, [true, true, false]),
    };
    let floating = Floating {
        locked_translation: [true, false, true],
        locked_rotation: locked,
        ..Floating::new(MassSource::Mass(DENSITY * displacement()))
    };
    // Below the level that the water has once the hull has come up.
    let below = sinkage / (1.0 - waterplane() / (length * breadth));
    let pose = Pose::new(DQuat::from_rotation_z(trim), DVec3::new(0.5 * length, DEPTH - below, 0.5 * breadth));
    let hull = BodyDefinition { pose, ..BodyDefinition::new("hull", hull(), BodyKind::Floating(floating)) };
    let tank = BodyDefinition::fixed("tank", TriangleMesh::basin(size)).at(DVec3::new(0.5 * length, 0.0, 0.5 * breadth));
    run.prepare(settings, vec![tank, hull])
}

/// Height of the water around the hull at rest, m.
fn level(simulation: &FluidSimulation) -> f64 {
    let settings = simulation.settings();
    let d = 2.0 * settings.particle_radius;
    let [length, breadth] = TANK.map(|side| (side / d).round() * d);
    (simulation.particle_count() as f64 * settings.particle_volume() + displacement()) / (length * breadth)
}

/// Angle (rad) by which the bow at +x is up.
fn pitch(simulation: &FluidSimulation) -> f64 {
    let bow = simulation.bodies()[1].pose.rotation * DVec3::X;
    bow.y.atan2(bow.x)
}

/// Volume of the underwater part, m³.
fn displacement() -> f64 {
    2.0 / 3.0 * PI * HALF_LENGTH * HALF_BREADTH * HALF_BREADTH
}

/// Area of the waterplane, m².
fn waterplane() -> f64 {
    PI * HALF_LENGTH * HALF_BREADTH
}

/// Strip theory of a homogeneous hull. Bow and stern are alike: heave and pitch do not act on each other.
fn theory(motion: Motion) -> Strips {
    let (a, b) = (HALF_LENGTH, HALF_BREADTH);
    let (below, above) = (displacement(), waterplane() * FREEBOARD);
    let density = DENSITY * below / (below + above);
    let center = (0.5 * FREEBOARD * above - 0.375 * b * below) / (below + above);
    let (stiffness, inertia) = match motion {
        Motion::Heave => (DENSITY * GRAVITY * waterplane(), DENSITY * below),
        Motion::Pitch => {
            let metacentric = 0.25 * PI * a.powi(3) * b / below - 0.375 * b - center;
            let about_waterline = below * (a * a + b * b) / 5.0 + above * (0.25 * a * a + FREEBOARD * FREEBOARD / 3.0);
            (DENSITY * GRAVITY * below * metacentric, density * about_waterline - DENSITY * below * center * center)
        }
    };
    let length = 2.0 * a / f64::from(SECTIONS);
    let section = |i: u32| {
        let x = (f64::from(i) + 0.5) * length - a;
        let lever = if matches!(motion, Motion::Heave) { 1.0 } else { x };
        Section { radius: b * (1.0 - (x / a).powi(2)).sqrt(), length, lever }
    };
    Strips { sections: (0..SECTIONS).map(section).collect(), stiffness, inertia, density: DENSITY, gravity: GRAVITY }
}

/// The hull as a closed mesh, wound outward, with its origin amidships in the waterline.
fn hull() -> TriangleMesh {
    // A station has the deck's edge, the half circle and the deck's other edge.
    let corners = AROUND + 3;
    let point = |i: u32, j: u32| {
        let along = PI * f64::from(i) / f64::from(STATIONS);
        let (x, radius) = (-HALF_LENGTH * along.cos(), HALF_BREADTH * along.sin());
        let angle = PI * (f64::from(j.clamp(1, AROUND + 1) - 1) / f64::from(AROUND) - 0.5);
        let (y, z) = if j == 0 || j == corners - 1 { (FREEBOARD, angle.sin()) } else { (-radius * angle.cos(), angle.sin()) };
        DVec3::new(x, y, radius * z)
    };
    // The stem and the stern are a line: a point at the deck and one in the waterline.
    let at = |i: u32, j: u32| {
        let (ends, deck) = (i == 0 || i == STATIONS, j == 0 || j == corners - 1);
        i * corners + if ends { u32::from(!deck) } else { j }
    };
    let vertices = (0..=STATIONS).flat_map(|i| (0..corners).map(move |j| (i, j))).map(|(i, j)| point(i, j)).collect();
    let quads = (0..STATIONS).flat_map(|i| (0..corners).map(move |j| (i, j, (j + 1) % corners)));
    let triangles = quads.flat_map(|(i, j, k)| [[at(i, j), at(i + 1, j), at(i + 1, k)], [at(i, j), at(i + 1, k), at(i, k)]]);
    let full = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    TriangleMesh { vertices, triangles: triangles.filter(full).collect() }
}

#[cfg(test)]
mod tests {
    use plimsoll_shape::MassProperties;

    use super::*;

    #[test]
    fn the_hull_is_closed_and_as_large_as_the_theory_takes_it() {
        let properties = MassProperties::of(&hull());
        let volume = displacement() + FREEBOARD * waterplane();
        assert!((properties.volume / volume - 1.0).abs() < 5e-3, "{}", properties.volume);
        let inertia = DENSITY * displacement() / properties.volume * properties.inertia.z_axis.z;
        assert!((inertia / theory(Motion::Pitch).inertia - 1.0).abs() < 0.01, "{inertia}");
    }

    #[test]
    fn strip_theory_swings_as_computed_elsewhere() {
        for (motion, expected) in [(Motion::Heave, 0.921), (Motion::Pitch, 0.897)] {
            let found = period(&theory(motion).let_go(END), SIGN_CHANGES);
            assert!((found / expected - 1.0).abs() < 0.01, "{found}, expected {expected}");
        }
    }
}
