//! Acceleration fields: motion of fluid and bodies, the tilted surface, steps, exact momentum and work, and errors.

use crate::common::{GRAVITY, box_fill, cuboid, fixed, floating, sample};
use glam::DVec3;
use plimsoll_base::math::{Aabb, Expression, Pose};
use plimsoll_bodies::BodyDefinition;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{AccelerationField, Fill, FluidSettings, FluidSimulation};

const RADIUS: f64 = 0.02;
/// Inner side of the tank, and depth of the pool, m.
const SIDE: f64 = 0.4;
const DEPTH: f64 = 0.2;

fn field(components: [&str; 3]) -> AccelerationField {
    AccelerationField::everywhere(components.map(|text| Expression::parse(text).unwrap()))
}

fn with_fields(fills: Vec<Fill>, fields: Vec<AccelerationField>) -> FluidSettings {
    FluidSettings { acceleration_fields: fields, ..crate::common::settings(RADIUS, fills) }
}

/// A cube of fluid in empty space without gravity.
fn free_block(fields: Vec<AccelerationField>) -> FluidSettings {
    let block = box_fill(DVec3::ZERO, DVec3::splat(0.2), DVec3::ZERO);
    FluidSettings { gravity: DVec3::ZERO, settle: false, ..with_fields(vec![block], fields) }
}

fn tank() -> BodyDefinition {
    fixed("tank", sample("small_tank", DVec3::new(SIDE, 1.2, SIDE)), Pose::IDENTITY)
}

fn pool() -> Fill {
    box_fill(DVec3::ZERO, DVec3::new(SIDE, DEPTH, SIDE), DVec3::ZERO)
}

fn center_of_mass(simulation: &FluidSimulation) -> DVec3 {
    crate::common::positions(simulation).sum::<DVec3>() / simulation.particle_count() as f64
}

#[test]
fn a_free_block_moves_by_the_integral_of_the_field() {
    let mut simulation = FluidSimulation::new(free_block(vec![field(["sin(t)", "0.5", "0"])]), Vec::new()).unwrap();
    let (before, mut longest) = (center_of_mass(&simulation), 0.0_f64);
    crate::common::run(&mut simulation, 2.0, |simulation| longest = longest.max(simulation.last_step().dt));
    let t = 2.0_f64;
    let (velocity, distance) = (DVec3::new(1.0 - t.cos(), 0.5 * t, 0.0), DVec3::new(t - t.sin(), 0.25 * t * t, 0.0));
    let moved = center_of_mass(&simulation) - before;
    let mass = 1000.0 * crate::common::fluid_volume(&simulation);
    let found = crate::common::fluid_momentum(&simulation).0 / mass;
    println!("velocity off by {:.1e} m/s, distance by {:.1e} m", (found - velocity).length(), (moved - distance).length());
    assert!((found - velocity).length() < 2e-5, "{found} {velocity}");
    // Positions are of first order in the step.
    assert!((moved - distance).length() < longest * velocity.length(), "{moved} {distance}");
    let last = simulation.last_step();
    let rise = last.kinetic_energy - last.external_work;
    assert!(rise.abs() < 1e-6 * last.external_work, "{rise} J of {}", last.external_work);
}

/// In a tank that is accelerated, the surface is perpendicular to the sum of gravity and field, and the field pushes the fluid's whole mass
/// against the walls. The slope follows from the center of mass: it moves by `slope · L²/(12 H)`.
#[test]
fn the_surface_of_an_accelerated_tank_tilts() {
    let mut simulation = FluidSimulation::new(with_fields(vec![pool()], vec![field(["min(t, 2)", "0", "0"])]), vec![tank()]).unwrap();
    let before = center_of_mass(&simulation);
    crate::common::run(&mut simulation, 5.0, |_| {});
    let (mut moved, mut force, mut time) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    crate::common::run(&mut simulation, 3.0, |simulation| {
        let dt = simulation.last_step().dt;
        moved += dt * (center_of_mass(simulation) - before);
        force += simulation.loads()[0].total().linear;
        time += dt;
    });
    let depth = crate::common::fluid_volume(&simulation) / (SIDE * SIDE);
    let tilt = (12.0 * depth * moved.x / time / (SIDE * SIDE)).atan().to_degrees();
    let expected = (2.0 / GRAVITY).atan().to_degrees();
    let weight = 1000.0 * crate::common::fluid_volume(&simulation);
    println!("tilt {tilt:.2}°, expected {expected:.2}°; force on the tank over mass {:.4?} m/s²", force / time / weight);
    assert!((tilt - expected).abs() < 1.0, "{tilt}° {expected}°");
    assert!((force / time / weight - DVec3::new(2.0, -GRAVITY, 0.0)).length() < 0.02, "{}", force / time / weight);
    assert!(simulation.last_step().momentum_error < 1e-6);
}

fn with_a_box(fields: Vec<AccelerationField>) -> FluidSimulation {
    let settings = FluidSettings { settle: false, ..with_fields(vec![pool()], fields) };
    let mesh = cuboid(DVec3::splat(-0.06), DVec3::splat(0.06));
    let float = floating("box", mesh, Pose::from_translation(DVec3::new(0.2, 0.27, 0.2)), 500.0);
    FluidSimulation::new(settings, vec![tank(), float]).unwrap()
}

/// Fields that depend on place and time and act on parts of the fluid, with a floating box.
fn several() -> Vec<AccelerationField> {
    let half = Some(Aabb { min: DVec3::ZERO, max: DVec3::new(0.2, 1.0, 1.0) });
    vec![
        field(["3*sin(8*t)", "0", "cos(8*t)*exp(-(z - 0.2)^2)"]),
        AccelerationField { region: half, start: 0.1, end: Some(0.33), bodies: false, ..field(["0", "4 - 30*y", "-5*step(y - 0.1)"]) },
    ]
}

#[test]
fn momentum_is_exact_with_fields_and_a_floating_box() {
    let mut simulation = with_a_box(several());
    let (mut lowest, mut rise) = (f64::INFINITY, 0.0_f64);
    crate::common::run(&mut simulation, 1.0, |simulation| {
        let last = simulation.last_step();
        let energy = last.kinetic_energy + last.potential_energy - last.external_work;
        lowest = lowest.min(energy);
        rise = rise.max(energy - lowest);
    });
    let last = simulation.last_step();
    println!("momentum error {:.1e}, angular {:.1e}; energy rises by {rise:.1e} J", last.momentum_error, last.angular_momentum_error);
    assert!(last.momentum_error < 1e-6 && last.angular_momentum_error < 1e-4, "{last:?}");
    assert!(rise < 0.03, "{rise}");
    assert_eq!(simulation.totals().leaked, 0);
}

/// The body is far from the fluid, so that only fields move it.
#[test]
fn bodies_feel_the_fields_in_which_their_center_of_mass_is() {
    let near = |x: f64| Some(Aabb { min: DVec3::splat(x - 0.1), max: DVec3::splat(x + 0.1) });
    for (region, bodies, expected) in [(None, true, 1.0), (near(2.0), true, 1.0), (near(1.8), true, 0.0), (None, false, 0.0)] {
        let field = AccelerationField { region, bodies, ..field(["20*t", "0", "0"]) };
        let cube = floating("cube", cuboid(DVec3::splat(-0.05), DVec3::splat(0.05)), Pose::from_translation(DVec3::splat(2.0)), 500.0);
        let mut simulation = FluidSimulation::new(free_block(vec![field]), vec![cube]).unwrap();
        crate::common::run(&mut simulation, 0.1, |_| {});
        let velocity = simulation.bodies()[0].velocity;
        assert!((velocity - DVec3::new(0.1 * expected, 0.0, 0.0)).length() < 1e-6, "{region:?} {bodies}: {velocity}");
        let last = simulation.last_step();
        assert!((last.kinetic_energy - last.external_work).abs() < 1e-5 * last.external_work.max(1.0), "{last:?}");
    }
}

/// Without gravity, only the field limits the step: nothing may travel farther in one than the CFL condition allows, not even in the first.
#[test]
fn a_strong_field_shortens_the_step() {
    let later = AccelerationField { start: 0.0123, end: Some(0.03), ..field(["5000 + 1e4*y", "0", "0"]) };
    // A field everywhere that does not depend on the place would not limit the steps of fluid without bodies.
    let region = Some(Aabb { min: DVec3::splat(-10.0), max: DVec3::splat(10.0) });
    let uniform = AccelerationField { region, ..field(["5000", "0", "0"]) };
    for field in [uniform, later] {
        let mut simulation = FluidSimulation::new(free_block(vec![field]), Vec::new()).unwrap();
        let mut farthest = 0.0_f64;
        crate::common::run(&mut simulation, 0.04, |simulation| {
            farthest = farthest.max(simulation.last_step().max_speed * simulation.last_step().dt);
        });
        println!("fastest particle: {:.3} diameters in a step", farthest / (2.0 * RADIUS));
        assert!(farthest < 1.5 * 0.5 * 2.0 * RADIUS, "{farthest} m");
        assert!(simulation.last_step().max_speed > 80.0);
    }
}

#[test]
fn restarts_and_threads_change_nothing() {
    let end = 0.25;
    let run = |threads: usize, restart: bool| {
        let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        workers.install(|| {
            let mut simulation = with_a_box(several());
            crate::common::run(&mut simulation, 0.1, |_| {});
            simulation.advance(end).unwrap();
            if restart {
                simulation = plimsoll_saved::fluid::restored(&simulation);
            }
            let left = end - simulation.time();
            crate::common::run(&mut simulation, left, |_| {});
            (simulation.particles().positions.clone(), simulation.bodies()[1].pose, simulation.last_step().external_work)
        })
    };
    let expected = run(2, false);
    assert_eq!(run(2, true), expected);
    assert_eq!(run(1, false), expected);
    assert_eq!(run(5, false), expected);
}

#[test]
fn a_value_that_is_not_finite_ends_the_run() {
    let mut settings = free_block(vec![field(["1", "0", "0"]), field(["0", "sqrt(0.05 - t)*x", "0"])]);
    settings.origin = DVec3::new(7.0, 0.0, 0.0);
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    let error = loop {
        assert!(simulation.time() < 0.1);
        if let Err(error) = simulation.advance(0.1) {
            break error;
        }
    };
    let text = error.to_string();
    println!("{text}");
    assert!(text.contains("acceleration field 2 is NaN m/s² along y at [7."), "{text}");
    assert!(text.contains("`sqrt(0.05 - t)*x`") && text.contains("Try: change the expression"), "{text}");
    assert!((0.04..0.06).contains(&error.time) && error.step == simulation.steps() + 1, "{error:?}");
}
