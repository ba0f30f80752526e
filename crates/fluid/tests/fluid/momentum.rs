//! Momentum conservation: of isolated fluid and floating bodies, and in the ledger with walls, paddles, locks and gravity.
//!
//! All sums are recomputed here from positions, velocities, masses and inertia; the simulation's own ledger is checked as well.

use std::f64::consts::PI;

use crate::common::{Moments, body_momentum, box_fill, closed_tank, cuboid, fixed, floating, fluid_momentum, moving, sample, thrown, with};
use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::{BodyDefinition, PrescribedMotion};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{DensitySolve, FluidSettings, FluidSimulation, Load, PressureSolver, TaitLaw};

const STEPS: u32 = 1000;
const TOLERANCE: f64 = 1e-5;
/// The same for the angular drift of bodies and blobs that collide. Particles that would pass through a wall are put back in front of it, which moves their
/// momentum sideways; the ledger books this. In the five steps in which a blob hits bodies at 8 m/s they cause nearly all of the drift of 4·10⁻⁵.
const ANGULAR: f64 = 1e-4;
const DFSPH: fn() -> PressureSolver = || PressureSolver::Dfsph(DensitySolve::default());
const WCSPH: fn() -> PressureSolver = || PressureSolver::Wcsph(TaitLaw { sound_speed: 40.0, exponent: 7.0 });

/// Events of a run, so that a test can check that it has tested something.
#[derive(Debug, Default)]
struct Seen {
    collisions: u64,
    body_contacts: u64,
    friction: f64,
    /// Impulse exchanged between fluid and bodies, linear and angular about the world origin, sum of absolute values.
    exchanged: (f64, f64),
}

impl Seen {
    fn look(&mut self, simulation: &FluidSimulation, loads: &[Moments]) {
        self.collisions += simulation.last_step().collisions;
        self.body_contacts += simulation.bodies().iter().filter(|body| body.contact_impulse.linear != DVec3::ZERO).count() as u64;
        self.friction += simulation.loads().iter().map(|load| load.friction.linear.length()).sum::<f64>();
        self.exchanged.0 += loads.iter().map(|load| load.0.length()).sum::<f64>();
        self.exchanged.1 += loads.iter().map(|load| load.1.length()).sum::<f64>();
    }
}

/// Impulses of the last step on each body, about the world origin. Pressure and friction act before the bodies move, collisions after.
fn loads(simulation: &FluidSimulation) -> Vec<Moments> {
    let of_body = |(body, load): (&plimsoll_bodies::Body, &Load)| {
        let Load { pressure, friction, collision } = *load;
        let early = pressure.linear + friction.linear;
        let old_center = body.previous_pose.transform_point(body.local_center);
        let angular = pressure.angular + friction.angular + old_center.cross(early) + collision.angular;
        (early + collision.linear, angular + body.center().cross(collision.linear))
    };
    simulation.bodies().iter().zip(simulation.loads()).map(of_body).collect()
}

fn difference(a: Moments, b: Moments) -> Moments {
    (a.0 - b.0, a.1 - b.1)
}

fn sum(a: Moments, b: Moments) -> Moments {
    (a.0 + b.0, a.1 + b.1)
}

fn total(simulation: &FluidSimulation) -> Moments {
    crate::common::total_momentum(simulation)
}

fn assert_small(what: &str, error: Moments, exchanged: (f64, f64)) {
    let (linear, angular) = (error.0.length() / exchanged.0, error.1.length() / exchanged.1);
    println!("{what}: linear {linear:.1e}, angular {angular:.1e}");
    assert!(linear < TOLERANCE && angular < ANGULAR, "{what}: {linear:.2e} and {angular:.2e} of the impulse exchanged");
}

/// Checks the simulation's own ledger.
fn assert_ledger_closes(simulation: &FluidSimulation) {
    let last = simulation.last_step();
    println!("ledger: linear {:.1e}, angular {:.1e}", last.momentum_error, last.angular_momentum_error);
    assert!(last.momentum_error < TOLERANCE, "{:.2e}", last.momentum_error);
    assert!(last.angular_momentum_error < TOLERANCE, "{:.2e}", last.angular_momentum_error);
}

fn weightless(pressure: PressureSolver, radius: f64, fills: Vec<plimsoll_fluid::Fill>) -> FluidSettings {
    FluidSettings { pressure, gravity: DVec3::ZERO, settle: false, ..crate::common::settings(radius, fills) }
}

/// Bodies of many shapes, with a twentieth to five times the density of water, thrown at fluid and at each other.
fn thrown_bodies() -> Vec<BodyDefinition> {
    let at = |x, y, z| Pose::new(DQuat::from_scaled_axis(DVec3::new(0.4, x, y)), DVec3::new(x, y, z));
    let cube = DVec3::splat(0.09);
    vec![
        thrown(floating("foam", cuboid(-cube, cube), at(0.25, 0.0, 0.25), 50.0), DVec3::new(-1.5, 0.2, 0.0), DVec3::new(2.0, 3.0, -1.0)),
        thrown(
            floating("lead", sample("sphere", DVec3::splat(0.16)), at(-0.25, 0.2, 0.25), 5000.0),
            DVec3::new(1.0, -0.5, 0.1),
            DVec3::new(0.0, 5.0, 0.0),
        ),
        thrown(
            floating("ring", sample("torus", DVec3::splat(0.3)), at(0.0, 0.3, 0.2), 700.0),
            DVec3::new(0.0, -1.0, 0.3),
            DVec3::new(1.0, 0.0, 4.0),
        ),
        thrown(
            floating("blade", sample("paddle", DVec3::splat(0.5)), at(0.1, -0.28, 0.2), 2000.0),
            DVec3::new(0.0, 1.0, 0.5),
            DVec3::new(-6.0, 2.0, 3.0),
        ),
    ]
}

/// Two blobs that fly past each other: fluid with angular momentum.
fn passing_blobs(speed: f64) -> Vec<plimsoll_fluid::Fill> {
    vec![
        box_fill(DVec3::new(-0.35, -0.25, -0.35), DVec3::new(0.0, 0.0, -0.05), DVec3::new(speed, 0.3 * speed, speed)),
        box_fill(DVec3::new(0.05, 0.05, -0.35), DVec3::new(0.35, 0.35, -0.05), DVec3::new(-speed, -0.2 * speed, speed)),
    ]
}

/// The minimum time step is so long that fast particles reach walls within one step.
fn left_to_themselves(pressure: PressureSolver, shell: bool, speed: f64, friction: f64) -> Seen {
    let mut bodies = thrown_bodies();
    if shell {
        let hollow = closed_tank([DVec3::splat(-0.42), DVec3::splat(0.42)], 0.03);
        bodies.push(thrown(floating("shell", hollow, Pose::IDENTITY, 300.0), DVec3::ZERO, DVec3::new(0.3, -0.5, 0.2)));
    }
    let mut settings = weightless(pressure, 0.02, passing_blobs(speed));
    settings.viscosity.wall = Some(friction);
    if shell {
        settings.time_step.minimum = if matches!(settings.pressure, PressureSolver::Dfsph(_)) { 2.5e-3 } else { 1e-6 };
    } else {
        // Everything stays near the origin, as single precision requires.
        settings.time_step.maximum = 1e-3;
    }
    let mut simulation = FluidSimulation::new(settings, bodies).unwrap();
    let start = total(&simulation);
    let mut seen = Seen::default();
    for _ in 0..STEPS {
        simulation.advance(f64::INFINITY).unwrap();
        seen.look(&simulation, &loads(&simulation));
    }
    println!("{} particles, {:.2} s, {seen:?}", simulation.particle_count(), simulation.time());
    assert!(seen.exchanged.0 > 1.0, "fluid and bodies met: {seen:?}");
    assert_small("drift", difference(total(&simulation), start), seen.exchanged);
    assert_ledger_closes(&simulation);
    seen
}

#[test]
fn fluid_and_bodies_in_empty_space_keep_their_momentum() {
    left_to_themselves(DFSPH(), false, 2.5, 0.0);
}

#[test]
fn a_hollow_body_and_all_that_is_in_it_keep_their_momentum() {
    let seen = left_to_themselves(DFSPH(), true, 8.0, 0.5);
    assert!(seen.collisions > 0 && seen.body_contacts > 0 && seen.friction > 0.0, "{seen:?}");
}

#[test]
fn weakly_compressible_fluid_keeps_its_momentum_with_the_bodies() {
    let seen = left_to_themselves(WCSPH(), true, 20.0, 0.5);
    assert!(seen.collisions > 0 && seen.body_contacts > 0 && seen.friction > 0.0, "{seen:?}");
}

/// A tank with an oscillating paddle, a block that can only move vertically and rotate about one axis, and a free block.
fn stirred_tank(free_pose: Pose) -> Vec<BodyDefinition> {
    let tank = sample("small_tank", DVec3::splat(0.6));
    let half = DVec3::new(0.06, 0.05, 0.07);
    let swing = PrescribedMotion::Sinusoid {
        amplitude: DVec3::new(0.1, 0.0, 0.02),
        rotation: DVec3::new(0.0, 0.6, 0.3),
        pivot: DVec3::new(0.3, 0.15, 0.3),
        frequency: 3.0,
        phase: 0.0,
    };
    let paddle = moving("paddle", sample("paddle", DVec3::splat(0.5)), Pose::from_translation(DVec3::new(0.3, 0.15, 0.3)), swing);
    let locked = with(floating("locked", cuboid(-half, half), Pose::from_translation(DVec3::new(0.1, 0.2, 0.1)), 400.0), |floating| {
        floating.locked_translation = [true, false, true];
        floating.locked_rotation = [true, false, true];
    });
    let free = with(floating("free", sample("sphere", DVec3::splat(0.12)), free_pose, 300.0), |floating| {
        floating.force = DVec3::new(0.5, 0.0, -0.3);
        floating.torque = DVec3::new(0.001, 0.002, 0.0);
    });
    vec![fixed("tank", tank, Pose::IDENTITY), paddle, locked, free]
}

/// For the fluid, the momentum change is gravity minus all loads on bodies. For each free body that touches no other, it is its load,
/// gravity and the applied impulse. The simulation's own ledger is not used.
fn stirred(pressure: PressureSolver, steps: u32) {
    let weakly_compressible = matches!(pressure, PressureSolver::Wcsph(_));
    let splash = DVec3::new(if weakly_compressible { 20.0 } else { 40.0 }, -2.0, 20.0);
    let fills = vec![
        box_fill(DVec3::ZERO, DVec3::new(0.6, 0.24, 0.6), DVec3::ZERO),
        box_fill(DVec3::new(0.2, 0.3, 0.2), DVec3::new(0.4, 0.38, 0.4), splash),
    ];
    let mut settings = FluidSettings { pressure, settle: false, ..crate::common::settings(0.02, fills) };
    settings.viscosity.wall = Some(0.05);
    if !weakly_compressible {
        settings.time_step.minimum = 2.5e-3;
    }
    settings.viscosity.kinematic = 1e-3;
    let bodies = stirred_tank(Pose::from_translation(DVec3::new(0.48, 0.25, 0.48)));
    let mut simulation = FluidSimulation::new(settings, bodies).unwrap();
    let gravity = simulation.settings().gravity;
    let particle_mass = crate::common::WATER * 0.04_f64.powi(3);
    let start = fluid_momentum(&simulation);
    let mut given = (DVec3::ZERO, DVec3::ZERO);
    let mut body_error = (DVec3::ZERO, DVec3::ZERO);
    let mut seen = Seen::default();
    for _ in 0..steps {
        let moment: DVec3 = crate::common::positions(&simulation).sum();
        let body = crate::common::body_named(&simulation, "free");
        let (before, old_center) = (body_momentum(body), body.center());
        simulation.advance(f64::INFINITY).unwrap();
        let dt = simulation.last_step().dt;
        let weight = particle_mass * gravity * dt;
        given = sum(given, (weight * simulation.particle_count() as f64, moment.cross(weight)));
        let loads = loads(&simulation);
        for load in &loads {
            given = difference(given, *load);
        }
        seen.look(&simulation, &loads);
        let body = crate::common::body_named(&simulation, "free");
        if body.contact_impulse.linear == DVec3::ZERO {
            let floating = body.floating().unwrap();
            let pull = (body.mass * gravity + floating.force) * dt;
            let expected = sum(loads[3], (pull, old_center.cross(pull) + floating.torque * dt));
            body_error = sum(body_error, difference(difference(body_momentum(body), before), expected));
        }
    }
    println!("{} particles, {:.2} s, {seen:?}", simulation.particle_count(), simulation.time());
    assert!(seen.collisions > 0 && seen.friction > 0.0, "{seen:?}");
    assert_small("fluid", difference(difference(fluid_momentum(&simulation), start), given), seen.exchanged);
    assert_small("free body", body_error, seen.exchanged);
    assert_ledger_closes(&simulation);
    let locked = crate::common::body_named(&simulation, "locked");
    let turned = locked.pose.rotation.to_scaled_axis();
    assert!(locked.pose.translation.x == 0.1 && locked.pose.translation.z == 0.1, "{}", locked.pose.translation);
    assert!(turned.x.abs() < 1e-9 && turned.z.abs() < 1e-9, "{turned}");
    assert!(locked.pose.translation.y != 0.2 && turned.y != 0.0 && turned.y.abs() < PI);
}

#[test]
fn the_ledger_of_a_stirred_tank_closes() {
    stirred(DFSPH(), STEPS);
}

#[test]
fn the_ledger_of_a_stirred_weakly_compressible_tank_closes() {
    stirred(WCSPH(), STEPS);
}

/// Bodies that fall onto the floor, onto each other and against a paddle: their contacts are external impulses.
#[test]
fn the_ledger_closes_when_bodies_pile_up_on_the_floor() {
    let mut bodies = stirred_tank(Pose::from_translation(DVec3::new(0.45, 0.4, 0.45)));
    let half = DVec3::new(0.07, 0.04, 0.05);
    for (place, density) in [(0, 2500.0), (1, 1500.0), (2, 4000.0)] {
        let pose = Pose::new(DQuat::from_rotation_z(0.3), DVec3::new(0.45, 0.1 + 0.1 * f64::from(place), 0.15));
        bodies.push(floating(&format!("block {place}"), cuboid(-half, half), pose, density));
    }
    let fill = vec![box_fill(DVec3::ZERO, DVec3::new(0.6, 0.24, 0.6), DVec3::ZERO)];
    let mut simulation = FluidSimulation::new(FluidSettings { settle: false, ..crate::common::settings(0.02, fill) }, bodies).unwrap();
    let mut seen = Seen::default();
    for _ in 0..STEPS {
        simulation.advance(f64::INFINITY).unwrap();
        seen.look(&simulation, &loads(&simulation));
    }
    println!("{:.2} s, {seen:?}", simulation.time());
    assert!(seen.body_contacts > 100, "{seen:?}");
    assert_ledger_closes(&simulation);
}
