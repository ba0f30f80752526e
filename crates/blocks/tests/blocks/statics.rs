//! Rest: strains, stacks, bonds, bolts, arches.

use glam::DVec2;
use plimsoll_blocks::{BlocksSettings, BoltDefinition, Joint, JointTable, LoadDefinition, Plane, Removal, arch};
use plimsoll_contract::simulator::Simulator;

use super::common::{DENSITY, GRAVITY, MODULUS, block, centroid, fixed, polygon, rectangle, run, settings};

#[test]
fn a_block_strains_as_hooke_has_it() {
    for (plane, factor) in [(Plane::Stress, 1.0), (Plane::Strain, 1.0 - 0.25 * 0.25)] {
        // Pulled on both sides by 1 MPa over its height of 0.5 m.
        let mut settings = settings(vec![block(rectangle(0.0, 0.0, 2.0, 0.5))], 30.0);
        let pull = |x: f64, force: f64| LoadDefinition { point: DVec2::new(x, 0.25), force: DVec2::new(force, 0.0), from: 0.0, until: 1e9 };
        settings.loads = vec![pull(0.0, -5e5), pull(2.0, 5e5)];
        settings.plane = plane;
        settings.gravity = DVec2::ZERO;
        settings.step.velocity_kept = 0.0;
        settings.step.maximum = 1.0;
        let simulation = run(settings, 5.0);
        let polygon = simulation.state().polygon(0);
        let strain = (polygon[1].x - polygon[0].x) / 2.0 - 1.0;
        let expected = factor * 1e6 / MODULUS;
        println!("{plane:?}: strain {strain:.6e}, {expected:.6e} expected; stress {:?}", simulation.state().blocks[0].stress);
        assert!((strain / expected - 1.0).abs() < 2e-3);
        assert!((simulation.state().blocks[0].stress[0] / 1e6 - 1.0).abs() < 2e-3);
    }
}

#[test]
fn the_ground_carries_the_weight_of_a_stack() {
    let bricks = (0..6).map(|row| block(rectangle(0.0, 0.5 * row as f64, 1.0, 0.5)));
    let mut settings = settings(bricks.chain([fixed(rectangle(-1.0, -1.0, 3.0, 1.0))]).collect(), 30.0);
    settings.step.maximum = 0.002;
    let mut simulation = run(settings, 0.5);
    let (mut sum, mut time) = (0.0, 0.0);
    while simulation.time() < 1.5 {
        simulation.advance(1.5).unwrap();
        sum += simulation.report().support.y * simulation.report().dt;
        time += simulation.report().dt;
    }
    let weight = 6.0 * 0.5 * DENSITY * GRAVITY;
    println!(
        "force on the ground {:.3} N, weight {weight:.3} N; lowest brick σ_y {:.1}",
        -sum / time,
        simulation.state().blocks[0].stress[1]
    );
    assert!((-sum / time / weight - 1.0).abs() < 1e-3);
    // The mean of the weight above it, without and with its own weight, per meter.
    let expected = -5.5 / 6.0 * weight;
    assert!((simulation.state().blocks[0].stress[1] / expected - 1.0).abs() < 0.02);
}

#[test]
fn a_block_in_the_corner_of_a_trough_rests_on_both_faces() {
    let trough = polygon(&[(-1.0, -1.0), (3.0, -1.0), (3.0, 2.0), (2.0, 2.0), (2.0, 0.0), (0.0, 0.0), (0.0, 2.0), (-1.0, 2.0)]);
    let mut settings = settings(vec![fixed(trough), block(rectangle(0.0, 0.0, 1.0, 0.5))], 0.0);
    settings.gravity = DVec2::new(-5.0, -5.0);
    let simulation = run(settings, 1.0);
    let block = &simulation.state().blocks[1];
    assert!(block.moments.centroid.distance(block.start) < 1e-4, "{}", block.moments.centroid);
    let weight = 0.5 * DENSITY * 5.0;
    assert!(simulation.report().support.distance(DVec2::splat(-weight)) < 0.02 * weight, "{}", simulation.report().support);
}

#[test]
fn a_bond_carries_as_much_as_its_strength() {
    // A block hangs from a ceiling; the strength of the bond is 1.2 or 0.8 times what the weight requires.
    for (share, holds) in [(1.2, true), (0.8, false)] {
        let mut settings = settings(vec![fixed(rectangle(0.0, 1.0, 1.0, 1.0)), block(rectangle(0.0, 0.0, 1.0, 1.0))], 30.0);
        let tensile_strength = share * DENSITY * GRAVITY;
        settings.joints = JointTable::uniform(1, Joint { friction: 0.5, cohesion: 1e9, tensile_strength });
        settings.step.velocity_kept = 0.9;
        // The load builds up gradually.
        settings.gravity *= 0.999;
        settings.step.maximum = 0.05;
        let simulation = run(settings, 1.0);
        let fallen = simulation.state().blocks[1].start.y - centroid(&simulation, 1).y;
        println!("strength {share}: fallen by {fallen:.2e} m");
        assert_eq!(fallen < 1e-4, holds);
    }
}

#[test]
fn cohesion_holds_what_friction_does_not() {
    for (share, holds) in [(1.1, true), (0.9, false)] {
        let mut settings = settings(vec![fixed(rectangle(-3.0, -1.0, 8.0, 1.0)), block(rectangle(0.0, 0.0, 1.0, 1.0))], 0.0);
        settings.gravity = DVec2::new(4.0, -GRAVITY);
        // Otherwise the block widens under its weight, and its corners are not held equally.
        settings.materials[0].poisson_ratio = 0.0;
        settings.joints = JointTable::uniform(1, Joint { friction: 0.0, cohesion: share * DENSITY * 4.0, tensile_strength: 1e9 });
        settings.step.velocity_kept = 0.0;
        let simulation = run(settings, 0.5);
        let slid = centroid(&simulation, 1).x - 0.5;
        assert_eq!(slid < 1e-4, holds, "{share}: {slid}");
    }
}

#[test]
fn a_bolt_stretches_by_its_load() {
    let mut settings = settings(vec![fixed(rectangle(0.0, 4.0, 1.0, 1.0)), block(rectangle(0.0, 0.0, 1.0, 1.0))], 30.0);
    let stiffness = 1e7;
    settings.bolts = vec![BoltDefinition { ends: [DVec2::new(0.5, 4.5), DVec2::new(0.5, 0.5)], stiffness, pretension: 0.0 }];
    settings.step.velocity_kept = 0.0;
    settings.step.maximum = 0.05;
    let simulation = run(settings, 5.0);
    let (stretch, expected) = (0.5 - centroid(&simulation, 1).y, DENSITY * GRAVITY / stiffness);
    assert!((stretch / expected - 1.0).abs() < 1e-3, "{stretch} instead of {expected}");
}

#[test]
fn fixed_points_hold_a_block_and_carry_its_weight() {
    let mut settings = settings(vec![block(rectangle(0.0, 0.0, 2.0, 1.0))], 30.0);
    settings.fixed_points = vec![DVec2::new(0.0, 0.0), DVec2::new(2.0, 0.0)];
    settings.step.velocity_kept = 0.0;
    let simulation = run(settings, 1.0);
    let weight = 2.0 * DENSITY * GRAVITY;
    assert!((simulation.report().support.y / -weight - 1.0).abs() < 1e-3, "{}", simulation.report().support);
    assert!(simulation.state().points[0].position.length() < 1e-4);
}

fn masonry(removals: Vec<Removal>) -> BlocksSettings {
    let mut blocks: Vec<_> = arch(DVec2::ZERO, [2.5, 3.0], [0.0, std::f64::consts::PI], 15).into_iter().map(block).collect();
    blocks.push(block(rectangle(-3.2, -1.0, 0.9, 1.0)));
    blocks.push(block(rectangle(2.3, -1.0, 0.9, 1.0)));
    blocks.push(fixed(rectangle(-5.0, -2.0, 10.0, 1.0)));
    BlocksSettings { removals, ..settings(blocks, 35.0) }
}

#[test]
fn an_arch_stands_on_its_buttresses_and_falls_without_one() {
    let standing = run(masonry(Vec::new()), 2.0);
    let farthest = standing.state().blocks.iter().map(|block| block.moments.centroid.distance(block.start)).fold(0.0, f64::max);
    println!("standing: moved by {farthest:.2e} m at most, {} steps, {} unsettled", standing.steps(), standing.unsettled_steps());
    assert!(farthest < 5e-3, "{farthest}");
    let fallen = run(masonry(vec![Removal { point: DVec2::new(2.75, -0.5), time: 0.5 }]), 2.0);
    assert_eq!(fallen.block_count(), 17);
    assert!(fallen.state().blocks[7].start.y - centroid(&fallen, 7).y > 0.5, "{}", centroid(&fallen, 7));
}
