//! Placed fluid has the volume of its shape outside the bodies.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use parry3d_f64::transformation::convex_hull;
use plimsoll_base::math::Pose;
use plimsoll_fluid::{Fill, FillShape, FluidSimulation};
use plimsoll_shape::{MassProperties, TriangleMesh};

use crate::common::{fixed, fluid_volume, settings};

/// Particle radius, m.
const RADIUS: f64 = 0.02;
/// The center of the shapes, at no special place of a lattice, m.
const CENTER: DVec3 = DVec3::new(0.317, 0.171, -0.053);

fn hull(points: &[DVec3]) -> TriangleMesh {
    let (vertices, triangles) = convex_hull(points);
    TriangleMesh { vertices, triangles }
}

fn sphere(radius: f64) -> TriangleMesh {
    let point = |index: u32| {
        let (height, angle) = (1.0 - (2.0 * f64::from(index) + 1.0) / 400.0, f64::from(index) * PI * (3.0 - 5.0_f64.sqrt()));
        CENTER + radius * DVec3::new((1.0 - height * height).sqrt() * angle.cos(), height, (1.0 - height * height).sqrt() * angle.sin())
    };
    hull(&(0..400).map(point).collect::<Vec<_>>())
}

/// An upright cylinder.
fn cylinder(radius: f64, height: f64) -> TriangleMesh {
    let point = |index: u32| {
        let angle = TAU * f64::from(index % 48) / 48.0;
        CENTER + DVec3::new(radius * angle.cos(), height * (f64::from(index / 48) - 0.5), radius * angle.sin())
    };
    hull(&(0..96).map(point).collect::<Vec<_>>())
}

/// A vessel with the inside `mesh`.
fn vessel(mut mesh: TriangleMesh) -> plimsoll_bodies::BodyDefinition {
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    fixed("vessel", mesh, Pose::IDENTITY)
}

/// Error of the volume of fluid that fills `shape` among `bodies` beside `expected` (m³).
fn error(shape: FillShape, bodies: Vec<plimsoll_bodies::BodyDefinition>, expected: f64) -> f64 {
    let mut settings = settings(RADIUS, vec![Fill::at_rest(shape)]);
    settings.settle = false;
    fluid_volume(&FluidSimulation::new(settings, bodies).unwrap()) / expected - 1.0
}

/// From three particles across on, within two percent or a particle: as fluid in the air, as fluid that fills a vessel, and in a vessel in the middle of a
/// box of fluid. A full vessel may lose two particles more, which find no room beside the others.
#[test]
fn shapes_have_their_volume() {
    let compare = |name: &str, in_vessel: bool, volume: f64, error: f64| {
        let particle = (2.0 * RADIUS).powi(3) / volume;
        println!("{name}: {:+.2} %, a particle is {:.2} %", 100.0 * error, 100.0 * particle);
        let missing = if in_vessel { 2.0 } else { 0.5 };
        assert!(error < 0.02 + 0.5 * particle && error > -0.02 - missing * particle, "{name}: {error}");
    };
    for radii in [3.0, 3.4, 4.2, 5.0, 7.3, 10.0, 20.0] {
        let ball = FillShape::Sphere { center: CENTER, radius: radii * RADIUS };
        let volume = 4.0 / 3.0 * PI * (radii * RADIUS).powi(3);
        compare(&format!("ball of {radii} radii"), false, volume, error(ball, vec![], volume));
        let cylinders = [6.0, 7.2, 9.1, 14.9].map(|height| cylinder(radii * RADIUS, height * RADIUS));
        for mesh in cylinders.into_iter().chain([sphere(radii * RADIUS)]) {
            let (aabb, volume) = (mesh.aabb(), MassProperties::of(&mesh).volume);
            let name = format!("mesh {:.1} x {:.1} radii", aabb.extent().x / RADIUS, aabb.extent().y / RADIUS);
            let alone = error(FillShape::Mesh(mesh.clone()), vec![], volume);
            compare(&name, false, volume, alone);
            let in_vessel = error(FillShape::Mesh(mesh.clone()), vec![vessel(mesh.clone())], volume);
            compare(&format!("{name} in a vessel"), true, volume, in_vessel);
            let around = FillShape::Box { min: aabb.min, max: aabb.max };
            compare(&format!("{name}, a box cut by a vessel"), true, volume, error(around, vec![vessel(mesh)], volume));
        }
    }
}
