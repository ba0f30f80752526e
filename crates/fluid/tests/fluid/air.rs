//! Drag of the air: the terminal velocity of a drop, its decay, shelter in the fluid, exact momentum.

use crate::common::{GRAVITY, WATER, box_fill};
use glam::DVec3;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{Air, Fill, FluidSettings, FluidSimulation};

/// A drop of a volume of 8 mm³.
const DROP: f64 = 1e-3;

/// Fluid in calm air, without viscosity but for that of water in the shape of drops.
fn in_air(radius: f64, fills: Vec<Fill>) -> FluidSettings {
    FluidSettings { air: Some(Air::default()), settle: false, ..crate::common::settings(radius, fills) }
}

/// A single particle at rest or moving with `velocity` (m/s).
fn drop_of(radius: f64, velocity: DVec3) -> FluidSettings {
    in_air(radius, vec![box_fill(DVec3::ZERO, DVec3::splat(2.0 * radius), velocity)])
}

/// Force (N) of calm air on a drop at a speed (m/s), computed from scratch: the deformation follows from integrating its equation of motion up
/// to the first maximum.
fn drag(radius: f64, speed: f64) -> f64 {
    let (air, water, viscosity, tension) = (1.2, WATER, 1e-3, 0.0724);
    let l = radius * (6.0 / std::f64::consts::PI).cbrt();
    let push = (1.0 / 3.0) / 0.5 * air * speed.powi(2) / (water * l * l);
    let (spring, damper) = (8.0 * tension / (water * l.powi(3)), 5.0 * viscosity / (water * l * l));
    let dt = 1e-5 / spring.sqrt();
    let (mut y, mut rate) = (0.0_f64, 0.0_f64);
    loop {
        // Leapfrog.
        rate += dt * (push - spring * y - damper * rate);
        if rate <= 0.0 {
            break;
        }
        y += dt * rate;
    }
    let y = y.min(1.0);
    let reynolds = air * speed * 2.0 * l / 1.8e-5;
    let sphere = if reynolds <= 1000.0 { 24.0 / reynolds + 4.0 * reynolds.powf(-1.0 / 3.0) } else { 0.424 };
    let wide = l + 0.5 * l * y;
    0.5 * air * speed * speed * sphere * (1.0 + 2.632 * y) * std::f64::consts::PI * wide * wide
}

#[test]
fn a_drop_reaches_the_terminal_velocity_of_its_shape() {
    for radius in [1e-4, 5e-4, DROP, 3e-3] {
        let mass = WATER * (2.0 * radius).powi(3);
        let expected = crate::common::solid::bisect(0.01, 100.0, |speed| drag(radius, speed) - mass * GRAVITY);
        let mut settings = drop_of(radius, DVec3::ZERO);
        // A step is short if a drop accelerates little within it.
        settings.time_step.maximum = 0.002 * expected / GRAVITY;
        let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
        assert_eq!(simulation.particle_count(), 1);
        crate::common::run(&mut simulation, 8.0 * expected / GRAVITY, |_| {});
        let speed = -f64::from(simulation.particles().velocities[0].y);
        println!("particle of {:.1} mm: {speed:.3} m/s, expected {expected:.3}", 2e3 * radius);
        assert!((speed / expected - 1.0).abs() < 0.01, "{radius}: {speed}, expected {expected}");
    }
}

/// Without gravity, speed decays as `m v' = −drag(v)`, here integrated with small steps; with wind, towards the wind.
#[test]
fn a_drop_slows_down_to_the_speed_of_the_air() {
    let (mass, start, seconds) = (WATER * (2.0 * DROP).powi(3), 8.0, 0.5);
    let (mut expected, steps) = (start, 500);
    for _ in 0..steps {
        expected -= seconds / f64::from(steps) * drag(DROP, expected) / mass;
    }
    for wind in [DVec3::ZERO, DVec3::new(3.0, -1.0, 0.0)] {
        let mut settings = FluidSettings { gravity: DVec3::ZERO, ..drop_of(DROP, wind + DVec3::new(0.0, 0.0, start)) };
        settings.air = Some(Air { velocity: wind, ..Air::default() });
        let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
        crate::common::run(&mut simulation, seconds, |_| {});
        let relative = simulation.particles().velocities[0].as_dvec3() - wind;
        println!("{:.4} m/s, expected {expected:.4}", relative.z);
        assert!((relative - DVec3::new(0.0, 0.0, expected)).length() < 0.005 * start, "{relative} {expected}");
        let last = simulation.last_step();
        let before = 0.5 * mass * (wind + DVec3::new(0.0, 0.0, start)).length_squared();
        assert!((last.kinetic_energy - before - last.external_work).abs() < 1e-6 * before, "{last:?}");
    }
}

/// Any step is stable: a drop as light as the air takes on the velocity of the wind, and no more.
#[test]
fn strong_drag_never_reverses_the_motion() {
    let mut settings = FluidSettings { gravity: DVec3::ZERO, ..drop_of(1e-5, DVec3::ZERO) };
    settings.air = Some(Air { density: 1000.0, velocity: DVec3::new(20.0, 0.0, 0.0), ..Air::default() });
    (settings.time_step.minimum, settings.time_step.maximum) = (0.001, 0.001);
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    let mut last = 0.0;
    crate::common::run(&mut simulation, 0.05, |simulation| {
        let speed = simulation.particles().velocities[0].x;
        assert!((last..=20.0).contains(&speed), "{speed} after {last}");
        last = speed;
    });
    assert!(last > 19.0, "{last}");
}

/// A cube that flies through the air is dragged by about the pressure of the air times its front; the inside is not (`forces/air.rs`).
#[test]
fn a_cube_is_dragged_at_its_front() {
    let (radius, count, speed) = (0.02, 12.0, 10.0);
    let side = 2.0 * radius * count;
    let block = box_fill(DVec3::ZERO, DVec3::splat(side), DVec3::new(speed, 0.0, 0.0));
    let settings = FluidSettings { gravity: DVec3::ZERO, ..in_air(radius, vec![block]) };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    let before = crate::common::fluid_momentum(&simulation).0.x;
    simulation.advance(1.0).unwrap();
    let force = (before - crate::common::fluid_momentum(&simulation).0.x) / simulation.last_step().dt;
    let front = 0.5 * 1.2 * speed * speed * side * side;
    println!("drag {:.3} ρ v²/2 A", force / front);
    assert!((0.8..1.6).contains(&(force / front)), "{}", force / front);
}

/// A jet falls on a floating box in the wind.
#[test]
fn momentum_is_exact_with_air() {
    let wind = Air { velocity: DVec3::new(15.0, 0.0, -5.0), ..Air::default() };
    let mut simulation = crate::common::jet_on_a_box(|settings| settings.air = Some(wind));
    crate::common::run(&mut simulation, 0.8, |_| {});
    let last = simulation.last_step();
    println!("momentum error {:.1e}, angular {:.1e}", last.momentum_error, last.angular_momentum_error);
    assert!(last.momentum_error < 1e-6 && last.angular_momentum_error < 1e-4, "{last:?}");
    let saved = plimsoll_saved::fluid::save(&simulation);
    let mut resumed = plimsoll_saved::fluid::load(&saved);
    for simulation in [&mut simulation, &mut resumed] {
        simulation.advance(1.0).unwrap();
        simulation.advance(1.0).unwrap();
    }
    assert_eq!(simulation.particles().velocities, resumed.particles().velocities);
}
