//! Gaps between bodies that are too narrow for particles.

use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::{BodyDefinition, Impulse, Presence};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation};

use crate::common::{EnergyRise, GRAVITY, box_fill, cuboid, energy, fixed, floating, sample, settings};
use crate::restarts::assert_a_restart_changes_nothing;

const RADIUS: f64 = 0.02;
/// Side of the box, m.
const SIDE: f64 = 0.3;

fn pool() -> FluidSettings {
    let fill = box_fill(DVec3::ZERO, DVec3::new(1.0, 0.6, 1.0), DVec3::ZERO);
    FluidSettings { settle: false, gap_pressure: true, ..settings(RADIUS, vec![fill]) }
}

/// A box with this density (kg/m³), `gap` radii above the floor under 0.6 m of water.
fn over_a_floor(settings: FluidSettings, density: f64, gap: f64) -> FluidSimulation {
    turned_over_a_floor(settings, density, gap, 0.0)
}

/// The same, inclined by an `angle` (rad).
fn turned_over_a_floor(settings: FluidSettings, density: f64, gap: f64, angle: f64) -> FluidSimulation {
    let tank = fixed("tank", sample("small_tank", DVec3::ONE), Pose::IDENTITY);
    let height = 0.5 * SIDE * (angle.cos() + angle.sin()) + gap * RADIUS;
    let pose = Pose::new(DQuat::from_rotation_z(angle), DVec3::new(0.5, height, 0.5));
    FluidSimulation::new(settings, vec![tank, floating("cork", cuboid(DVec3::splat(-0.5 * SIDE), DVec3::splat(0.5 * SIDE)), pose, density)])
        .unwrap()
}

/// Height of the center of the box above that of one that lies on the floor, in particle radii.
fn height(simulation: &FluidSimulation) -> f64 {
    (simulation.bodies()[1].center().y - 0.5 * SIDE) / RADIUS
}

/// The text of the warning, if there is one.
fn warning(simulation: &FluidSimulation) -> Option<String> {
    let warnings: Vec<_> = simulation.warnings().into_iter().filter(|warning| warning.key == "body[2]").collect();
    assert!(warnings.len() <= 1, "{warnings:?}");
    warnings.into_iter().next().map(|warning| warning.text)
}

/// Without the pressure in the gaps: -0.92, 4.88, 1.82, 0.44 and 0.92 of the lift.
#[test]
fn a_box_above_a_floor_has_its_lift_whatever_the_gap() {
    let expected = 1000.0 * GRAVITY * SIDE.powi(3);
    let mut ratios = Vec::new();
    for gap in [0.5, 1.5, 2.0, 2.5, 3.0] {
        let tank = fixed("tank", sample("small_tank", DVec3::ONE), Pose::IDENTITY);
        let center = DVec3::new(0.5, 0.5 * SIDE + gap * RADIUS, 0.5);
        let held = fixed("held", cuboid(DVec3::splat(-0.5 * SIDE), DVec3::splat(0.5 * SIDE)), Pose::from_translation(center));
        let mut simulation = FluidSimulation::new(FluidSettings { settle: true, ..pool() }, vec![tank, held]).unwrap();
        crate::common::run(&mut simulation, 0.3, |_| {});
        let mut impulse = DVec3::ZERO;
        crate::common::run(&mut simulation, 0.5, |simulation| impulse += simulation.loads()[1].total().linear);
        println!("gap {gap} radii: {:.2} of the lift", impulse.y / 0.5 / expected);
        ratios.push(impulse.y / 0.5 / expected);
        let last = simulation.last_step();
        assert!(last.momentum_error < 1e-7 && last.angular_momentum_error < 1e-6, "{last:?}");
    }
    // At 1.5 radii, particles that are pressed into the rim add to the lift.
    assert!(ratios.iter().zip([0.1, 0.5, 0.1, 0.1, 0.1]).all(|(ratio, limit)| (ratio - 1.0).abs() < limit), "{ratios:.2?}");
}

/// Without the pressure in the gaps, the first three stay down or hover, and the last is held by its edge. The inertia of the water in a gap of width h below
/// a square of side L, 0.035 ρ L⁴/h, makes a box of 300 kg/m³ that starts at 0.3 radii 10 % slower, one at 2.3 radii 1 %, and one of 600 kg/m³ at 0.5 radii 12 %;
/// films have none.
#[test]
fn a_light_body_rises_from_narrow_gaps_and_when_it_is_inclined_but_not_from_the_floor() {
    let rise = |density: f64, gap: f64, degrees: f64| {
        let settled = FluidSettings { settle: true, ..pool() };
        let mut simulation = turned_over_a_floor(settled, density, gap, f64::to_radians(degrees));
        let start = height(&simulation);
        crate::common::run(&mut simulation, 0.6, |_| {});
        let rise = height(&simulation) - start;
        println!("{density} kg/m³ from {gap} radii at {degrees} degrees: rises by {rise:.1} radii in 0.6 s");
        rise
    };
    for (density, starts) in [(300.0, &[(0.3, 0.0, 0.9), (2.3, 0.0, 0.99), (0.0, 5.0, 1.0)][..]), (600.0, &[(0.5, 0.0, 0.88)])] {
        // Particles fit into four radii.
        let free = rise(density, 4.0, 0.0);
        for &(gap, degrees, expected) in starts {
            let ratio = rise(density, gap, degrees) / free;
            // The lift at 1.5 radii is 1.4 times too large.
            assert!((ratio / expected - 1.0).abs() < 0.2, "{density} kg/m³ from {gap} radii at {degrees} degrees: {ratio:.2} of {free:.1}");
        }
    }
    let mut lying = over_a_floor(FluidSettings { settle: true, ..pool() }, 300.0, 0.0);
    crate::common::run(&mut lying, 0.2, |_| {});
    assert!(height(&lying).abs() < 0.05, "{}", height(&lying));
    assert!(lying.summary().iter().any(|line| line.starts_with("body \"cork\" lies on ")), "{:?}", lying.summary());
}

/// Films would let a heavy body that lands compress the particles that it traps, and throw a very light one.
#[test]
fn bodies_heavier_than_the_fluid_and_very_light_ones_have_no_films() {
    let after = |gap_pressure: bool, density: f64| {
        let mut simulation = over_a_floor(FluidSettings { gap_pressure, ..pool() }, density, 1.5);
        crate::common::run(&mut simulation, 0.02, |_| {});
        simulation.bodies()[1].center()
    };
    for (density, has_films) in [(1200.0, false), (800.0, true), (0.1, true), (0.02, false)] {
        assert_eq!(after(true, density) != after(false, density), has_films, "{density} kg/m³");
    }
    let named = warning(&over_a_floor(pool(), 0.02, 1.5)).expect("a warning");
    assert!(named.contains("is wrong for a body as light as this"), "{named}");
}

/// The mean force of the film is part of the state.
#[test]
fn a_restart_and_other_numbers_of_threads_change_nothing() {
    let mut simulation = over_a_floor(pool(), 600.0, 2.0);
    crate::common::run(&mut simulation, 0.02, |_| {});
    assert_a_restart_changes_nothing(&mut simulation, 0.02);
}

#[test]
fn light_bodies_that_lie_are_named() {
    let text = warning(&over_a_floor(pool(), 300.0, 0.0)).expect("a warning");
    assert!(text.contains("\"cork\" lies on body \"tank\"") && text.contains("0.09 m²"), "{text}");
    for gap in [0.2, 2.0] {
        assert_eq!(warning(&over_a_floor(pool(), 300.0, gap)), None, "{gap}");
    }
    // Fluid is above, but not near.
    let tank = fixed("tank", sample("small_tank", DVec3::ONE), Pose::IDENTITY);
    let cork = floating("cork", cuboid(DVec3::ZERO, DVec3::splat(0.2)), Pose::from_translation(DVec3::new(0.7, 0.0, 0.4)), 300.0);
    let above = box_fill(DVec3::new(0.6, 0.5, 0.3), DVec3::new(1.0, 0.9, 0.7), DVec3::ZERO);
    let dry = FluidSimulation::new(FluidSettings { settle: false, gap_pressure: true, ..settings(RADIUS, vec![above]) }, vec![tank, cork])
        .unwrap();
    assert_eq!(warning(&dry), None);
    // Heavier than water, it sinks in any case.
    assert_eq!(warning(&over_a_floor(pool(), 1200.0, 0.0)), None);
}

#[test]
fn without_the_pressure_in_gaps_all_bodies_that_they_may_hold_are_named() {
    let without = |settle: bool| FluidSettings { settle, gap_pressure: false, ..pool() };
    for gap in [1.0, 2.0, 2.9] {
        let text = warning(&over_a_floor(without(false), 300.0, gap)).unwrap_or_else(|| panic!("no warning at {gap} radii"));
        assert!(text.contains("\"cork\"") && text.contains("\"tank\"") && text.contains("0.09 m²"), "{text}");
    }
    assert_eq!(warning(&over_a_floor(without(false), 300.0, 3.1)), None);
    // Between 2 and 2.5 radii the force is once more and once less than its weight: it hovers, and the end of a run names it.
    let mut simulation = over_a_floor(without(true), 600.0, 2.3);
    crate::common::run(&mut simulation, 1.0, |_| {});
    let named = simulation.summary().iter().any(|line| line.starts_with("body \"cork\" is "));
    println!("{:.2} radii above the floor, named: {named}", height(&simulation));
    assert!(named && height(&simulation) < 3.0, "{} radii, {:?}", height(&simulation), simulation.summary());
}

/// A film presses with up to 530 N over three radii. What it gives the lightest box before the pressure is known, the water above takes back: booked as work,
/// it would be thousands of joules, and given after the pressure, it would throw the box.
#[test]
fn the_work_of_films_accounts_for_the_energy_gained() {
    for density in [0.1, 10.0, 600.0] {
        let mut simulation = over_a_floor(FluidSettings { settle: true, ..pool() }, density, 0.3);
        let (start, mut rest) = (energy(&simulation), EnergyRise::from(&simulation));
        crate::common::run(&mut simulation, 0.4, |simulation| rest.update(simulation));
        let (gained, work, rise) = (energy(&simulation) - start, simulation.last_step().external_work, rest.rise);
        println!("{density} kg/m³: gained {gained:.2} J of {start:.1} J by {work:.2} J of work; rise of the rest {rise:.3} J");
        assert!((5.0..35.0).contains(&work) && rise < 1e-3 * start, "{work} J, {rise} J");
    }
}

/// The mean force that the film had is not given to a box that has just vanished.
#[test]
fn a_body_that_vanishes_has_no_film() {
    let tank = fixed("tank", sample("small_tank", DVec3::ONE), Pose::IDENTITY);
    let cork = floating(
        "cork",
        cuboid(DVec3::splat(-0.5 * SIDE), DVec3::splat(0.5 * SIDE)),
        Pose::from_translation(DVec3::new(0.5, 0.17, 0.5)),
        600.0,
    );
    let cork = BodyDefinition { presence: Presence { until: Some(0.02), ..Presence::default() }, ..cork };
    let mut simulation = FluidSimulation::new(pool(), vec![tank, cork]).unwrap();
    crate::common::run(&mut simulation, 0.02, |_| {});
    assert!(simulation.loads()[1].pressure.linear.y > 0.0, "{:?}", simulation.loads());
    crate::common::run(&mut simulation, 0.01, |simulation| assert_eq!(simulation.loads()[1].total(), Impulse::default()));
}

/// A ball of five radii beside a wall has a part that is parallel to it, but only for a film of a few particles.
#[test]
fn small_bodies_have_no_films() {
    let after = |gap_pressure: bool, radii: f64| {
        let tank = fixed("tank", sample("small_tank", DVec3::ONE), Pose::IDENTITY);
        let place = Pose::from_translation(DVec3::new((radii + 0.5) * RADIUS, 0.3, 0.5));
        let ball = floating("ball", sample("sphere", DVec3::splat(2.0 * radii * RADIUS)), place, 700.0);
        let mut simulation = FluidSimulation::new(FluidSettings { gap_pressure, ..pool() }, vec![tank, ball]).unwrap();
        crate::common::run(&mut simulation, 0.02, |_| {});
        simulation.bodies()[1].center()
    };
    assert_eq!(after(true, 5.0), after(false, 5.0));
    assert_ne!(after(true, 12.0), after(false, 12.0));
}
