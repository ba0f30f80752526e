//! Motion: falling, sliding, toppling, rotating, impacts.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::DVec2;
use plimsoll_blocks::{BlocksSettings, BlocksSimulation, StepSettings};
use plimsoll_contract::simulator::Simulator;

use super::common::{DENSITY, GRAVITY, block, centroid, fixed, polygon, rectangle, run, settings, turned};

#[test]
fn a_block_falls_as_galilei_has_it() {
    let simulation = run(settings(vec![block(rectangle(0.0, 0.0, 1.0, 0.5))], 30.0), 0.5);
    let expected = DVec2::new(0.5, 0.25 - 0.5 * GRAVITY * 0.25);
    assert!(centroid(&simulation, 0).distance(expected) < 1e-9, "{}", centroid(&simulation, 0));
    assert!((simulation.state().blocks[0].velocity[1] + GRAVITY * 0.5).abs() < 1e-9);
}

/// A block `width` by `height` on a slope that descends to the right by `angle` (degrees).
fn incline(angle: f64, friction_angle: f64, width: f64, height: f64) -> BlocksSettings {
    let angle = -f64::to_radians(angle);
    let slope = turned(&rectangle(-5.0, -1.0, 20.0, 1.0), angle);
    settings(vec![fixed(slope), block(turned(&rectangle(0.0, 0.0, width, height), angle))], friction_angle)
}

#[test]
fn a_block_slides_at_the_rate_of_coulomb() {
    for (angle, friction_angle) in [(30.0, 20.0), (45.0, 35.0), (20.0, 0.0_f64)] {
        let time = 1.0;
        let simulation = run(incline(angle, friction_angle, 1.0, 0.5), time);
        let (sin, cos) = angle.to_radians().sin_cos();
        let expected = 0.5 * GRAVITY * (sin - friction_angle.to_radians().tan() * cos) * time * time;
        let block = &simulation.state().blocks[1];
        let way = (block.moments.centroid - block.start).dot(DVec2::new(cos, -sin));
        println!("slope {angle}°, friction {friction_angle}°: {way:.5} m, {expected:.5} m expected");
        assert!((way / expected - 1.0).abs() < 0.01, "{angle} {friction_angle}: {way} instead of {expected}");
        assert!((simulation.state().blocks[1].rotation).abs() < 1e-3);
    }
}

#[test]
fn a_block_slides_on_time_near_the_limit_of_friction() {
    // The force that accelerates the block is 8 and 2 % of its friction.
    for (friction_angle, tolerance) in [(28.0, 0.01), (29.5_f64, 0.08)] {
        let (sin, cos) = 30.0_f64.to_radians().sin_cos();
        let mut settings = incline(30.0, friction_angle, 1.0, 0.5);
        settings.step = StepSettings::new(&settings.blocks, &settings.materials, settings.gravity);
        let simulation = run(settings, 1.0);
        let expected = 0.5 * GRAVITY * (sin - friction_angle.to_radians().tan() * cos);
        let block = &simulation.state().blocks[1];
        let way = (block.moments.centroid - block.start).dot(DVec2::new(cos, -sin));
        println!("friction {friction_angle}°: {way:.5} m, {expected:.5} m expected, {} steps", simulation.steps());
        assert!((way / expected - 1.0).abs() < tolerance, "{friction_angle}: {way} instead of {expected}");
    }
}

/// A bar of 2 m that hangs from a fixed point at its upper end, turned by `angle` (rad), at the default steps.
fn hanging_bar(angle: f64) -> BlocksSettings {
    let bar = turned(&rectangle(-0.05, -2.0, 0.1, 2.0), angle);
    let mut settings = settings(vec![block(bar)], 30.0);
    settings.fixed_points = vec![DVec2::ZERO];
    settings.step = StepSettings::new(&settings.blocks, &settings.materials, settings.gravity);
    settings
}

#[test]
fn a_pendulum_keeps_its_energy() {
    let mut simulation = run(hanging_bar(0.3), 0.0);
    let total = |simulation: &BlocksSimulation| {
        let energies = simulation.energies();
        energies.kinetic + energies.potential + energies.strain
    };
    let swing = 2.0 * 0.1 * DENSITY * GRAVITY * (1.0 - 0.3_f64.cos());
    let first = total(&simulation);
    let (mut least, mut most) = (0.0_f64, 0.0_f64);
    while simulation.time() < 12.0 {
        simulation.advance(12.0).unwrap();
        let gained = (total(&simulation) - first) / swing;
        (least, most) = (least.min(gained), most.max(gained));
    }
    let end = (total(&simulation) - first) / swing;
    println!("pendulum: {least:.2e} to {most:.2e} of the swing, {end:.2e} at the end, {} steps", simulation.steps());
    assert!(end.abs() < 5e-3 && most < 1e-2 && least > -1e-2, "{least} {most} {end}");
}

#[test]
fn a_rotor_keeps_its_energy() {
    let mut settings = hanging_bar(0.0);
    // The bar turns about its end.
    settings.gravity = DVec2::ZERO;
    settings.blocks[0].angular_velocity = 1.0;
    settings.blocks[0].velocity = DVec2::new(1.0, 0.0);
    let mut simulation = run(settings, 0.0);
    let first = simulation.energies().kinetic;
    while simulation.time() < 10.0 {
        simulation.advance(10.0).unwrap();
    }
    let gained = simulation.energies().kinetic / first - 1.0;
    println!("rotor: {gained:.2e}, {} steps, turned by {}", simulation.steps(), simulation.state().blocks[0].rotation);
    assert!(gained.abs() < 2e-3, "{gained}");
}

#[test]
fn a_block_stays_where_friction_holds_it() {
    for (angle, friction_angle) in [(30.0, 31.0), (20.0, 25.0)] {
        let simulation = run(incline(angle, friction_angle, 1.0, 0.5), 2.0);
        let block = &simulation.state().blocks[1];
        let way = block.moments.centroid.distance(block.start);
        println!("slope {angle}°, friction {friction_angle}°: {way:.2e} m");
        assert!(way < 1e-4, "{way}");
    }
}

#[test]
fn a_slender_block_topples_and_a_stout_one_does_not() {
    // tan 20° = 0.364.
    for (width, topples) in [(0.33, true), (0.40, false)] {
        let simulation = run(incline(20.0, 60.0, width, 1.0), 1.5);
        let turned = simulation.state().blocks[1].rotation;
        println!("width {width}: turned by {turned:.4} rad");
        assert_eq!(turned < -0.2, topples, "{turned}");
        assert!(topples || turned.abs() < 1e-3);
    }
}

#[test]
fn a_full_turn_leaves_the_area() {
    let mut settings = settings(vec![block(polygon(&[(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 0.4), (0.0, 1.0)]))], 30.0);
    settings.gravity = DVec2::ZERO;
    settings.blocks[0].angular_velocity = TAU;
    settings.step.maximum_displacement = 0.2;
    let before = plimsoll_shape::polygon::Moments::of(&settings.blocks[0].vertices);
    let simulation = run(settings, 1.0);
    let block = &simulation.state().blocks[0];
    println!("turned by {} rad in {} steps, area {:+.2e}", block.rotation, simulation.steps(), block.moments.area / before.area - 1.0);
    assert!((block.rotation - TAU).abs() < 0.02 * TAU);
    assert!((block.moments.area / before.area - 1.0).abs() < 1e-3);
    assert!(block.moments.centroid.distance(before.centroid) < 1e-9);
}

#[test]
fn impacts_keep_momentum() {
    let mut settings = settings(vec![block(rectangle(0.0, 0.0, 1.0, 1.0)), block(turned(&rectangle(1.8, -1.0, 1.0, 0.7), 0.3))], 30.0);
    settings.gravity = DVec2::ZERO;
    settings.blocks[0].velocity = DVec2::new(2.0, 0.3);
    settings.blocks[1].angular_velocity = 1.0;
    let start = run(settings.clone(), 0.0).energies();
    let mut simulation = run(settings, 0.0);
    let mut touched = false;
    while simulation.time() < 1.0 {
        simulation.advance(1.0).unwrap();
        touched |= simulation.report().closed > 0;
    }
    let end = simulation.energies();
    let scale = start.momentum.length();
    println!(
        "momentum off by {:.1e}, angular by {:.1e}",
        end.momentum.distance(start.momentum) / scale,
        (end.angular_momentum - start.angular_momentum) / scale
    );
    assert!(touched && simulation.state().blocks[1].velocity[0] > 0.1);
    assert!(end.momentum.distance(start.momentum) < 1e-9 * scale);
    assert!((end.angular_momentum - start.angular_momentum).abs() < 5e-3 * scale, "{start:?} {end:?}");
    assert!(end.kinetic <= start.kinetic);
}

#[test]
fn a_row_of_slabs_topples_to_its_end() {
    let slab = |k: usize| block(rectangle(0.5 * k as f64, 0.0, 0.15, 1.0));
    let mut settings = settings((0..6).map(slab).chain([fixed(rectangle(-2.0, -0.5, 8.0, 0.5))]).collect(), 30.0);
    settings.blocks[0].angular_velocity = -2.0;
    settings.blocks[0].velocity = DVec2::new(1.0, 0.0);
    let simulation = run(settings, 3.0);
    for slab in &simulation.state().blocks[..6] {
        assert!(slab.rotation < -0.3 && slab.rotation > -FRAC_PI_2 - 0.2, "{}", slab.rotation);
    }
}
