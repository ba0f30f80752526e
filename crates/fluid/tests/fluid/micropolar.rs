//! Micropolar fluids: the decay of a shear wave, a drop that starts to turn as its spin does, exact angular momentum, restarts.

use std::f64::consts::TAU;

use crate::common::{WATER, box_fill};
use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{Emitter, Fill, FillShape, FluidSettings, FluidSimulation, Material, Micropolar, Viscosity, ViscositySolver};

fn viscous(kinematic: f64) -> Viscosity {
    Viscosity { kinematic, artificial: 0.0, ..Viscosity::default() }
}

/// Amplitudes of the velocity `a sin(ky)` along x (m/s) and of the spin `b cos(ky)` about z (rad/s) after `seconds`, by the midpoint rule:
/// `a' = −(ν + ν_r) k² a − 2 ν_r k b`, `Θ b' = −2 ν_r (k a + 2 b) − γ k² b`.
fn shear_wave(micropolar: &Micropolar, viscosity: f64, k: f64, (mut a, mut b): (f64, f64), seconds: f64) -> (f64, f64) {
    let Micropolar { rotational_viscosity: nu, inertia, spin_viscosity: gamma } = *micropolar;
    let rates =
        |a: f64, b: f64| (-(viscosity + nu) * k * k * a - 2.0 * nu * k * b, -(2.0 * nu * (k * a + 2.0 * b) + gamma * k * k * b) / inertia);
    let steps = 20_000;
    let dt = seconds / f64::from(steps);
    for _ in 0..steps {
        let (da, db) = rates(a, b);
        let (da, db) = rates(a + 0.5 * dt * da, b + 0.5 * dt * db);
        (a, b) = (a + dt * da, b + dt * db);
    }
    (a, b)
}

/// A shear wave in a periodic box, of one fluid or of two that differ only in their density, side by side: flow and spin exchange momentum, and both
/// decay. A spin of hardly any inertia follows the flow in steps of the same length.
#[test]
fn a_shear_wave_decays_as_in_theory() {
    let (length, speed, seconds, viscosity) = (1.0, 1.0, 0.25, 5e-3);
    let (d, k) = (length / 25.0, TAU / length);
    let weak = Micropolar { rotational_viscosity: 5e-3, inertia: 0.02, spin_viscosity: 0.0 };
    let diffusing = Micropolar { spin_viscosity: 2e-3, ..weak };
    let strong = Micropolar { rotational_viscosity: 0.05, inertia: 0.02, spin_viscosity: 0.0 };
    let light = Micropolar { inertia: 1e-5, ..strong };
    let cases = [
        (weak, 0.0, false),
        (weak, 0.0, true),
        (weak, -0.5 * k, false),
        (diffusing, -0.5 * k, true),
        (strong, -0.5 * k, false),
        (strong, 0.0, true),
        (light, -0.5 * k, false),
    ];
    for (micropolar, start, two_fluids) in cases {
        let size = DVec3::new(6.0 * d + 2.0 * d, length, 8.0 * d);
        let domain = Domain { low: DVec3::ZERO, size, periodic: [true; 3], dimension: 3 };
        let mut fills = vec![box_fill(DVec3::ZERO, size, DVec3::ZERO)];
        let mut materials = Vec::new();
        if two_fluids {
            let fluid = |name: &str, density: f64| Material { kinematic_viscosity: viscosity, ..Material::new(name, density) };
            materials = vec![fluid("heavy", WATER), fluid("light", 0.4 * WATER)];
            let half = DVec3::new(size.x, size.y, 0.5 * size.z);
            fills = vec![box_fill(DVec3::ZERO, half, DVec3::ZERO), box_fill(DVec3::new(0.0, 0.0, half.z), size, DVec3::ZERO)];
            fills[1].material = 1;
        }
        let viscosities = viscous(viscosity);
        let settings = FluidSettings {
            domain,
            gravity: DVec3::ZERO,
            viscosity: viscosities,
            settle: false,
            micropolar: Some(micropolar),
            materials,
            ..crate::common::settings(0.5 * d, fills)
        };
        let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
        simulation.set_velocities(|x| DVec3::X * speed * (k * x.y).sin());
        simulation.set_spins(|x| DVec3::Z * start * speed * (k * x.y).cos());
        let begin = simulation.momentum();
        crate::common::run(&mut simulation, seconds, |_| {});
        let particles = simulation.particles();
        let places = || particles.positions.iter().map(|x| k * f64::from(x.y));
        let count = particles.len() as f64;
        let a: f64 = 2.0 / count * places().zip(&particles.velocities).map(|(y, v)| y.sin() * f64::from(v.x)).sum::<f64>();
        let b: f64 = 2.0 / count * places().zip(&particles.spins).map(|(y, spin)| y.cos() * f64::from(spin.z)).sum::<f64>();
        let (expected_a, expected_b) = shear_wave(&micropolar, viscosity, k, (speed, start * speed), seconds);
        println!("{micropolar:?} from {start:.2}: {a:.4} m/s and {b:.3} rad/s, expected {expected_a:.4} and {expected_b:.3}");
        assert!((a - expected_a).abs() < 0.02 * speed, "{a} m/s, expected {expected_a}");
        assert!((b - expected_b).abs() < 0.03 * 0.5 * k * speed, "{b} rad/s, expected {expected_b}");
        let drift = (simulation.momentum().linear - begin.linear).length();
        assert!(drift < 1e-6 * count * simulation.particle_mass(0) * speed, "{drift}");
    }
}

/// A drop at rest whose spin turns: in the end, both turn as one, with the same angular momentum.
#[test]
fn spin_turns_a_drop() {
    // So slow that the drop keeps its shape.
    let (radius, turning) = (0.1, DVec3::new(0.03, -0.04, 0.12));
    let fills = vec![Fill::at_rest(FillShape::Sphere { center: DVec3::new(0.3, 0.2, -0.1), radius })];
    let micropolar = Micropolar { rotational_viscosity: 0.02, inertia: 0.004, spin_viscosity: 0.0 };
    let settings = FluidSettings {
        gravity: DVec3::ZERO,
        viscosity: viscous(0.02),
        settle: false,
        micropolar: Some(micropolar),
        ..crate::common::settings(0.01, fills)
    };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    let (mass, count) = (simulation.particle_mass(0), simulation.particles().len() as f64);
    let center = crate::common::positions(&simulation).sum::<DVec3>() / count;
    // About the x axis; the same about the others.
    let moment: f64 = crate::common::positions(&simulation).map(|x| mass * ((x - center).y.powi(2) + (x - center).z.powi(2))).sum();
    let of_spin = count * mass * micropolar.inertia;
    simulation.set_spins(|_| turning);
    let begin = simulation.momentum();
    let mut energy = simulation.kinetic_energy();
    crate::common::run(&mut simulation, 1.0, |simulation| {
        let last = std::mem::replace(&mut energy, simulation.kinetic_energy());
        assert!(energy < (1.0 + 1e-6) * last, "{last} J, then {energy} J");
    });
    let expected = of_spin / (of_spin + moment) * turning;
    let particles = simulation.particles();
    let spin = particles.spins.iter().map(|spin| spin.as_dvec3()).sum::<DVec3>() / count;
    let of_flow = crate::common::fluid_momentum(&simulation).1 - center.cross(crate::common::fluid_momentum(&simulation).0);
    println!("spin {spin:.5}, flow {:.5}, expected {expected:.5} rad/s", of_flow / moment);
    assert!((spin - expected).length() < 0.02 * turning.length(), "{spin}, expected {expected}");
    assert!((of_flow / moment - expected).length() < 0.02 * turning.length(), "{}, expected {expected}", of_flow / moment);
    let end = simulation.momentum();
    let exchanged = of_flow.length();
    println!("drift of angular momentum {:.1e} of what was exchanged", (end.angular - begin.angular).length() / exchanged);
    assert!((end.angular - begin.angular).length() < 1e-6 * exchanged, "{begin:?} {end:?}");
    assert!((end.linear - begin.linear).length() < 1e-6 * exchanged / radius, "{begin:?} {end:?}");
}

/// A drain takes fluid away with the momentum and the energy of its spin.
#[test]
fn fluid_that_leaves_takes_its_spin_along() {
    let block = box_fill(DVec3::ZERO, DVec3::splat(0.2), DVec3::X);
    let micropolar = Micropolar { rotational_viscosity: 1e-9, inertia: 0.01, spin_viscosity: 0.0 };
    let settings = FluidSettings {
        gravity: DVec3::ZERO,
        settle: false,
        micropolar: Some(micropolar),
        drains: vec![Aabb { min: DVec3::new(0.1, -1.0, -1.0), max: DVec3::splat(1.0) }],
        ..crate::common::settings(0.02, vec![block])
    };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    simulation.set_spins(|_| DVec3::new(0.0, 20.0, 0.0));
    let before = simulation.kinetic_energy();
    let work = simulation.last_step().external_work;
    simulation.advance(0.005).unwrap();
    let last = simulation.last_step();
    let (left, count) = (simulation.kinetic_energy(), simulation.particles().len());
    assert!((1..125).contains(&count), "{count}");
    // Setting the spins is work, too.
    let added = 0.5 * WATER * 0.008 * 0.01 * 400.0;
    assert!((left - before - (last.external_work - work - added)).abs() < 1e-5 * before, "{before} {left} {last:?}");
}

/// A jet falls on a floating box in a pool that turns; a drain takes fluid away. With `several` the jet is oil from a nozzle under water, viscosity is
/// implicit, and noise is damped by hyperviscosity.
fn pool(several: bool) -> FluidSimulation {
    let mut simulation = crate::common::jet_on_a_box(|settings| {
        settings.micropolar = Some(Micropolar { rotational_viscosity: 0.01, inertia: 0.01, spin_viscosity: 1e-5 });
        settings.drains.push(Aabb { min: DVec3::splat(-0.1), max: DVec3::splat(0.1) });
        if several {
            settings.materials = vec![Material::new("water", WATER), Material { kinematic_viscosity: 1e-2, ..Material::new("oil", 600.0) }];
            settings.emitters[0] = Emitter { material: 1, position: DVec3::new(0.3, 0.16, 0.1), ..settings.emitters[0].clone() };
            settings.viscosity = Viscosity { hyperviscosity: true, solver: ViscositySolver::Implicit, ..Viscosity::default() };
        }
    });
    simulation.set_velocities(|x| 2.0 * DVec3::Y.cross(x - 0.2));
    simulation
}

#[test]
fn momentum_is_exact_with_spin() {
    for several in [false, true] {
        let mut simulation = pool(several);
        crate::common::run(&mut simulation, 0.6, |_| {});
        let last = simulation.last_step();
        println!("momentum error {:.1e}, angular {:.1e}", last.momentum_error, last.angular_momentum_error);
        assert!(last.momentum_error < 1e-6 && last.angular_momentum_error < 1e-6, "{last:?}");
        let greatest = simulation.particles().spins.iter().map(|spin| spin.length()).fold(0.0, f32::max);
        assert!(greatest > 1.0, "{greatest} rad/s");
    }
}

#[test]
fn a_restart_and_other_numbers_of_threads_change_nothing() {
    let on = |threads: usize, interrupted: bool| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut simulation = pool(true);
            for step in 0..60 {
                if interrupted && step == 30 {
                    simulation = plimsoll_saved::fluid::restored(&simulation);
                }
                simulation.advance(1.0).unwrap();
            }
            postcard::to_allocvec(simulation.particles()).unwrap()
        })
    };
    let whole = on(1, false);
    assert!(on(2, true) == whole && on(3, false) == whole);
}
