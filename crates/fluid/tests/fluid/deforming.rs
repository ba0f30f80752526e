//! Bodies that deform: the same flow as with the rigid motion, volumes, work, momentum, leaks, restarts.

use std::{f64::consts::PI, sync::Arc};

use crate::common::{GRAVITY, WATER, body_named, box_fill, closed_tank, cuboid, fixed, floating, moving, positions, sample, with};
use crate::restarts::assert_a_restart_changes_nothing;
use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::{BodyDefinition, Deformation, PrescribedMotion};
use plimsoll_contract::simulator::{Simulator, Unwatched};
use plimsoll_fluid::{ContinuationError, FluidSettings, FluidSimulation, Viscosity, ViscositySolver};
use plimsoll_shape::{InsideTest, TriangleMesh};

/// Inner side of the tank, and depth of the pool, m.
const SIDE: f64 = 0.4;
const DEPTH: f64 = 0.2;
/// Height of a bump in the floor, m.
const BUMP: f64 = 0.12;

const AT_REST: PrescribedMotion = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::ZERO, pivot: DVec3::ZERO };

/// A body with the shapes `shape(n, vertex)` of `mesh`, with this motion of its coordinates.
fn deforming(
    name: &str,
    mesh: TriangleMesh,
    motion: PrescribedMotion,
    (interval, repeats, count): (f64, bool, usize),
    shape: impl Fn(f64, DVec3) -> DVec3,
) -> BodyDefinition {
    let shapes: Vec<Vec<DVec3>> =
        (0..count).map(|number| mesh.vertices.iter().map(|&vertex| shape(interval * number as f64, vertex)).collect()).collect();
    let first = TriangleMesh { vertices: shapes[0].clone(), ..mesh };
    let deformation = Arc::new(Deformation { interval, repeats, shapes });
    moving(name, first, Pose::IDENTITY, PrescribedMotion::Deforming { motion: Box::new(motion), deformation })
}

/// An open basin of four walls and a floor of cells; the rim of the floor is at y = 0.
fn basin(cells: u32) -> TriangleMesh {
    let step = SIDE / f64::from(cells);
    let mut vertices: Vec<DVec3> =
        (0..=cells).flat_map(|k| (0..=cells).map(move |i| DVec3::new(f64::from(i) * step, 0.0, f64::from(k) * step))).collect();
    let at = |i: u32, k: u32| k * (cells + 1) + i;
    let mut triangles: Vec<[u32; 3]> = (0..cells)
        .flat_map(|k| {
            (0..cells).flat_map(move |i| [[at(i, k), at(i, k + 1), at(i + 1, k)], [at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)]])
        })
        .collect();
    let corners = [DVec3::ZERO, DVec3::new(SIDE, 0.0, 0.0), DVec3::new(SIDE, 0.0, SIDE), DVec3::new(0.0, 0.0, SIDE)];
    for (from, to) in (0..4).map(|side| (corners[side], corners[(side + 1) % 4])) {
        let first = vertices.len() as u32;
        vertices.extend([from, to, to + 2.0 * SIDE * DVec3::Y, from + 2.0 * SIDE * DVec3::Y]);
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    TriangleMesh { vertices, triangles }
}

/// The basin whose floor rises to a bump within `rise` seconds.
fn rising_floor(rise: f64) -> BodyDefinition {
    let bump = move |time: f64, x: DVec3| {
        let shape = ((PI * x.x / SIDE).sin() * (PI * x.z / SIDE).sin()).powi(2);
        let height = 0.5 * BUMP * (1.0 - (PI * time / rise).cos());
        if x.y == 0.0 { x + height * shape * DVec3::Y } else { x }
    };
    deforming("basin", basin(16), AT_REST, (rise / 10.0, false, 11), bump)
}

fn pool(radius: f64) -> FluidSettings {
    crate::common::settings(radius, vec![box_fill(DVec3::ZERO, DVec3::new(SIDE, DEPTH, SIDE), DVec3::ZERO)])
}

/// Mean height of the particles, m.
fn mean_height(simulation: &FluidSimulation) -> f64 {
    positions(simulation).map(|x| x.y).sum::<f64>() / simulation.particle_count() as f64
}

/// `∫ h dA` and `∫ h²/2 dA` of the bump over its base, for a surface that is flat: mean height of the fluid above y = 0.
fn expected_height(volume: f64) -> f64 {
    let area = SIDE * SIDE;
    let (bump, squares) = (BUMP * area / 4.0, BUMP * BUMP * area * 9.0 / 64.0);
    let surface = (volume + bump) / area;
    (0.5 * surface * surface * area - 0.5 * squares) / volume
}

/// A floor that rises lifts the water by the volume of the bump, and its work is the potential energy that the water gains.
#[test]
fn a_rising_floor_lifts_the_water() {
    let mut simulation = FluidSimulation::new(pool(0.0125), vec![rising_floor(1.5)]).unwrap();
    let before = mean_height(&simulation);
    crate::common::run(&mut simulation, 2.3, |_| {});
    let (mut force, mut height, mut time) = (DVec3::ZERO, 0.0, 0.0);
    crate::common::run(&mut simulation, 0.5, |simulation| {
        let dt = simulation.last_step().dt;
        force += simulation.loads()[0].total().linear;
        height += dt * mean_height(simulation);
        time += dt;
    });
    let volume = crate::common::fluid_volume(&simulation);
    let (rise, expected) = (height / time - before, expected_height(volume) - 0.5 * volume / (SIDE * SIDE));
    let weight = WATER * volume * GRAVITY;
    let (gain, last) = (weight * rise, simulation.last_step());
    println!("rise {rise:.5} m, expected {expected:.5}; work {:.4} J, energy gained {gain:.4} J", last.external_work);
    println!(
        "force over weight {:.5}; kinetic energy {:.1e} J, momentum error {:.1e}",
        -force.y / time / weight,
        last.kinetic_energy,
        last.momentum_error
    );
    // The surface is 0.03 radii higher than it should be.
    assert!((rise / expected - 1.0).abs() < 0.02, "{rise} {expected}");
    // Waves that have died down are the rest.
    assert!((1.0..1.04).contains(&(last.external_work / gain)), "{} {gain}", last.external_work);
    assert!((force.y / time / weight + 1.0).abs() < 2e-3, "{force}");
    assert!(last.leaked == 0 && last.momentum_error < 1e-6, "{last:?}");
}

/// A beaker of fluid in which a plunger moves for half a second: the mean force on it (N) in slices of 0.05 s.
fn forces(body: BodyDefinition, viscosity: Viscosity) -> (Vec<DVec3>, FluidSimulation) {
    let tank = fixed("tank", sample("small_tank", DVec3::new(SIDE, 1.2, SIDE)), Pose::IDENTITY);
    let mut simulation = FluidSimulation::new(FluidSettings { viscosity, settle: false, ..pool(0.0125) }, vec![tank, body]).unwrap();
    let slice = |_| {
        let mut force = DVec3::ZERO;
        crate::common::run(&mut simulation, 0.05, |simulation| force += simulation.loads()[1].total().linear);
        force / 0.05
    };
    ((0..10).map(slice).collect(), simulation)
}

/// A body whose shapes are those of a rigid motion is pushed as the body with that motion, by pressure and by both kinds of friction, does the same
/// work, and turns with its own motion.
#[test]
fn a_body_that_deforms_as_it_would_move_drives_the_same_flow() {
    let kinematic = |kinematic, solver| Viscosity { kinematic, solver, ..Viscosity::default() };
    for viscosity in [Viscosity::default(), kinematic(1e-3, ViscositySolver::Explicit), kinematic(1e-2, ViscositySolver::Implicit)] {
        let mesh = cuboid(DVec3::new(-0.05, -0.1, -0.1), DVec3::new(0.05, 0.1, 0.1));
        let (period, amplitude, rotation, pivot) =
            (0.8, DVec3::new(0.02, 0.05, 0.0), DVec3::new(0.0, 0.4, 0.0), DVec3::new(0.15, 0.2, 0.2));
        let at = |body: BodyDefinition| BodyDefinition { pose: Pose::from_translation(pivot), ..body };
        let sinusoid = |amplitude, rotation| PrescribedMotion::Sinusoid { amplitude, rotation, pivot, frequency: 1.0 / period, phase: 0.0 };
        let (expected, twin) = forces(at(moving("plunger", mesh.clone(), Pose::IDENTITY, sinusoid(amplitude, rotation))), viscosity);
        let size = expected.iter().map(|force| force.length()).fold(0.0, f64::max);
        let times = (period / 40.0, true, 40);
        let sine = |time: f64| (2.0 * PI * time / period).sin();
        // In body coordinates, which the second motion turns.
        let turned = |time: f64, x: DVec3| DQuat::from_scaled_axis(rotation * sine(time)) * x + amplitude * sine(time);
        let shifted = |time: f64, x: DVec3| x + DQuat::from_scaled_axis(-rotation * sine(time)) * (amplitude * sine(time));
        for (name, body) in [
            ("shapes", deforming("plunger", mesh.clone(), AT_REST, times, turned)),
            ("shapes and motion", deforming("plunger", mesh, sinusoid(DVec3::ZERO, rotation), times, shifted)),
        ] {
            let body = at(body);
            let (found, simulation) = forces(body, viscosity);
            let most = expected.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            let (last, work) = (simulation.last_step(), twin.last_step().external_work);
            println!("{name}: forces up to {size:.3} N differ by up to {most:.3} N; work {:.4} and {work:.4} J", last.external_work);
            // The integrals of the two differ in their last digits; the noise of particles makes this 1 to 3 % of the mean of ten steps.
            assert!(most < 0.03 * size, "{name}: {most} of {size}");
            // A rigid body keeps its velocity over a step, a vertex its direction: they differ in first order.
            assert!((last.external_work - work).abs() < 0.03 * work.abs(), "{name}: {} {work}", last.external_work);
            assert!(last.momentum_error < 1e-6 && last.leaked == 0, "{last:?}");
        }
    }
}

/// A ball that beats under water next to a floating box, fast enough to throw water up.
fn beating(period: f64) -> FluidSimulation {
    let tank = fixed("tank", closed_tank([DVec3::ZERO, DVec3::new(SIDE, 0.6, SIDE)], 0.05), Pose::IDENTITY);
    let center = DVec3::new(0.2, 0.14, 0.2);
    let beat = |time: f64, x: DVec3| center + x * (1.0 + 0.5 * (2.0 * PI * time / period).sin() * (3.0 * x.y / 0.08).cos());
    let heart = deforming("heart", sample("sphere", DVec3::splat(0.16)), AT_REST, (period / 16.0, true, 16), beat);
    let place = Pose::from_translation(DVec3::new(0.08, 0.28, 0.1));
    let float = floating("float", cuboid(DVec3::splat(-0.03), DVec3::splat(0.03)), place, 600.0);
    FluidSimulation::new(FluidSettings { settle: false, ..pool(0.0125) }, vec![tank, heart, float]).unwrap()
}

#[test]
fn a_beating_ball_lets_nothing_through() {
    let mut simulation = beating(0.2);
    let (mut inside, mut stopped) = (0, 0);
    crate::common::run(&mut simulation, 2.0, |simulation| {
        let surface = InsideTest::new(&body_named(simulation, "heart").mesh);
        inside += positions(simulation).filter(|&x| surface.contains(x)).count();
        stopped += simulation.last_step().collisions;
    });
    let last = simulation.last_step();
    println!("{stopped} stopped, momentum error {:.1e}, angular {:.1e}", last.momentum_error, last.angular_momentum_error);
    assert!(stopped > 0, "the check of paths is at work");
    assert_eq!((last.leaked, inside), (0, 0));
    assert!(last.momentum_error < 1e-6 && last.angular_momentum_error < 1e-6, "{last:?}");
}

/// In water at rest, the surface is the fastest thing, and the first step is no longer than it may be for its speed.
#[test]
fn a_fast_surface_shortens_the_steps() {
    let mut simulation = beating(0.02);
    simulation.advance(1.0).unwrap();
    let way = simulation.settings().time_step.cfl * 2.0 * simulation.settings().particle_radius;
    let (dt, deformation) = (simulation.last_step().dt, body_named(&simulation, "heart").deformation().unwrap().clone());
    let moved = dt * deformation.max_speed(0.0, dt);
    println!("step {dt:.2e} s, in which the surface moves {:.2} of the way allowed", moved / way);
    assert!(dt < 0.5 * simulation.settings().time_step.maximum && (0.3..1.05).contains(&(moved / way)), "{dt} s, {moved} m of {way} m");
}

#[test]
fn a_restart_and_other_numbers_of_threads_change_nothing() {
    let mut simulation = beating(0.4);
    crate::common::run(&mut simulation, 0.13, |_| {});
    assert_a_restart_changes_nothing(&mut simulation, 0.05);
}

/// A body continues with the same sequence, and a sequence that begins with another shape is refused.
#[test]
fn a_new_run_continues_a_sequence() {
    let mut simulation = FluidSimulation::new(FluidSettings { settle: false, ..pool(0.02) }, vec![rising_floor(1.0)]).unwrap();
    crate::common::run(&mut simulation, 0.31, |_| {});
    let time = simulation.time();
    let continued = |body: BodyDefinition, time: f64| {
        let saved = plimsoll_saved::fluid::restored(&simulation);
        FluidSimulation::continue_from(FluidSettings { settle: false, ..pool(0.02) }, vec![body], saved, time, &Unwatched)
    };
    let (mut other, _) = continued(rising_floor(1.0), time).unwrap();
    let Err(ContinuationError::Bodies(mismatches)) = continued(rising_floor(1.0), 0.0) else { panic!("the floor has risen since") };
    assert!(mismatches.len() == 1 && mismatches[0].found.contains("shape at 0 s"), "{mismatches:?}");
    crate::common::run(&mut simulation, 0.2, |_| {});
    crate::common::run(&mut other, 0.2, |_| {});
    assert_eq!(other.bodies()[0].mesh, simulation.bodies()[0].mesh);
    assert_eq!(other.particles().positions, simulation.particles().positions);
}

/// A floating box rests on a floor that rises, and is lifted by it.
#[test]
fn a_floating_body_is_lifted_by_a_rising_floor() {
    let stone =
        floating("stone", cuboid(DVec3::splat(-0.05), DVec3::splat(0.05)), Pose::from_translation(DVec3::new(0.2, 0.051, 0.2)), 2500.0);
    let stone = with(stone, |floating| floating.locked_rotation = [true; 3]);
    let settings = FluidSettings { settle: false, ..pool(0.02) };
    let mut simulation = FluidSimulation::new(settings, vec![rising_floor(1.0), stone]).unwrap();
    crate::common::run(&mut simulation, 1.5, |_| {});
    let bottom = body_named(&simulation, "stone").center().y - 0.05;
    println!("bottom of the stone at {bottom:.4} m, top of the floor at {BUMP} m");
    assert!((bottom - BUMP).abs() < 0.005, "{bottom}");
    assert!(simulation.last_step().leaked == 0 && simulation.last_step().momentum_error < 1e-6);
}
