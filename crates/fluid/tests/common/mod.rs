//! Shared by the physics tests: meshes, bodies and settings created in code, stepping, and sums recomputed from particles and bodies.
// Every test file uses only a part of this.
#![allow(dead_code)]

pub mod solid;

use std::path::Path;

use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::{Body, BodyDefinition, BodyKind, Floating, MassSource, PrescribedMotion, Presence};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{Emitter, Fill, FillShape, FluidSettings, FluidSimulation, Mouth, TimeStep};
use plimsoll_shape::{ImportOptions, TriangleMesh, import, orient_outwards};

/// m/s²
pub const GRAVITY: f64 = 9.81;
/// kg/m³
pub const WATER: f64 = 1000.0;

/// The defaults of scene files, for water that settles first.
pub fn settings(particle_radius: f64, fills: Vec<Fill>) -> FluidSettings {
    FluidSettings {
        particle_radius,
        density: WATER,
        gravity: DVec3::new(0.0, -GRAVITY, 0.0),
        time_step: TimeStep { minimum: 1e-6, maximum: 0.005, cfl: 0.5 },
        settle: true,
        fills,
        ..FluidSettings::new(particle_radius)
    }
}

pub fn box_fill(min: DVec3, max: DVec3, velocity: DVec3) -> Fill {
    Fill { shape: FillShape::Box { min, max }, velocity, material: 0 }
}

/// A sample mesh, scaled along each axis.
pub fn sample(name: &str, scale: DVec3) -> TriangleMesh {
    // The tests of the program include this file, too.
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("meshes"));
    let path = folders.find(|folder| folder.is_dir()).expect("the folder of meshes").join(name).with_extension("obj");
    let mut mesh = import::load(&path, &ImportOptions { scale, ..ImportOptions::default() }).unwrap();
    orient_outwards(&mut mesh);
    mesh
}

/// A box with outward winding.
pub fn cuboid(min: DVec3, max: DVec3) -> TriangleMesh {
    let corner = |i: u32| DVec3::select(glam::BVec3::new(i & 1 != 0, i & 2 != 0, i & 4 != 0), max, min);
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    TriangleMesh {
        vertices: (0..8).map(corner).collect(),
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

/// A box with a cavity: walls between `inner` and the same box enlarged by `wall`.
pub fn closed_tank(inner: [DVec3; 2], wall: f64) -> TriangleMesh {
    let mut shell = cuboid(inner[0] - wall, inner[1] + wall);
    let cavity = cuboid(inner[0], inner[1]);
    let first = shell.vertices.len() as u32;
    shell.vertices.extend(cavity.vertices);
    shell.triangles.extend(cavity.triangles.iter().map(|&[a, b, c]| [a + first, c + first, b + first]));
    shell
}

/// The mesh with its vertices rotated by `rotation`.
pub fn turned(mut mesh: TriangleMesh, rotation: DQuat) -> TriangleMesh {
    for vertex in &mut mesh.vertices {
        *vertex = rotation * *vertex;
    }
    mesh
}

fn body(name: &str, mesh: TriangleMesh, pose: Pose, kind: BodyKind) -> BodyDefinition {
    BodyDefinition { name: name.into(), mesh, pose, kind, friction: 0.3, restitution: 0.3, presence: Presence::default() }
}

pub fn fixed(name: &str, mesh: TriangleMesh, pose: Pose) -> BodyDefinition {
    body(name, mesh, pose, BodyKind::Static)
}

pub fn moving(name: &str, mesh: TriangleMesh, pose: Pose, motion: PrescribedMotion) -> BodyDefinition {
    body(name, mesh, pose, BodyKind::Moving(motion))
}

/// A free body of the given density, kg/m³, at rest.
pub fn floating(name: &str, mesh: TriangleMesh, pose: Pose, density: f64) -> BodyDefinition {
    body(name, mesh, pose, BodyKind::Floating(Floating::new(MassSource::Density(density))))
}

/// The floating body with a modification.
pub fn with(mut definition: BodyDefinition, change: impl FnOnce(&mut Floating)) -> BodyDefinition {
    let BodyKind::Floating(floating) = &mut definition.kind else { panic!("{} does not float", definition.name) };
    change(floating);
    definition
}

/// The floating body with a velocity (m/s) and an angular velocity (rad/s).
pub fn thrown(definition: BodyDefinition, velocity: DVec3, angular_velocity: DVec3) -> BodyDefinition {
    with(definition, |floating| (floating.velocity, floating.angular_velocity) = (velocity, angular_velocity))
}

/// A jet falls on a box that floats in a pool, with changes of the settings.
pub fn jet_on_a_box(change: impl FnOnce(&mut FluidSettings)) -> FluidSimulation {
    let pool = box_fill(DVec3::ZERO, DVec3::new(0.4, 0.2, 0.4), DVec3::ZERO);
    let jet = Emitter::new(Mouth::Disc { radius: 0.04 }, DVec3::new(0.2, 0.9, 0.2), DVec3::NEG_Y, 2.0);
    let mut settings = FluidSettings { settle: false, emitters: vec![jet], ..settings(0.02, vec![pool]) };
    change(&mut settings);
    let tank = fixed("tank", sample("small_tank", DVec3::new(0.4, 1.2, 0.4)), Pose::IDENTITY);
    let place = Pose::from_translation(DVec3::new(0.2, 0.27, 0.25));
    let float = floating("box", cuboid(DVec3::splat(-0.06), DVec3::splat(0.06)), place, 500.0);
    FluidSimulation::new(settings, vec![tank, float]).unwrap()
}

/// Runs for `seconds` more and calls `after_step` after every step.
pub fn run(simulation: &mut FluidSimulation, seconds: f64, mut after_step: impl FnMut(&FluidSimulation)) {
    let end = simulation.time() + seconds;
    while simulation.time() < end {
        simulation.advance(end).unwrap();
        after_step(simulation);
    }
}

/// Energy of fluid and bodies, J.
pub fn energy(simulation: &FluidSimulation) -> f64 {
    simulation.kinetic_energy() + simulation.potential_energy()
}

/// How far the energy, minus the work from outside, rises above its previous minimum, J.
pub struct EnergyRise {
    lowest: f64,
    pub rise: f64,
}

impl EnergyRise {
    pub fn from(simulation: &FluidSimulation) -> Self {
        Self { lowest: Self::explained(simulation), rise: 0.0 }
    }

    fn explained(simulation: &FluidSimulation) -> f64 {
        energy(simulation) - simulation.last_step().external_work
    }

    /// Takes the state after a step into account.
    pub fn update(&mut self, simulation: &FluidSimulation) {
        let now = Self::explained(simulation);
        self.lowest = self.lowest.min(now);
        self.rise = self.rise.max(now - self.lowest);
    }
}

pub fn body_named<'a>(simulation: &'a FluidSimulation, name: &str) -> &'a Body {
    simulation.bodies().iter().find(|body| body.name == name).unwrap()
}

/// Positions of all particles, m.
pub fn positions(simulation: &FluidSimulation) -> impl Iterator<Item = DVec3> {
    simulation.particles().positions.iter().map(|position| position.as_dvec3())
}

/// m³, as in the definition of a particle's mass.
pub fn fluid_volume(simulation: &FluidSimulation) -> f64 {
    simulation.particle_count() as f64 * (2.0 * simulation.settings().particle_radius).powi(3)
}

/// Linear momentum, kg m/s, and angular momentum about the world origin, kg m²/s.
pub type Moments = (DVec3, DVec3);

/// Momentum of the particles.
pub fn fluid_momentum(simulation: &FluidSimulation) -> Moments {
    let mass = WATER * (2.0 * simulation.settings().particle_radius).powi(3);
    let particles = simulation.particles();
    let mut sum = (DVec3::ZERO, DVec3::ZERO);
    for (x, v) in particles.positions.iter().zip(&particles.velocities) {
        let (x, v) = (x.as_dvec3(), v.as_dvec3());
        sum = (sum.0 + mass * v, sum.1 + mass * x.cross(v));
    }
    sum
}

/// Momentum of a floating body, from its mass, inertia and velocities.
pub fn body_momentum(body: &Body) -> Moments {
    let rotation = glam::DMat3::from_quat(body.pose.rotation);
    let spin = rotation * (body.inertia * (rotation.transpose() * body.angular_velocity));
    let linear = body.mass * body.velocity;
    (linear, body.center().cross(linear) + spin)
}

/// Momentum of the particles and all floating bodies.
pub fn total_momentum(simulation: &FluidSimulation) -> Moments {
    let floating = simulation.bodies().iter().filter(|body| body.floating().is_some());
    floating.map(body_momentum).fold(fluid_momentum(simulation), |sum, of| (sum.0 + of.0, sum.1 + of.1))
}
