//! Periodic axes: nothing happens at their ends, to fluid or bodies, and momentum is conserved across them.

use crate::common::{box_fill, cuboid, fixed, floating, moving, thrown, total_momentum};
use glam::{DQuat, DVec3};
use plimsoll_base::math::{Domain, Pose};
use plimsoll_bodies::{BodyDefinition, PrescribedMotion};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{DensitySolve, FluidSettings, FluidSimulation, PressureSolver, Viscosity};

const RADIUS: f64 = 0.025;
/// Length of the period along x, and width of the channel along z.
const LENGTH: f64 = 1.0;
const WIDTH: f64 = 0.6;

fn along_x(low: f64) -> Domain {
    Domain { low: DVec3::new(low, 0.0, 0.0), size: DVec3::new(LENGTH, 0.0, 0.0), periodic: [true, false, false], dimension: 3 }
}

/// A channel between two walls, periodic along x from `low`, with two bodies and a stirrer in it; everything is shifted by `shift`.
fn channel(low: f64, shift: f64, length: f64) -> FluidSimulation {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x + shift, y, z));
    let middle = 0.5 * LENGTH + shift;
    let plate = |low: DVec3, high: DVec3| cuboid(DVec3::new(-0.5 * length, low.y, low.z), DVec3::new(0.5 * length, high.y, high.z));
    let bodies = vec![
        fixed("bed", plate(DVec3::new(0.0, -0.1, -0.1), DVec3::new(0.0, 0.0, WIDTH + 0.1)), at(0.5 * LENGTH, 0.0, 0.0)),
        fixed("left", plate(DVec3::new(0.0, 0.0, -0.1), DVec3::new(0.0, 1.0, 0.0)), at(0.5 * LENGTH, 0.0, 0.0)),
        fixed("right", plate(DVec3::new(0.0, 0.0, WIDTH), DVec3::new(0.0, 1.0, WIDTH + 0.1)), at(0.5 * LENGTH, 0.0, 0.0)),
        // Between lattice points: a lattice that does not fit is changed at places that depend on where it begins.
        tumbling("cube", at(0.7, 0.27, 0.3)),
        tumbling("brick", at(0.2, 0.27, 0.35)),
        moving(
            "stirrer",
            cuboid(DVec3::new(-0.04, -0.1, -0.04), DVec3::new(0.04, 0.1, 0.04)),
            at(0.5, 0.15, 0.15),
            PrescribedMotion::Constant { linear: DVec3::X * 1.5, angular: DVec3::Y * 4.0, pivot: DVec3::new(middle, 0.15, 0.15) },
        ),
    ];
    let fills = water(low, shift);
    let viscosity = Viscosity { wall: Some(0.05), ..Viscosity::default() };
    // The order of particles and the place of the preconditioner's grids differ between runs that are compared, so that only the solution of a
    // solve is the same.
    let pressure = DensitySolve { density_tolerance: 1e-5, divergence_tolerance: 1e-4, ..DensitySolve::default() };
    let pressure = PressureSolver::Dfsph(pressure);
    let settings = FluidSettings { domain: along_x(low), settle: false, viscosity, pressure, ..crate::common::settings(RADIUS, fills) };
    FluidSimulation::new(settings, bodies).unwrap()
}

fn tumbling(name: &str, pose: Pose) -> BodyDefinition {
    let mesh = cuboid(DVec3::new(-0.1, -0.07, -0.08), DVec3::new(0.1, 0.07, 0.08));
    thrown(floating(name, mesh, pose, 500.0), DVec3::new(0.8, -0.5, 0.1), DVec3::new(1.0, 3.0, -2.0))
}

/// Water of one period, `shift` further along x; cut in two where it leaves the domain that begins at `low`.
fn water(low: f64, shift: f64) -> Vec<plimsoll_fluid::Fill> {
    let parts = [(low, shift.rem_euclid(LENGTH) + low), (shift.rem_euclid(LENGTH) + low, low + LENGTH)];
    let wet = parts.into_iter().filter(|(from, to)| to - from > 1e-9);
    wet.map(|(from, to)| box_fill(DVec3::new(from, 0.0, 0.0), DVec3::new(to, 0.3, WIDTH), DVec3::new(0.5, 0.0, 0.0))).collect()
}

/// The same scene, once with its bodies in the middle of the domain and once across its ends, has the same densities, pressures, velocities
/// and forces.
#[test]
fn nothing_depends_on_where_the_domain_begins() {
    let run = |shift: f64| {
        let mut simulation = channel(0.0, shift, 3.0 * LENGTH);
        (0..4).for_each(|_| simulation.advance(1.0).unwrap());
        simulation
    };
    // By id along the lattice of the reference.
    let state = |simulation: &FluidSimulation, shift: f64| {
        let particles = simulation.particles();
        let of = |i: usize| {
            let (x, v) = (particles.positions[i].as_dvec3(), particles.velocities[i].as_dvec3());
            let x = DVec3::new((x.x - shift).rem_euclid(LENGTH), x.y, x.z);
            ((x / (2.0 * RADIUS) - 0.1).floor().as_ivec3().to_array(), v, particles.pressure(i))
        };
        let mut state: Vec<_> = (0..particles.len()).map(of).collect();
        state.sort_by_key(|(cell, ..)| *cell);
        state
    };
    let reference = run(0.0);
    let expected = state(&reference, 0.0);
    let mean_pressure = expected.iter().map(|(.., p)| p).sum::<f32>() / expected.len() as f32;
    for shift in [0.3, 0.5, 0.75] {
        let other = run(shift);
        let found = state(&other, shift);
        assert!(found.iter().zip(&expected).all(|(a, b)| a.0 == b.0), "not the same lattice");
        let faster = found.iter().zip(&expected).map(|(a, b)| a.1.distance(b.1)).fold(0.0, f64::max);
        let pressed = found.iter().zip(&expected).map(|(a, b)| (a.2 - b.2).abs()).fold(0.0, f32::max) / mean_pressure;
        println!("shift {shift}: velocities within {faster:.1e} m/s, pressures within {pressed:.1e} of the mean");
        assert!(faster < 1e-3 && pressed < 1e-2, "{faster} m/s, {pressed}");
        for (one, two) in reference.bodies().iter().zip(other.bodies()) {
            let apart = along_x(0.0).nearest_image(two.center() - one.center() - shift * DVec3::X).length();
            let faster = (one.velocity - two.velocity).length() + (one.angular_velocity - two.angular_velocity).length() * 0.1;
            println!("  {}: {apart:.1e} m, {faster:.1e} m/s", one.name);
            assert!(apart < 1e-6 && faster < 1e-4, "{}: {apart} m apart, {faster} m/s faster", one.name);
        }
    }
}

/// Plates of one period, of several, and of less than two repeat themselves alike.
#[test]
fn walls_may_be_longer_than_the_period() {
    let densities = |length: f64| {
        let mut simulation = channel(0.0, 0.0, length);
        simulation.advance(1.0).unwrap();
        let mut densities = simulation.particles().relative_densities.clone();
        densities.sort_by(f32::total_cmp);
        (densities, simulation.last_step().contacts)
    };
    let (expected, contacts) = densities(3.0 * LENGTH);
    for length in [LENGTH, LENGTH + 0.01, 1.7 * LENGTH] {
        let (found, found_contacts) = densities(length);
        let worst = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        println!("{length} m: {worst:.1e}");
        assert!(
            worst < 1e-5 && contacts == found_contacts,
            "{length} m: densities differ by {worst}, {found_contacts} contacts, {contacts}"
        );
    }
}

#[test]
fn momentum_is_conserved_across_the_ends() {
    let mut simulation = channel(0.0, 0.3, LENGTH);
    let before = total_momentum(&simulation).0.x;
    let (mut exchanged, mut pushed, mut wraps) = (0.0, 0.0, 0);
    let mut last: Vec<f64> = simulation.bodies().iter().map(|body| body.wrapped.x).collect();
    crate::common::run(&mut simulation, 2.0, |simulation| {
        exchanged += simulation.loads().iter().map(|load| load.total().linear.length()).sum::<f64>();
        let walls = simulation.bodies().iter().zip(simulation.loads()).filter(|(body, _)| body.floating().is_none());
        pushed += walls.map(|(_, load)| load.total().linear.x).sum::<f64>();
        let now: Vec<f64> = simulation.bodies().iter().map(|body| body.wrapped.x).collect();
        wraps += now.iter().zip(&last).filter(|(a, b)| a != b).count();
        last = now;
    });
    let after = total_momentum(&simulation).0.x;
    // Bodies also touch the walls: those impulses are in the ledger only.
    let step = simulation.last_step();
    println!("{wraps} bodies went through an end; ledger {:.1e}, angular {:.1e}", step.momentum_error, step.angular_momentum_error);
    println!("momentum along x {before} to {after}, from walls {pushed}, exchanged {exchanged}");
    assert!(wraps >= 3, "{wraps}");
    assert_eq!(simulation.totals().leaked, 0);
    assert!(step.momentum_error < 1e-6 && step.angular_momentum_error < 1e-6);
}

/// Water without walls, periodic along all axes, drifts through the ends as if there were none.
#[test]
fn uniform_flow_stays_uniform() {
    let size = 0.4;
    let velocity = DVec3::new(1.3, -0.7, 0.4);
    let domain = Domain { low: DVec3::splat(-0.1), ..Domain::periodic(DVec3::splat(size)) };
    let fill = box_fill(domain.low, domain.high(), velocity);
    let settings = FluidSettings { domain, gravity: DVec3::ZERO, settle: false, ..crate::common::settings(RADIUS, vec![fill]) };
    let mut simulation = FluidSimulation::new(settings, vec![]).unwrap();
    assert_eq!(simulation.particle_count(), 512);
    crate::common::run(&mut simulation, 1.0, |_| {});
    let particles = simulation.particles();
    let worst = particles.velocities.iter().map(|v| (v.as_dvec3() - velocity).length()).fold(0.0, f64::max);
    let [lightest, densest] = [f32::min, f32::max].map(|pick| particles.relative_densities.iter().copied().reduce(pick).unwrap());
    println!("velocities differ by {worst:.1e} m/s, densities from {lightest} to {densest}");
    assert!(worst < 1e-3, "{worst}");
    assert!(densest - lightest < 1e-4 && (densest - 1.0).abs() < 0.01);
    let within = |x: &glam::Vec3A| x.as_dvec3().cmpge(domain.low - 1e-2).all() && x.as_dvec3().cmple(domain.high() + 1e-2).all();
    assert!(particles.positions.iter().all(within));
}

/// Two bodies that meet at the end of the domain bounce as they do in the middle.
#[test]
fn bodies_collide_across_the_ends() {
    let run = |shift: f64| {
        let mesh = || cuboid(DVec3::splat(-0.08), DVec3::splat(0.08));
        let domain = along_x(0.0);
        let at = |x: f64| Pose::new(DQuat::from_rotation_y(0.2), DVec3::new(domain.wrap(DVec3::X * (x + shift)).x, 1.0, 0.3));
        let mut bodies = vec![
            thrown(floating("one", mesh(), at(0.3), 500.0), DVec3::X, DVec3::ZERO),
            thrown(floating("two", mesh(), at(0.6), 800.0), -DVec3::X, DVec3::ZERO),
            fixed("plate", cuboid(DVec3::new(-1.0, -1.0, -1.0), DVec3::new(2.0, -0.9, 1.0)), Pose::IDENTITY),
        ];
        bodies.iter_mut().for_each(|body| body.restitution = 0.4);
        let fill = box_fill(DVec3::new(0.0, -0.9, 0.0), DVec3::new(0.1, -0.8, 0.1), DVec3::ZERO);
        let settings = FluidSettings { domain, gravity: DVec3::ZERO, settle: false, ..crate::common::settings(RADIUS, vec![fill]) };
        let mut simulation = FluidSimulation::new(settings, bodies).unwrap();
        let mut touched = 0;
        crate::common::run(&mut simulation, 0.3, |simulation| {
            touched += u32::from(simulation.bodies()[0].contact_impulse.linear != DVec3::ZERO);
        });
        assert!(touched > 0, "shift {shift}: the bodies did not meet");
        let [one, two] = [0, 1].map(|index| simulation.bodies()[index].velocity);
        let masses = [0, 1].map(|index| simulation.bodies()[index].mass);
        (one, two, masses[0] * one + masses[1] * two, masses[0] - masses[1])
    };
    let (one, two, momentum, start) = run(0.0);
    assert!((momentum.x - start).abs() < 1e-9 * start.abs(), "{momentum}, at the start {start}");
    for shift in [0.45, 0.55, 0.62] {
        let (other_one, other_two, momentum, _) = run(shift);
        println!("shift {shift}: {one} {other_one}, {two} {other_two}; momentum {momentum}");
        assert!((one - other_one).length() < 0.02 && (two - other_two).length() < 0.02, "{one} {other_one}, {two} {other_two}");
        assert!((momentum - DVec3::X * start).length() < 1e-9 * start.abs(), "{momentum}");
    }
}

#[test]
fn a_run_resumes_bitwise_with_bodies_across_the_ends() {
    let mut whole = channel(0.0, 0.3, 1.7 * LENGTH);
    let steps = |simulation: &mut FluidSimulation, count: u32| (0..count).for_each(|_| simulation.advance(9.0).unwrap());
    steps(&mut whole, 60);
    let state = |simulation: &FluidSimulation| {
        let particles = simulation.particles();
        let bodies: Vec<_> = simulation.bodies().iter().map(|body| (body.pose, body.velocity, body.wrapped)).collect();
        (particles.positions.clone(), particles.velocities.clone(), bodies)
    };
    let mut resumed = plimsoll_saved::fluid::restored(&whole);
    steps(&mut whole, 60);
    steps(&mut resumed, 60);
    assert!(whole.bodies().iter().any(|body| body.wrapped != DVec3::ZERO), "no body has gone through an end");
    assert_eq!(state(&whole), state(&resumed));
}
