//! Implicit viscosity: agreement with explicit forces, exact momentum with bodies in the same system, long steps, restarts, laws of the shear rate.

use crate::common::{GRAVITY, box_fill, cuboid, fixed, floating, sample, thrown, total_momentum, with};
use glam::{DVec3, Vec3A};
use plimsoll_base::math::Pose;
use plimsoll_bodies::BodyDefinition;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation, Material, Rheology, Viscosity, ViscositySolver};

const RADIUS: f64 = 0.02;
const SIDE: f64 = 0.4;

fn tank() -> BodyDefinition {
    fixed("tank", sample("small_tank", DVec3::new(SIDE, 1.2, SIDE)), Pose::IDENTITY)
}

fn pool(viscosity: Viscosity) -> FluidSettings {
    let fill = box_fill(DVec3::ZERO, DVec3::new(SIDE, 0.24, SIDE), DVec3::ZERO);
    FluidSettings { viscosity, ..crate::common::settings(RADIUS, vec![fill]) }
}

fn kinematic(kinematic: f64, solver: ViscositySolver) -> Viscosity {
    Viscosity { kinematic, solver, ..Viscosity::default() }
}

/// A blob of 8 x 5 x 8 particles in weightlessness with a box in it, both thrown, and a box beside it that it hits.
fn blob(viscosity: Viscosity, density: f64) -> FluidSimulation {
    let fill = box_fill(DVec3::new(-0.16, -0.1, -0.16), DVec3::new(0.16, 0.1, 0.16), DVec3::new(1.0, 0.2, 0.0));
    let settings = FluidSettings { viscosity, gravity: DVec3::ZERO, settle: false, ..crate::common::settings(RADIUS, vec![fill]) };
    // Its faces are between lattice points.
    let size = DVec3::new(0.08, 0.12, 0.16);
    let cube = |name: &str, x: f64| floating(name, cuboid(-0.5 * size, 0.5 * size), Pose::from_translation(x * DVec3::X), density);
    let inner = thrown(cube("inner", 0.0), DVec3::new(-1.0, 0.0, 0.5), DVec3::new(0.0, 3.0, 8.0));
    FluidSimulation::new(settings, vec![inner, cube("outer", 0.26)]).unwrap()
}

/// Steps short enough for both.
#[test]
fn implicit_and_explicit_viscosity_agree() {
    let velocities = |solver| {
        let mut settings = pool(Viscosity { artificial: 0.0, ..kinematic(2e-3, solver) });
        settings.time_step.maximum = 2e-4;
        settings.settle = false;
        let mut simulation = FluidSimulation::new(settings, vec![tank()]).unwrap();
        // A vortex that rubs against the walls.
        simulation.set_velocities(|x| DVec3::Y.cross(x - DVec3::new(0.2, 0.0, 0.2)) * 3.0);
        crate::common::run(&mut simulation, 0.1, |_| {});
        let mut pairs: Vec<(u32, Vec3A)> =
            simulation.particles().ids.iter().copied().zip(simulation.particles().velocities.clone()).collect();
        pairs.sort_by_key(|(id, _)| *id);
        (pairs, simulation.kinetic_energy())
    };
    let ((explicit, energy), (implicit, other)) = (velocities(ViscositySolver::Explicit), velocities(ViscositySolver::Implicit));
    let square = |velocity: Vec3A| f64::from(velocity.length_squared());
    let difference: f64 = explicit.iter().zip(&implicit).map(|(a, b)| square(a.1 - b.1)).sum();
    let total: f64 = explicit.iter().map(|a| square(a.1)).sum();
    println!("energies {energy:.5} and {other:.5} J, difference of the velocities {:.4}", (difference / total).sqrt());
    assert!((other / energy - 1.0).abs() < 0.01, "{energy} {other}");
    assert!((difference / total).sqrt() < 0.05, "{difference} of {total}");
}

/// Light and heavy bodies in a blob without anything outside: each force has its reaction, and friction only takes energy.
#[test]
fn momentum_is_kept_with_bodies_in_the_system() {
    for density in [100.0, 5000.0] {
        let mut simulation = blob(kinematic(0.1, ViscositySolver::Auto), density);
        assert!(simulation.settings().is_viscosity_implicit());
        let (start, energy) = (total_momentum(&simulation), simulation.kinetic_energy());
        let mut greatest = energy;
        crate::common::run(&mut simulation, 0.4, |simulation| {
            let now = simulation.kinetic_energy();
            assert!(now < greatest * (1.0 + 1e-6), "{greatest} to {now} J at {} s", simulation.time());
            greatest = now;
        });
        let (end, last) = (total_momentum(&simulation), simulation.last_step());
        let (linear, angular) = ((end.0 - start.0).length() / start.0.length(), (end.1 - start.1).length() / start.1.length());
        let friction = simulation.loads()[0].friction.linear.length();
        println!(
            "{density}: momentum {linear:.1e}, angular {angular:.1e}; in the ledger {:.1e}, {:.1e}; {:?}; friction {friction:.1e} N s",
            last.momentum_error, last.angular_momentum_error, last.viscosity
        );
        assert!(linear < 1e-5 && angular < 1e-4, "{linear} {angular}");
        assert!(last.momentum_error < 1e-6 && last.angular_momentum_error < 1e-4, "{last:?}");
        assert!(friction > 0.0 && simulation.totals().viscosity_not_converged == 0);
    }
}

/// The pool and a light ball in it that a spring of fluid cannot shake: steps as long as those of water, nothing moves after a second.
#[test]
fn fluid_of_any_viscosity_rests_with_the_steps_of_water() {
    let water = pool(Viscosity::default()).longest_step(GRAVITY);
    for viscosity in [1e-3, 1e-1] {
        let settings = pool(kinematic(viscosity, ViscositySolver::Auto));
        assert_eq!(settings.longest_step(GRAVITY), water, "{viscosity}");
        let ball = floating("ball", sample("sphere", DVec3::splat(0.16)), Pose::from_translation(DVec3::new(0.2, 0.24, 0.2)), 500.0);
        let mut simulation = FluidSimulation::new(settings, vec![tank(), ball]).unwrap();
        crate::common::run(&mut simulation, 1.0, |_| {});
        let mut fastest = 0.0_f64;
        crate::common::run(&mut simulation, 0.2, |simulation| {
            fastest = fastest.max(simulation.bodies()[1].velocity.length()).max(simulation.last_step().max_speed);
        });
        println!("{viscosity} m²/s: fastest {fastest:.2e} m/s, {:?}", simulation.last_step().viscosity);
        assert!(fastest < 0.03, "{viscosity}: {fastest} m/s");
        assert!(simulation.last_step().momentum_error < 1e-6);
        assert_eq!((simulation.totals().leaked, simulation.totals().viscosity_not_converged), (0, 0));
    }
}

/// Without friction at walls, a layer slides as a block; with it, it sticks.
#[test]
fn walls_are_slippery_or_not() {
    let left = |wall| {
        let mut settings = pool(Viscosity { wall, ..kinematic(0.1, ViscositySolver::Auto) });
        settings.fills = vec![box_fill(DVec3::new(-0.2, 0.0, -0.2), DVec3::new(0.2, 0.12, 0.2), 0.5 * DVec3::X)];
        let floor = fixed("floor", cuboid(DVec3::new(-2.0, -0.2, -2.0), DVec3::new(2.0, 0.0, 2.0)), Pose::IDENTITY);
        let mut simulation = FluidSimulation::new(settings, vec![floor]).unwrap();
        simulation.set_velocities(|_| 0.5 * DVec3::X);
        crate::common::run(&mut simulation, 0.1, |_| {});
        let velocities = &simulation.particles().velocities;
        velocities.iter().map(|v| f64::from(v.x)).sum::<f64>() / velocities.len() as f64
    };
    let (slips, sticks) = (left(Some(0.0)), left(None));
    println!("mean speeds {slips:.4} and {sticks:.4} of 0.5 m/s");
    assert!(slips > 0.495 && sticks < 0.15, "{slips} {sticks}");
}

#[test]
fn a_restart_changes_nothing() {
    let mut settings = pool(Viscosity::default());
    settings.settle = false;
    let yielding = Rheology::HerschelBulkley { yield_stress: 10.0, consistency: 2.0, index: 0.8 };
    let paste = Material { kinematic_viscosity: 0.2, law: yielding, ..Material::new("paste", 1400.0) };
    settings.materials = vec![paste, Material::new("water", 1000.0)];
    settings.fills.push(box_fill(DVec3::new(0.1, 0.3, 0.1), DVec3::new(0.3, 0.4, 0.3), -DVec3::Y));
    settings.fills[1].material = 1;
    let cube = with(
        floating("cube", cuboid(DVec3::splat(-0.04), DVec3::splat(0.04)), Pose::from_translation(DVec3::new(0.2, 0.24, 0.2)), 700.0),
        |floating| floating.locked_rotation = [false, true, false],
    );
    let mut simulation = FluidSimulation::new(settings, vec![tank(), cube]).unwrap();
    crate::common::run(&mut simulation, 0.1, |_| {});
    let saved = plimsoll_saved::fluid::save(&simulation);
    let mut resumed = plimsoll_saved::fluid::load(&saved);
    crate::common::run(&mut simulation, 0.1, |_| {});
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| crate::common::run(&mut resumed, 0.1, |_| {}));
    assert!(simulation.particles().positions == resumed.particles().positions);
    assert!(simulation.particles().velocities == resumed.particles().velocities);
    assert_eq!(simulation.bodies()[1].pose, resumed.bodies()[1].pose);
    assert!(simulation.last_step().momentum_error < 1e-6);
}

/// A thread that is drawn out contracts, although there is no negative pressure: its viscous stress must not push it apart.
#[test]
fn a_thread_that_is_drawn_out_contracts() {
    let fill = box_fill(DVec3::new(-0.08, -0.5, -0.08), DVec3::new(0.08, 0.5, 0.08), DVec3::ZERO);
    let viscosity = kinematic(0.1, ViscositySolver::Auto);
    let settings = FluidSettings { viscosity, gravity: DVec3::ZERO, settle: false, ..crate::common::settings(RADIUS, vec![fill]) };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    let rate = 2.0;
    simulation.set_velocities(|x| rate * x.y * DVec3::Y);
    crate::common::run(&mut simulation, 0.02, |_| {});
    let particles = simulation.particles();
    let middle = || (0..particles.len()).filter(|&i| particles.positions[i].y.abs() < 0.2);
    let outward = |i: usize| particles.velocities[i].with_y(0.0).dot(particles.positions[i].with_y(0.0));
    let square = |i: usize| particles.positions[i].with_y(0.0).length_squared();
    let contraction = -middle().map(outward).sum::<f32>() / middle().map(square).sum::<f32>();
    println!("contracts at {:.3} of the rate at which it is drawn out", f64::from(contraction) / rate);
    // A quarter with this bulk viscosity, half of it if the volume were kept.
    assert!((0.15..0.5).contains(&(f64::from(contraction) / rate)), "{contraction} 1/s");
}

/// A heap keeps the shape that its yield stress can bear: of the same height, a weaker one spreads.
#[test]
fn a_heap_with_a_yield_stress_stands() {
    let height = |yield_stress: f64| {
        let law = Rheology::HerschelBulkley { yield_stress, consistency: 1.0, index: 1.0 };
        let mut settings = pool(Viscosity { law, ..kinematic(10.0, ViscositySolver::Auto) });
        settings.settle = false;
        settings.fills = vec![box_fill(DVec3::new(-0.12, 0.0, -0.12), DVec3::new(0.12, 0.2, 0.12), DVec3::ZERO)];
        let floor = fixed("floor", cuboid(DVec3::new(-2.0, -0.2, -2.0), DVec3::new(2.0, 0.0, 2.0)), Pose::IDENTITY);
        let mut simulation = FluidSimulation::new(settings, vec![floor]).unwrap();
        crate::common::run(&mut simulation, 0.5, |_| {});
        crate::common::positions(&simulation).map(|x| x.y).fold(0.0, f64::max) + RADIUS
    };
    // Pressure at the bottom is 2 kPa: a heap stands if its yield stress is above about half of that.
    let (weak, strong) = (height(50.0), height(2000.0));
    println!("heights after 0.5 s: {weak:.3} and {strong:.3} of 0.2 m");
    assert!(strong > 0.155 && weak < 0.09, "{weak} {strong}");
}
