//! What is hard to simulate is simulated, and what cannot be simulated is recognised.

mod common;

use common::{box_fill, cuboid, fixed, floating, moving, sample};
use glam::DVec3;
use plimsoll::{
    bodies::{BodyDefinition, PrescribedMotion},
    fluid::{Breakdown, FluidSettings, FluidSimulation},
    math::Pose,
};

const RADIUS: f64 = 0.03;

/// A pool, 0.4 m deep and 1 m wide, with `body`.
fn pool(radius: f64, depth: f64, body: BodyDefinition) -> FluidSimulation {
    let fill = box_fill(DVec3::ZERO, DVec3::new(1.0, depth, 1.0), DVec3::ZERO);
    let tank = fixed("tank", sample("small_tank", DVec3::ONE), Pose::IDENTITY);
    FluidSimulation::new(common::settings(radius, vec![fill]), vec![tank, body]).unwrap()
}

fn block(density: f64, height: f64) -> BodyDefinition {
    floating("block", sample("box", DVec3::splat(0.3)), Pose::from_translation(DVec3::new(0.5, height, 0.5)), density)
}

fn energy(simulation: &FluidSimulation) -> f64 {
    simulation.kinetic_energy() + simulation.potential_energy()
}

/// Greatest rise of the energy above its least value before, and greatest speed.
fn watch(simulation: &mut FluidSimulation, seconds: f64) -> (f64, f64) {
    let (mut lowest, mut rise, mut fastest) = (energy(simulation), 0.0_f64, 0.0_f64);
    let frames = (50.0 * seconds).round() as u32;
    for _ in 0..frames {
        common::run(simulation, 0.02, |simulation| {
            lowest = lowest.min(energy(simulation));
            rise = rise.max(energy(simulation) - lowest);
            fastest = fastest.max(simulation.last_step().greatest_speed);
        });
    }
    (rise, fastest)
}

/// From 0.2 m above water, and of gold too.
#[test]
fn heavy_blocks_fall_into_water_and_the_energy_falls() {
    for density in [5e3, 19_300.0, 5e4, 1e5] {
        let mut simulation = pool(RADIUS, 0.4, block(density, 0.75));
        let start = energy(&simulation);
        let (rise, fastest) = watch(&mut simulation, 1.0);
        let height = simulation.bodies()[1].center().y;
        println!(
            "{density} kg/m³: {start:.0} to {:.0} J, rise {rise:.3} J, fastest {fastest:.1} m/s, ends {height:.4} m high",
            energy(&simulation)
        );
        assert!(rise < 0.01 * start, "{density}: {rise} of {start} J");
        assert!((0.149..0.2).contains(&height), "{density}: {height}");
    }
}

/// Set deep into water and let go.
#[test]
fn light_blocks_rise_out_of_water_and_the_energy_falls() {
    for density in [0.1, 1.0, 10.0] {
        let mut simulation = pool(RADIUS, 0.4, block(density, 0.2));
        let start = energy(&simulation);
        let (rise, fastest) = watch(&mut simulation, 1.0);
        let height = simulation.bodies()[1].center().y;
        println!(
            "{density} kg/m³: {start:.1} to {:.1} J, rise {rise:.4} J, fastest {fastest:.2} m/s, {height:.3} m high",
            energy(&simulation)
        );
        assert!(rise < 1e-3 * start && fastest < 6.0 && height > 0.4, "{density}: {rise} of {start} J, {fastest} m/s, {height} m");
    }
}

fn breakdown(simulation: &mut FluidSimulation, seconds: f64) -> Breakdown {
    while simulation.time() < seconds {
        if let Err(breakdown) = simulation.advance(seconds) {
            println!("{breakdown}");
            return breakdown;
        }
    }
    panic!("nothing was noticed in {seconds} s: {:?}", simulation.last_step())
}

/// A lid half a centimetre from the walls presses the water out of a full tank, where it has no way.
#[test]
fn a_lid_that_compresses_the_water_is_named() {
    let lid = cuboid(DVec3::new(0.005, 0.0, 0.005), DVec3::new(0.995, 0.1, 0.995));
    let motion = PrescribedMotion::Constant { linear: DVec3::new(0.0, -0.5, 0.0), angular: DVec3::ZERO, pivot: DVec3::ZERO };
    let lid = moving("lid", lid, Pose::from_translation(DVec3::new(0.0, 0.62, 0.0)), motion);
    let mut simulation = pool(0.04, 0.6, lid);
    let found = breakdown(&mut simulation, 1.0);
    assert!(found.what.contains("compressed") && found.cause.contains("\"lid\" moves"), "{found}");
    assert!(found.time < 0.4, "{found}");
}

/// Froude's law: 100,000 times the gravity makes everything 316 times as fast, and no worse.
#[test]
fn gravity_of_any_strength_is_simulated() {
    let tank = || fixed("tank", sample("tank", DVec3::ONE), Pose::IDENTITY);
    let collapsed = |factor: f64| {
        let fill = box_fill(DVec3::ZERO, DVec3::new(0.625, 0.8, 1.0), DVec3::ZERO);
        let mut settings = FluidSettings { settle: false, ..common::settings(0.04, vec![fill]) };
        settings.gravity *= factor;
        settings.time_step.minimum = 1e-9;
        // Viscosity scales with length times speed.
        settings.viscosity.kinematic *= factor.sqrt();
        let mut simulation = FluidSimulation::new(settings, vec![tank()]).unwrap();
        let start = energy(&simulation);
        common::run(&mut simulation, 0.3 / factor.sqrt(), |_| {});
        let front = common::positions(&simulation).map(|x| x.x).fold(0.0, f64::max);
        (front, energy(&simulation) / start)
    };
    let (front, left) = collapsed(1.0);
    for factor in [1e3, 1e5] {
        let (strong_front, strong_left) = collapsed(factor);
        println!("{factor} g: front {strong_front:.4} m, energy left {strong_left:.4}; g: {front:.4} m, {left:.4}");
        assert!((strong_front - front).abs() < 0.04 && (strong_left - left).abs() < 0.02);
    }
}

/// Fluid that is torn apart by numbers out of range ends with an error, not with a result.
#[test]
fn what_is_not_finite_ends_the_simulation() {
    let mut simulation = pool(0.04, 0.3, block(500.0, 0.6));
    simulation.set_external_load(1, DVec3::new(1e300, 0.0, 0.0), DVec3::ZERO);
    let found = breakdown(&mut simulation, 0.1);
    assert!(found.what.contains("block"), "{found}");
    let mut simulation = pool(0.04, 0.3, block(500.0, 0.6));
    simulation.stir(DVec3::new(0.5, 0.1, 0.5), 0.1, DVec3::splat(1e38), 50.0);
    breakdown(&mut simulation, 0.1);
}
