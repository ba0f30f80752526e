//! Light bodies that gaps hold or push off are named.

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation};

use crate::common::{box_fill, cuboid, fixed, floating, sample, settings};

const RADIUS: f64 = 0.02;

/// A box of 0.3 m with this density (kg/m³), `gap` radii above the floor under 0.6 m of water, or `beside` a wall at its height.
fn over_a_floor(density: f64, gap: f64, settle: bool) -> FluidSimulation {
    let tank = fixed("tank", sample("small_tank", DVec3::ONE), Pose::IDENTITY);
    let half = DVec3::splat(0.15);
    let cork = floating("cork", cuboid(-half, half), Pose::from_translation(DVec3::new(0.5, 0.15 + gap * RADIUS, 0.5)), density);
    let fill = box_fill(DVec3::ZERO, DVec3::new(1.0, 0.6, 1.0), DVec3::ZERO);
    FluidSimulation::new(FluidSettings { settle, ..settings(RADIUS, vec![fill]) }, vec![tank, cork]).unwrap()
}

/// The text of the warning, if there is one.
fn warning(simulation: &FluidSimulation) -> Option<String> {
    let warnings: Vec<_> = simulation.warnings().into_iter().filter(|warning| warning.key == "body[2]").collect();
    assert!(warnings.len() <= 1, "{warnings:?}");
    warnings.into_iter().next().map(|warning| warning.text)
}

#[test]
fn light_bodies_with_narrow_gaps_are_named() {
    for gap in [0.0, 1.0, 2.0, 2.9] {
        let text = warning(&over_a_floor(300.0, gap, false)).unwrap_or_else(|| panic!("no warning at {gap} radii"));
        assert!(text.contains("\"cork\"") && text.contains("\"tank\"") && text.contains("0.09 m²"), "{text}");
        assert_eq!(text.contains("lies on"), gap == 0.0, "{text}");
    }
    for gap in [3.1, 6.0] {
        assert_eq!(warning(&over_a_floor(300.0, gap, false)), None, "{gap}");
    }
    // Fluid is above, but not near.
    let tank = fixed("tank", sample("small_tank", DVec3::ONE), Pose::IDENTITY);
    let cork = floating("cork", cuboid(DVec3::ZERO, DVec3::splat(0.2)), Pose::from_translation(DVec3::new(0.7, 0.0, 0.4)), 300.0);
    let above = box_fill(DVec3::new(0.6, 0.5, 0.3), DVec3::new(1.0, 0.9, 0.7), DVec3::ZERO);
    let dry = FluidSimulation::new(FluidSettings { settle: false, ..settings(RADIUS, vec![above]) }, vec![tank, cork]).unwrap();
    assert_eq!(warning(&dry), None);
    // Heavier than water, it sinks in any case.
    assert_eq!(warning(&over_a_floor(1200.0, 2.0, false)), None);
}

/// Between 2 and 2.5 radii the force is once more and once less than its weight: it hovers, and the end of a run names it.
#[test]
fn a_body_that_hovers_is_named_at_the_end() {
    let mut simulation = over_a_floor(600.0, 2.3, true);
    crate::common::run(&mut simulation, 1.0, |_| {});
    let height = (simulation.bodies()[1].center().y - 0.15) / RADIUS;
    let named = simulation.summary().iter().any(|line| line.starts_with("body \"cork\" is "));
    println!("{height:.2} radii above the floor, named: {named}");
    assert!(named && height < 3.0, "{height} radii, {:?}", simulation.summary());
}
