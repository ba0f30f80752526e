//! Surface tension: drops without gravity.

use std::f64::consts::{PI, TAU};

use crate::common::{box_fill, cuboid, fixed, floating, thrown};
use crate::restarts::assert_a_restart_changes_nothing;
use glam::{DMat3, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::BodyDefinition;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{Fill, FillShape, FluidSettings, FluidSimulation, Material, Viscosity};

/// Particle radius, m; surface tension of water, N/m; density, kg/m³.
const RADIUS: f64 = 5e-4;
const TENSION: f64 = 0.0728;
const DENSITY: f64 = 1000.0;

/// With the artificial viscosity that docs/theory/surface-tension.md advises for drops.
fn weightless(fills: Vec<Fill>) -> FluidSettings {
    let viscosity = Viscosity { artificial: 0.3, ..Viscosity::default() };
    FluidSettings { gravity: DVec3::ZERO, fills, surface_tension: TENSION, viscosity, ..FluidSettings::new(RADIUS) }
}

/// A drop with a radius of `size` particle diameters.
fn drop(size: f64) -> FluidSimulation {
    let shape = FillShape::Sphere { center: DVec3::ZERO, radius: size * 2.0 * RADIUS };
    FluidSimulation::new(weightless(vec![Fill::at_rest(shape)]), Vec::new()).unwrap()
}

/// Radius of a sphere of the fluid's volume, m.
fn radius(simulation: &FluidSimulation) -> f64 {
    (3.0 * crate::common::fluid_volume(simulation) / (4.0 * PI)).cbrt()
}

/// Period of the slowest oscillation of a drop of this `radius` (m), in which it is stretched and flattened: `ω² = 8 σ/(ρ R³)` (Rayleigh 1879).
fn period(radius: f64) -> f64 {
    TAU / (8.0 * TENSION / (DENSITY * radius.powi(3))).sqrt()
}

fn center(simulation: &FluidSimulation) -> DVec3 {
    crate::common::positions(simulation).sum::<DVec3>() / simulation.particle_count() as f64
}

/// The largest over the smallest principal moment of inertia.
fn roundness(simulation: &FluidSimulation) -> f64 {
    let middle = center(simulation);
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let second: DMat3 = crate::common::positions(simulation).map(|x| outer(x - middle)).sum();
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    // Eigenvalues of the deviator of the second moments (Smith 1961).
    let deviator = second - DMat3::from_diagonal(DVec3::splat(trace / 3.0));
    let size = (deviator.to_cols_array().iter().map(|element| element * element).sum::<f64>() / 6.0).sqrt();
    let angle = ((deviator * (1.0 / size)).determinant() / 2.0).clamp(-1.0, 1.0).acos() / 3.0;
    let (high, low) = (2.0 * size * angle.cos(), 2.0 * size * (angle + TAU / 3.0).cos());
    (2.0 / 3.0 * trace - low) / (2.0 / 3.0 * trace - high)
}

/// Kinetic energy over the energy of the surface.
fn motion(simulation: &FluidSimulation) -> f64 {
    simulation.last_step().kinetic_energy / (4.0 * PI * radius(simulation).powi(2) * TENSION)
}

/// Mean pressure during `seconds` more than three particle diameters below the surface, Pa.
fn mean_pressure(simulation: &mut FluidSimulation, seconds: f64) -> f64 {
    let inner = (radius(simulation) - 6.0 * RADIUS).max(3.0 * RADIUS);
    let (mut sum, mut time) = (0.0, 0.0);
    crate::common::run(simulation, seconds, |simulation| {
        let (middle, particles) = (center(simulation), simulation.particles());
        let inside = || (0..particles.len()).filter(|&i| particles.positions[i].as_dvec3().distance(middle) < inner);
        let dt = simulation.last_step().dt;
        sum += dt * inside().map(|i| f64::from(particles.pressure(i))).sum::<f64>() / inside().count() as f64;
        time += dt;
    });
    sum / time
}

/// The pressure in a drop is `2 σ/R`. Its spurious motion is printed.
#[test]
fn a_drop_has_the_laplace_pressure() {
    let mut errors = Vec::new();
    for (size, rest, mean, bar) in [(5.0, 3.0, 2.0, 0.35), (8.0, 1.5, 0.7, 0.1), (12.0, 0.5, 0.3, 0.1), (16.0, 0.3, 0.1, 0.1)] {
        let mut simulation = drop(size);
        let cycle = period(radius(&simulation));
        crate::common::run(&mut simulation, rest * cycle, |_| {});
        let found = mean_pressure(&mut simulation, mean * cycle);
        let expected = 2.0 * TENSION / radius(&simulation);
        println!(
            "{size} diameters: {:.3} of the Laplace pressure; kinetic energy {:.1e} of the surface's; roundness {:.4}; compression {:.4} %",
            found / expected,
            motion(&simulation),
            roundness(&simulation),
            simulation.last_step().compression_percent
        );
        errors.push((found / expected - 1.0, bar));
        assert!(motion(&simulation) < 2e-3 && roundness(&simulation) < 1.03, "{size}");
    }
    assert!(errors.iter().all(|(error, bar)| error.abs() < *bar), "{errors:?}");
}

#[test]
fn a_drop_swings_with_rayleighs_period() {
    let mut simulation = drop(8.0);
    let (size, count) = (radius(&simulation), simulation.particle_count() as f64);
    let expected = period(size);
    let rate = 0.1 * TAU / expected;
    simulation.set_velocities(|x| rate * DVec3::new(-0.5 * x.x, x.y, -0.5 * x.z));
    let stretch = |x: DVec3| x.y * x.y - 0.5 * (x.x * x.x + x.z * x.z);
    let (mut last, mut zeros) = ((0.0, 0.0), Vec::new());
    crate::common::run(&mut simulation, 2.4 * expected, |simulation| {
        let now = (simulation.time(), crate::common::positions(simulation).map(stretch).sum::<f64>() / (count * size * size));
        if last.1 * now.1 < 0.0 && now.0 - zeros.last().unwrap_or(&0.0) > 0.2 * expected {
            zeros.push(last.0 - last.1 * (now.0 - last.0) / (now.1 - last.1));
        }
        last = now;
    });
    println!("zeros at {:.3?} periods of theory", zeros.iter().map(|time| time / expected).collect::<Vec<_>>());
    let found = zeros[3] - zeros[1];
    println!("period {:.3} of theory", found / expected);
    assert!((found / expected - 1.0).abs() < 0.1, "{found} s, expected {expected} s");
}

#[test]
fn a_cube_becomes_a_sphere() {
    let half = DVec3::splat(10.0 * RADIUS);
    let mut simulation = FluidSimulation::new(weightless(vec![box_fill(-half, half, DVec3::ZERO)]), Vec::new()).unwrap();
    let start = radius(&simulation);
    crate::common::run(&mut simulation, 4.0 * period(start), |_| {});
    let farthest = crate::common::positions(&simulation).map(|x| x.distance(center(&simulation))).fold(0.0, f64::max);
    println!(
        "roundness {:.4}; farthest particle at {:.3} radii; motion {:.1e}",
        roundness(&simulation),
        farthest / start,
        motion(&simulation)
    );
    assert!(roundness(&simulation) < 1.05 && farthest < 1.05 * start, "{}", roundness(&simulation));
}

/// Angle (rad) of a spherical cap on a plane whose center of mass is at `height`, in units of the cube root of its volume.
fn angle_of_cap(height: f64) -> f64 {
    let height_of = |angle: f64| {
        let cap = 1.0 - angle.cos();
        let volume = PI * cap * cap * (3.0 - cap) / 3.0;
        (3.0 * (2.0 - cap).powi(2) / (4.0 * (3.0 - cap)) - angle.cos()) / volume.cbrt()
    };
    let (mut low, mut high) = (0.01, PI);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if height_of(middle) < height { low = middle } else { high = middle }
    }
    low
}

/// A drop on a plate with the center of its sphere `above` the plate, in particle diameters, whose surface meets the plate at `angle` (degrees). With a
/// whole number of diameters the lattice of particles fits the plate.
fn drop_on_plate(size: f64, above: f64, angle: f64) -> FluidSimulation {
    let d = 2.0 * RADIUS;
    let fill = Fill::at_rest(FillShape::Sphere { center: DVec3::new(0.0, above * d, 0.0), radius: size * d });
    let plate = DVec3::new(4.0, 2.0, 4.0) * size * d;
    let plate = fixed("plate", cuboid(-plate, plate * DVec3::new(1.0, 0.0, 1.0)), Pose::IDENTITY);
    let settings = FluidSettings { contact_angle: angle.to_radians(), ..weightless(vec![fill]) };
    FluidSimulation::new(settings, vec![plate]).unwrap()
}

/// Mean contact angle over some `cycles` of the drop's slowest oscillation, degrees, and its mean kinetic energy.
fn mean_angle(simulation: &mut FluidSimulation, cycles: f64) -> (f64, f64) {
    let volume = crate::common::fluid_volume(simulation);
    let (mut height, mut energy, mut time) = (0.0, 0.0, 0.0);
    let cycle = period(radius(simulation));
    crate::common::run(simulation, cycles * cycle, |simulation| {
        let dt = simulation.last_step().dt;
        height += dt * center(simulation).y;
        energy += dt * motion(simulation);
        time += dt;
    });
    (angle_of_cap(height / time / volume.cbrt()).to_degrees(), energy / time)
}

/// Drops that begin as caps with their contact angle keep it.
#[test]
fn drops_meet_plates_at_their_contact_angles() {
    for (angle, shift) in [(60.0, -0.5), (90.0, 0.0), (120.0, 0.5)] {
        for (size, rest, mean) in [(6.0, 3.0, 1.0), (8.0, 1.5, 1.0), (12.0, 0.5, 0.5)] {
            let mut simulation = drop_on_plate(size, shift * size, angle);
            mean_angle(&mut simulation, rest);
            let (found, energy) = mean_angle(&mut simulation, mean);
            let last = simulation.last_step();
            println!(
                "{angle} degrees, {size} diameters: {found:.1} degrees; kinetic energy {energy:.1e}; momentum error {:.1e}",
                last.momentum_error
            );
            assert!((found - angle).abs() < 10.0 && energy < 2e-2, "{found} degrees, {energy} of energy");
            assert!(last.momentum_error < 1e-5 && simulation.totals().leaked == 0, "{last:?}");
        }
    }
}

/// Half a drop spreads to 60 degrees. To 120 degrees its edge would have to recede, which it does only in part: it has a hysteresis.
#[test]
fn edges_of_drops_advance_and_recede() {
    for (angle, range) in [(60.0, 50.0..70.0), (120.0, 93.0..125.0)] {
        let mut simulation = drop_on_plate(8.0, 0.0, angle);
        mean_angle(&mut simulation, 2.0);
        let (found, energy) = mean_angle(&mut simulation, 1.0);
        println!("from 90 towards {angle} degrees: {found:.1} degrees; kinetic energy {energy:.1e}");
        assert!(range.contains(&found), "{found} degrees");
    }
}

/// A drop that falls on a plate comes to rest as one cap, without a film around it and without bursting.
#[test]
fn drops_that_land_come_to_rest() {
    const RADIUS: f64 = 9e-5;
    let size = 8.0 * 2.0 * RADIUS;
    for angle in [60.0f64, 120.0] {
        let shape = FillShape::Sphere { center: DVec3::new(0.0, size + 4.0 * RADIUS, 0.0), radius: size };
        let fill = Fill { velocity: DVec3::new(0.0, -0.1, 0.0), ..Fill::at_rest(shape) };
        let plate = DVec3::new(8.0, 2.0, 8.0) * size;
        let plate = fixed("plate", cuboid(-plate, plate * DVec3::new(1.0, 0.0, 1.0)), Pose::IDENTITY);
        let contact_angle = angle.to_radians();
        let settings = FluidSettings { surface_tension: TENSION, contact_angle, fills: vec![fill], ..FluidSettings::new(RADIUS) };
        let mut simulation = FluidSimulation::new(settings, vec![plate]).unwrap();
        crate::common::run(&mut simulation, 0.04, |_| {});
        let volume = crate::common::fluid_volume(&simulation);
        // Radius of the wetted circle of a cap (m).
        let flat = 1.0 - contact_angle.cos();
        let cap = contact_angle.sin() * (3.0 * volume / (PI * flat * flat * (3.0 - flat))).cbrt();
        let wet = crate::common::positions(&simulation).filter(|x| x.y < 2.4 * RADIUS);
        let middle = center(&simulation);
        let mut edges: Vec<f64> = wet.map(|x| (x.x - middle.x).hypot(x.z - middle.z)).collect();
        edges.sort_by(f64::total_cmp);
        let edge = edges[edges.len() * 95 / 100] / cap;
        println!("{angle} degrees: the edge is at {edge:.2} of the radius of a cap; kinetic energy {:.1e}", motion(&simulation));
        assert!((0.8..1.45).contains(&edge) && motion(&simulation) < 2e-2, "{edge}; {}", motion(&simulation));
    }
}

/// A drop flies at a floating box, from both of which others are far away; its surface meets the box at `angle` (degrees).
fn collision(angle: f64) -> FluidSimulation {
    let shape = FillShape::Sphere { center: DVec3::new(0.0, 0.005, 0.001), radius: 0.004 };
    let drop = Fill { velocity: DVec3::new(0.0, -0.3, 0.0), ..Fill::at_rest(shape) };
    let size = DVec3::new(0.006, 0.002, 0.006);
    let raft = floating("box", cuboid(-size, size), Pose::from_translation(DVec3::new(0.0, -0.003, 0.0)), 600.0);
    let raft = thrown(raft, DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0));
    let settings = FluidSettings { contact_angle: angle.to_radians(), ..weightless(vec![drop]) };
    FluidSimulation::new(settings, vec![raft]).unwrap()
}

#[test]
fn momentum_of_a_drop_on_a_floating_box_is_kept() {
    for angle in [60.0, 90.0, 120.0] {
        let mut simulation = collision(angle);
        crate::common::run(&mut simulation, 0.05, |_| {});
        let last = simulation.last_step();
        println!(
            "{angle} degrees: momentum error {:.1e}, angular {:.1e}; contacts {}",
            last.momentum_error, last.angular_momentum_error, last.contacts
        );
        assert!(last.contacts > 0 && simulation.bodies()[0].velocity.y < -0.01, "{last:?}");
        assert!(last.momentum_error < 1e-6 && last.angular_momentum_error < 1e-4, "{last:?}");
    }
}

#[test]
fn a_restart_and_other_numbers_of_threads_change_nothing() {
    let mut simulation = collision(60.0);
    crate::common::run(&mut simulation, 0.02, |_| {});
    assert_a_restart_changes_nothing(&mut simulation, 0.01);
}

/// A drop of one fluid in another that has no tension of its own: the interface has that of the drop.
#[test]
fn a_drop_in_another_fluid_has_the_laplace_pressure() {
    let half = 22.0 * RADIUS;
    let tank: BodyDefinition = fixed("tank", crate::common::closed_tank([DVec3::splat(-half), DVec3::splat(half)], 0.01), Pose::IDENTITY);
    let shape = FillShape::Sphere { center: DVec3::ZERO, radius: 12.0 * RADIUS };
    let drop = Fill { material: 1, ..Fill::at_rest(shape) };
    let around = box_fill(DVec3::splat(-half), DVec3::splat(half), DVec3::ZERO);
    let mut settings = weightless(vec![drop, around]);
    settings.materials = vec![Material::new("oil", DENSITY), Material { surface_tension: TENSION, ..Material::new("water", DENSITY) }];
    let mut simulation = FluidSimulation::new(settings, vec![tank]).unwrap();
    let count = simulation.particles().materials.iter().filter(|&&material| material == 1).count() as f64;
    let size = (3.0 * count * (2.0 * RADIUS).powi(3) / (4.0 * PI)).cbrt();
    crate::common::run(&mut simulation, period(size), |_| {});
    let (mut jump, mut time) = (0.0, 0.0);
    crate::common::run(&mut simulation, 0.5 * period(size), |simulation| {
        let particles = simulation.particles();
        let mean = |within: &dyn Fn(f64) -> bool| {
            let chosen = || (0..particles.len()).filter(|&i| within(particles.positions[i].length().into()));
            chosen().map(|i| f64::from(particles.pressure(i))).sum::<f64>() / chosen().count() as f64
        };
        let dt = simulation.last_step().dt;
        jump += dt * (mean(&|r| r < size - 5.0 * RADIUS) - mean(&|r| (size + 5.0 * RADIUS..half - 2.0 * RADIUS).contains(&r)));
        time += dt;
    });
    let expected = 2.0 * TENSION / size;
    println!("drop in a fluid: {:.3} of the Laplace pressure", jump / time / expected);
    assert!((jump / time / expected - 1.0).abs() < 0.3, "{} Pa, expected {expected} Pa", jump / time);
}
