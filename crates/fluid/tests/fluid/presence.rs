//! Bodies that appear and vanish: what meets them when, momentum and energy, room for them in the fluid, contacts, restarts.

use crate::common::{GRAVITY, body_named, box_fill, cuboid, fixed, floating, positions, sample, thrown, with};
use crate::restarts::assert_a_restart_changes_nothing;
use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_bodies::{BodyDefinition, Held, PrescribedMotion, Presence};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation};
use plimsoll_shape::InsideTest;

const RADIUS: f64 = 0.02;
const SIDE: f64 = 0.4;
const DEPTH: f64 = 0.2;

fn tank() -> BodyDefinition {
    fixed("tank", sample("small_tank", DVec3::new(SIDE, 1.2, SIDE)), Pose::IDENTITY)
}

fn pool(width: f64) -> FluidSettings {
    FluidSettings {
        settle: false,
        ..crate::common::settings(RADIUS, vec![box_fill(DVec3::ZERO, DVec3::new(width, DEPTH, SIDE), DVec3::ZERO)])
    }
}

fn during(body: BodyDefinition, from: f64, until: Option<f64>) -> BodyDefinition {
    BodyDefinition { presence: Presence { from, until, ..Presence::default() }, ..body }
}

fn ball(position: DVec3, density: f64) -> BodyDefinition {
    floating("ball", sample("sphere", DVec3::splat(0.12)), Pose::from_translation(position), density)
}

/// A wall that holds water and vanishes lets it go.
#[test]
fn water_flows_when_its_wall_vanishes() {
    let wall = fixed("wall", cuboid(DVec3::new(0.2, -0.05, -0.05), DVec3::new(0.22, 0.5, 0.45)), Pose::IDENTITY);
    let mut simulation = FluidSimulation::new(pool(0.2), vec![tank(), during(wall, f64::MIN, Some(0.25))]).unwrap();
    let front = |simulation: &FluidSimulation| positions(simulation).map(|x| x.x).fold(0.0, f64::max);
    crate::common::run(&mut simulation, 0.25, |simulation| {
        assert!(front(simulation) < 0.2, "{}", front(simulation));
        assert!(simulation.loads()[1].total().linear.x > 0.0 && body_named(simulation, "wall").is_present());
    });
    assert_eq!(simulation.frame().bodies[1].mesh.triangles.len(), 12);
    crate::common::run(&mut simulation, 0.2, |simulation| {
        assert_eq!(simulation.loads()[1].total().linear, DVec3::ZERO);
        assert!(!body_named(simulation, "wall").is_present());
    });
    assert!(simulation.frame().bodies[1].mesh.triangles.is_empty());
    let last = simulation.last_step();
    println!("front at {:.3} m, momentum error {:.1e}", front(&simulation), last.momentum_error);
    assert!(front(&simulation) > 0.35, "{}", front(&simulation));
    assert!(last.leaked == 0 && last.momentum_error < 1e-6 && simulation.totals().removed == 0);
}

/// A ball that appears in the air falls from there with its initial velocity, floats, and vanishes. Its momentum and energy come and go with it.
#[test]
fn a_ball_falls_from_where_it_appears() {
    let start = DVec3::new(0.2, 0.45, 0.2);
    let thrown = thrown(ball(start, 500.0), DVec3::new(0.0, -0.5, 0.0), DVec3::ZERO);
    let mut simulation = FluidSimulation::new(pool(SIDE), vec![tank(), during(thrown, 0.2, Some(2.0))]).unwrap();
    crate::common::run(&mut simulation, 0.2, |_| {});
    let ball = body_named(&simulation, "ball");
    assert_eq!((ball.pose.translation, ball.momentum().linear), (start, DVec3::ZERO));
    let before = *simulation.last_step();
    simulation.advance(1.0).unwrap();
    let (last, ball) = (*simulation.last_step(), body_named(&simulation, "ball"));
    let speed = 0.5 + GRAVITY * last.dt;
    assert!((ball.velocity.y + speed).abs() < 1e-9, "{} {speed}", ball.velocity);
    let energy = 0.5 * ball.mass * 0.25 + ball.mass * GRAVITY * start.y;
    let booked = last.external_work - before.external_work;
    assert!((booked - energy).abs() < 1e-3 * energy, "{booked} {energy}");
    let (mut rise, mut lowest) = (f64::MIN, f64::INFINITY);
    let mut free = |simulation: &FluidSimulation| {
        let last = simulation.last_step();
        let energy = last.kinetic_energy + last.potential_energy - last.external_work;
        rise = rise.max(energy - lowest);
        lowest = lowest.min(energy);
    };
    crate::common::run(&mut simulation, 1.75, &mut free);
    let draft = body_named(&simulation, "ball").center().y;
    crate::common::run(&mut simulation, 0.5, &mut free);
    let last = simulation.last_step();
    println!("floats at {draft:.3} m; energy rises by up to {rise:.1e} J; momentum error {:.1e}", last.momentum_error);
    assert!((DEPTH - 0.05..DEPTH + 0.08).contains(&draft), "{draft}");
    // Issue 54, point 2: 0.02 J again.
    assert!(rise < 0.06 && last.momentum_error < 1e-6 && last.leaked == 0, "{rise} {last:?}");
    assert!(!body_named(&simulation, "ball").is_present());
    // The hole that it leaves has closed.
    let center = positions(&simulation).filter(|x| x.y > 0.12 && x.distance(DVec3::new(0.2, 0.15, 0.2)) < 0.06).count();
    assert!(center > 5, "{center}");
}

/// A ball that is held under water and released rises; the ledger of momentum closes, and the energy only falls.
#[test]
fn a_ball_held_under_water_rises_when_it_is_released() {
    let at_rest = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::ZERO, pivot: DVec3::ZERO };
    let held = Held { motion: at_rest, keeps_velocity: false, until: 0.5 };
    let start = DVec3::new(0.2, 0.1, 0.2);
    let ball = with(ball(start, 500.0), |floating| floating.held = Some(Box::new(held)));
    let mut simulation = FluidSimulation::new(pool(SIDE), vec![tank(), ball]).unwrap();
    crate::common::run(&mut simulation, 0.48, |simulation| {
        assert_eq!(body_named(simulation, "ball").center(), start);
    });
    let mut simulation = plimsoll_saved::fluid::restored(&simulation);
    let (mut rise, mut lowest) = (f64::MIN, f64::INFINITY);
    crate::common::run(&mut simulation, 1.5, |simulation| {
        let last = simulation.last_step();
        let energy = last.kinetic_energy + last.potential_energy - last.external_work;
        rise = rise.max(energy - lowest);
        lowest = lowest.min(energy);
    });
    let (height, last) = (body_named(&simulation, "ball").center().y, simulation.last_step());
    println!("the ball at {height:.3} m, the energy rises by up to {rise:.1e} J, momentum error {:.1e}", last.momentum_error);
    assert!(height > DEPTH - 0.03, "{height}");
    assert!(rise < 0.02 && last.momentum_error < 1e-6 && last.leaked == 0, "{rise} {last:?}");
}

/// Water is where a block that particles do not meet is, and a cube falls through the water onto it.
#[test]
fn water_is_where_a_body_is_that_particles_do_not_meet() {
    let ignored = |body: BodyDefinition| BodyDefinition { presence: Presence { for_particles: false, ..Presence::default() }, ..body };
    let block = ignored(fixed("block", cuboid(DVec3::new(0.1, 0.0, 0.1), DVec3::new(0.3, 0.1, 0.3)), Pose::IDENTITY));
    let solid = InsideTest::new(&block.mesh);
    let cube = ignored(floating(
        "cube",
        cuboid(DVec3::splat(-0.05), DVec3::splat(0.05)),
        Pose::from_translation(DVec3::new(0.2, 0.4, 0.2)),
        100.0,
    ));
    let alone = FluidSimulation::new(pool(SIDE), vec![tank()]).unwrap();
    let mut simulation = FluidSimulation::new(pool(SIDE), vec![tank(), block, cube]).unwrap();
    assert_eq!(simulation.particle_count(), alone.particle_count());
    crate::common::run(&mut simulation, 0.2, |_| {});
    let mut simulation = plimsoll_saved::fluid::restored(&simulation);
    crate::common::run(&mut simulation, 0.4, |_| {});
    let (inside, height) = (positions(&simulation).filter(|&x| solid.contains(x)).count(), body_named(&simulation, "cube").center().y);
    println!("{inside} particles in the block, the cube at {height} m");
    assert!(inside > 40 && (height - 0.15).abs() < 1e-3, "{inside} {height}");
    assert!(simulation.loads()[1..].iter().all(|load| load.pressure.linear == DVec3::ZERO));
    assert!(simulation.last_step().momentum_error < 1e-6 && simulation.last_step().leaked == 0);
}

/// A body that appears in water takes the place of the particles there, which is counted.
#[test]
fn a_body_that_appears_in_water_makes_room() {
    let block = fixed("block", cuboid(DVec3::new(0.1, 0.0, 0.1), DVec3::new(0.3, 0.1, 0.3)), Pose::IDENTITY);
    let solid = InsideTest::new(&block.mesh);
    let mut simulation = FluidSimulation::new(pool(SIDE), vec![tank(), during(block, 0.1, None)]).unwrap();
    let count = simulation.particle_count() as u64;
    crate::common::run(&mut simulation, 0.1, |_| {});
    assert_eq!(simulation.totals().removed, 0);
    crate::common::run(&mut simulation, 0.5, |simulation| {
        assert_eq!(positions(simulation).filter(|&x| solid.contains(x)).count(), 0);
    });
    let (removed, last) = (simulation.totals().removed, simulation.last_step());
    // A particle is closer than a radius to the block if its cell touches it.
    let expected = (0.2 + 2.0 * RADIUS) * (0.1 + RADIUS) * (0.2 + 2.0 * RADIUS) / (2.0 * RADIUS).powi(3);
    println!("{removed} removed, expected {expected}; momentum error {:.1e}; {:?}", last.momentum_error, simulation.summary());
    assert!((removed as f64 / expected - 1.0).abs() < 0.2, "{removed} {expected}");
    assert_eq!(last.particles, count - removed);
    assert!(last.leaked == 0 && last.momentum_error < 1e-6, "{last:?}");
    assert!(simulation.summary().contains(&format!("removed where bodies appeared: {removed} particles")));
}

/// Bodies that are absent do not collide; a shelf that vanishes drops what is on it, and a lid that appears carries what falls on it.
fn shelf() -> FluidSimulation {
    let shelf = |name: &str, y: f64| fixed(name, cuboid(DVec3::new(0.1, y - 0.02, 0.1), DVec3::new(0.3, y, 0.3)), Pose::IDENTITY);
    let box_above =
        floating("box", cuboid(DVec3::splat(-0.03), DVec3::splat(0.03)), Pose::from_translation(DVec3::new(0.2, 0.331, 0.2)), 800.0);
    let bodies = vec![tank(), during(shelf("shelf", 0.3), f64::MIN, Some(0.15)), box_above, during(shelf("lid", 0.24), 0.05, Some(0.5))];
    FluidSimulation::new(
        FluidSettings { fills: vec![box_fill(DVec3::ZERO, DVec3::new(SIDE, 0.12, SIDE), DVec3::ZERO)], ..pool(SIDE) },
        bodies,
    )
    .unwrap()
}

#[test]
fn contacts_end_and_begin_with_the_bodies() {
    let mut simulation = shelf();
    let height = |simulation: &FluidSimulation| body_named(simulation, "box").center().y - 0.03;
    for (until, expected) in [(0.14, 0.3), (0.45, 0.24)] {
        let left = until - simulation.time();
        crate::common::run(&mut simulation, left, |_| {});
        println!("{until} s: {:.4} m", height(&simulation));
        assert!((height(&simulation) - expected).abs() < 0.004, "{} {expected}", height(&simulation));
    }
    crate::common::run(&mut simulation, 0.25, |_| {});
    assert!(height(&simulation) < 0.15, "{}", height(&simulation));
    assert!(simulation.last_step().momentum_error < 1e-6);
}

#[test]
fn a_restart_and_other_numbers_of_threads_change_nothing() {
    let mut simulation = shelf();
    for time in [0.03, 0.1, 0.2] {
        assert_a_restart_changes_nothing(&mut simulation, time);
    }
}
