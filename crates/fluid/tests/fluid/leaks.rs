//! Nothing passes through a mesh, however thin and however fast.
//!
//! Checked by geometry alone: no path of a particle over a step, relative to the body, crosses a triangle, and no particle is inside a
//! solid. The simulation's own leak counter is only compared.

use crate::common::{box_fill, closed_tank, cuboid, fixed, floating, moving, sample, solid};
use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::{BodyDefinition, Keyframe, PrescribedMotion};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FillShape, FluidSettings, FluidSimulation};
use plimsoll_shape::TriangleMesh;

const RADIUS: f64 = 0.01;

/// Observations during a run.
#[derive(Debug, Default)]
struct Seen {
    collisions: u64,
    fastest: f64,
    /// Maximum path of a particle in a step, in diameters.
    longest: f64,
    crossings: u64,
    inside: u64,
    /// Maximum mean compression, percent.
    compression: f64,
}

/// Takes `steps` steps and checks every path against every mesh; particles must not enter the bodies named in `solids`.
fn watch(simulation: &mut FluidSimulation, steps: u32, solids: &[&str]) -> Seen {
    let mut seen = Seen::default();
    let mut before = vec![DVec3::ZERO; simulation.particle_count()];
    for _ in 0..steps {
        let particles = simulation.particles();
        for (&id, position) in particles.ids.iter().zip(&particles.positions) {
            before[id as usize] = position.as_dvec3();
        }
        let _ = simulation.advance(f64::INFINITY);
        seen.collisions += simulation.last_step().collisions;
        seen.fastest = seen.fastest.max(simulation.last_step().max_speed);
        seen.compression = seen.compression.max(simulation.last_step().density_error_percent);
        let particles = simulation.particles();
        for (&id, position) in particles.ids.iter().zip(&particles.positions) {
            let (from, to) = (before[id as usize], position.as_dvec3());
            seen.longest = seen.longest.max(from.distance(to) / (2.0 * RADIUS));
            for body in simulation.bodies() {
                let (from, to) = (body.previous_pose.inverse_transform_point(from), body.pose.inverse_transform_point(to));
                seen.crossings += u64::from(solid::crossed(&body.mesh, from, to));
                let is_solid = solids.contains(&body.name.as_str());
                seen.inside += u64::from(is_solid && body.mesh.aabb().contains(to) && solid::contains(&body.mesh, to));
            }
        }
    }
    let last = simulation.last_step();
    println!(
        "{} particles, {:.3} s, {seen:?}, momentum {:.1e} {:.1e}",
        before.len(),
        simulation.time(),
        last.momentum_error,
        last.angular_momentum_error
    );
    assert_eq!(seen.crossings, 0, "paths through a mesh: {seen:?}");
    assert_eq!(seen.inside, 0, "particles inside a solid: {seen:?}");
    assert_eq!(simulation.totals().leaked, 0, "{seen:?}");
    // Gradients have sixteen bits per coordinate: exactly opposite, but not exactly free of torque. In a shot the torques of all particles are
    // pushed apart at once; in a dam break the error is 3e-7.
    assert!(last.momentum_error < 1e-5 && last.angular_momentum_error < 2e-4, "{last:?}");
    assert!(particles_are_finite(simulation) && seen.collisions > 0, "{seen:?}");
    seen
}

fn particles_are_finite(simulation: &FluidSimulation) -> bool {
    crate::common::positions(simulation).all(DVec3::is_finite)
}

/// A ball of water at `center`, so fast that it moves several diameters per step.
fn shot(center: DVec3, radius: f64, velocity: DVec3, bodies: Vec<BodyDefinition>) -> FluidSimulation {
    let fill = plimsoll_fluid::Fill { shape: FillShape::Sphere { center, radius }, velocity, material: 0 };
    let mut settings = FluidSettings { settle: false, ..crate::common::settings(RADIUS, vec![fill]) };
    settings.time_step.minimum = 1.5e-3;
    // Gravity has no effect in so short a time, and adds rounding errors at such speeds.
    settings.gravity = DVec3::ZERO;
    FluidSimulation::new(settings, bodies).unwrap()
}

/// Rotated so that no face is parallel to an axis.
fn askew(rotation: DVec3, translation: DVec3) -> Pose {
    Pose::new(DQuat::from_scaled_axis(rotation), translation)
}

fn assert_shot(seen: &Seen) {
    assert!(seen.fastest > 25.0 && seen.longest > 2.0, "fast enough to be a test: {seen:?}");
}

/// Walls with a thickness of a fifth of a particle radius.
#[test]
fn a_shot_into_a_thin_closed_box_stays_in_it() {
    for direction in [DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, 1.0, 0.1), DVec3::new(-1.0, -1.0, -1.0), DVec3::new(0.3, -1.0, 0.2)] {
        let inner = [DVec3::splat(-0.25), DVec3::splat(0.25)];
        let pose = askew(DVec3::new(0.3, 0.1, -0.2), DVec3::new(0.01, 0.02, 0.03));
        let velocity = pose.rotation * direction.normalize() * 60.0;
        let mut simulation = shot(pose.translation, 0.11, velocity, vec![fixed("box", closed_tank(inner, 0.002), pose)]);
        assert_shot(&watch(&mut simulation, 100, &["box"]));
        let out = crate::common::positions(&simulation).filter(|&x| pose.inverse_transform_point(x).abs().max_element() >= 0.25).count();
        assert_eq!(out, 0, "{direction}");
    }
}

/// Straight at it, along it, and over its rim.
#[test]
fn a_shot_at_an_open_sheet_does_not_pass_through_it() {
    let sheet = || sample("sheet", DVec3::splat(0.5));
    for (start, velocity) in [
        (DVec3::new(0.0, 0.15, 0.0), DVec3::new(0.0, -40.0, 0.0)),
        (DVec3::new(-0.1, -0.13, 0.0), DVec3::new(30.0, 40.0, 5.0)),
        (DVec3::new(0.25, 0.13, 0.25), DVec3::new(0.0, -45.0, 0.0)),
        (DVec3::new(-0.4, 0.0, 0.02), DVec3::new(50.0, 0.3, 0.0)),
    ] {
        let pose = askew(DVec3::new(0.2, 0.4, 0.1), DVec3::ZERO);
        let (start, velocity) = (pose.transform_point(start), pose.rotation * velocity);
        let mut simulation = shot(start, 0.1, velocity, vec![fixed("sheet", sheet(), pose)]);
        assert_shot(&watch(&mut simulation, 25, &[]));
    }
}

/// From either side at a sheet with a solid behind it, both of one mesh; what reaches the solid does not enter it, either.
#[test]
fn a_shot_at_a_sheet_beside_a_solid_passes_through_neither() {
    let mut mesh = sample("sheet", DVec3::splat(0.5));
    let solid = cuboid(DVec3::new(-0.1, -0.6, -0.1), DVec3::new(0.1, -0.4, 0.1));
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(solid.vertices);
    mesh.triangles.extend(solid.triangles.iter().map(|corners| corners.map(|vertex| first + vertex)));
    let pose = askew(DVec3::new(0.2, 0.4, 0.1), DVec3::ZERO);
    // Onto the front, onto the back, and onto the solid.
    for (start, velocity) in [
        (DVec3::new(0.0, 0.15, 0.0), DVec3::new(0.0, -40.0, 0.0)),
        (DVec3::new(0.0, -0.15, 0.0), DVec3::new(5.0, 40.0, 0.0)),
        (DVec3::new(0.0, -0.2, 0.0), DVec3::new(0.0, -50.0, 0.0)),
    ] {
        let (start, velocity) = (pose.transform_point(start), pose.rotation * velocity);
        let mut simulation = shot(start, 0.1, velocity, vec![fixed("sheet", mesh.clone(), pose)]);
        assert_shot(&watch(&mut simulation, 25, &[]));
        let inside = |point: &DVec3| {
            let local = pose.inverse_transform_point(*point) + DVec3::new(0.0, 0.5, 0.0);
            local.abs().max_element() < 0.1
        };
        assert_eq!(crate::common::positions(&simulation).filter(inside).count(), 0);
    }
    // A fill is not placed in the solid.
    let settings = FluidSettings { settle: false, ..crate::common::settings(RADIUS, vec![]) };
    let fill = plimsoll_fluid::Fill {
        shape: FillShape::Sphere { center: DVec3::new(0.0, -0.5, 0.0), radius: 0.15 },
        velocity: DVec3::ZERO,
        material: 0,
    };
    let simulation =
        FluidSimulation::new(FluidSettings { fills: vec![fill], ..settings }, vec![fixed("sheet", mesh, Pose::IDENTITY)]).unwrap();
    assert!(crate::common::positions(&simulation).count() > 0);
    let inside = |point: &DVec3| (*point + DVec3::new(0.0, 0.5, 0.0)).abs().max_element() < 0.1;
    assert_eq!(crate::common::positions(&simulation).filter(inside).count(), 0);
}

#[test]
fn a_shot_at_edges_and_corners_of_a_box_goes_round_it() {
    let half = DVec3::splat(0.1);
    let diagonal = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Y);
    let on_edge = DQuat::from_rotation_arc(DVec3::new(1.0, 1.0, 0.0).normalize(), DVec3::Y);
    for rotation in [diagonal, on_edge, DQuat::IDENTITY] {
        // Away from the origin, so that the angular momentum is significant.
        let pose = Pose::new(rotation, DVec3::new(0.3, 0.0, 0.2));
        for offset in [0.02, 0.07] {
            let start = pose.translation + DVec3::new(offset, 0.3, -0.4 * offset);
            let mut simulation = shot(start, 0.1, DVec3::new(0.0, -50.0, 0.0), vec![fixed("box", cuboid(-half, half), pose)]);
            assert_shot(&watch(&mut simulation, 25, &["box"]));
        }
    }
}

#[test]
fn a_fast_paddle_sweeps_the_fluid_along() {
    let spin = PrescribedMotion::Constant { linear: DVec3::new(0.0, 3.0, 0.0), angular: DVec3::new(5.0, 90.0, 0.0), pivot: DVec3::ZERO };
    let paddle = moving("paddle", sample("paddle", DVec3::ONE), Pose::from_translation(DVec3::new(0.1, 0.0, 0.0)), spin);
    let mut simulation = shot(DVec3::new(0.0, 0.05, 0.2), 0.12, DVec3::new(10.0, 0.0, -25.0), vec![paddle]);
    assert_shot(&watch(&mut simulation, 40, &["paddle"]));
}

/// A sheet without thickness that rotates like a slammed door.
#[test]
fn a_slammed_sheet_lets_nothing_through() {
    let spin = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::new(0.0, 0.0, 20.0), pivot: DVec3::new(-0.25, 0.0, 0.0) };
    let door = moving("door", sample("sheet", DVec3::splat(0.5)), Pose::IDENTITY, spin);
    let mut simulation = shot(DVec3::new(0.05, 0.15, 0.0), 0.11, DVec3::new(0.0, -25.0, 0.0), vec![door]);
    assert_shot(&watch(&mut simulation, 30, &[]));
}

#[test]
fn a_light_body_is_hit_and_not_pierced() {
    let half = DVec3::new(0.15, 0.01, 0.15);
    for density in [50.0, 1000.0] {
        let plate = floating("plate", cuboid(-half, half), askew(DVec3::new(0.2, 0.3, -0.1), DVec3::ZERO), density);
        let mut simulation = shot(DVec3::new(0.05, 0.15, 0.02), 0.1, DVec3::new(0.0, -40.0, 0.0), vec![plate]);
        assert_shot(&watch(&mut simulation, 30, &["plate"]));
    }
}

/// Water in a closed box, with a piston that for a while leaves less space than the water needs.
#[test]
fn squeezed_fluid_finds_no_way_out() {
    let inner = [DVec3::ZERO, DVec3::new(0.2, 0.3, 0.2)];
    let tank = fixed("tank", closed_tank(inner, 0.004), Pose::IDENTITY);
    // The piston is wider than the box: its rim moves inside the walls.
    let plate: TriangleMesh = cuboid(DVec3::new(-0.02, 0.0, -0.02), DVec3::new(0.22, 0.012, 0.22));
    let at = |time, height| Keyframe { time, position: DVec3::new(0.0, height, 0.0), rotation: DQuat::IDENTITY };
    let motion = PrescribedMotion::Keyframes(vec![at(0.0, 0.24), at(0.1, 0.165), at(0.3, 0.165), at(0.4, 0.24)]);
    let piston = moving("piston", plate, Pose::from_translation(DVec3::new(0.0, 0.24, 0.0)), motion);
    let fill = box_fill(DVec3::ZERO, DVec3::new(0.2, 0.2, 0.2), DVec3::ZERO);
    let mut settings = FluidSettings { settle: false, ..crate::common::settings(RADIUS, vec![fill]) };
    settings.time_step.minimum = 1e-3;
    let mut simulation = FluidSimulation::new(settings, vec![tank, piston]).unwrap();
    let mut seen = Seen::default();
    while simulation.time() < 0.4 {
        let some = watch_all(&mut simulation);
        seen.compression = seen.compression.max(some.compression);
    }
    println!("greatest mean compression {:.2} %", seen.compression);
    assert!(seen.compression > 1.0, "{seen:?}");
}

/// Twenty steps of the compression.
fn watch_all(simulation: &mut FluidSimulation) -> Seen {
    let mut seen = Seen::default();
    for _ in 0..20 {
        let _ = simulation.advance(0.4);
        let densities = &simulation.particles().relative_densities;
        let mean = densities.iter().map(|&density| f64::from(density)).sum::<f64>() / densities.len() as f64;
        seen.compression = seen.compression.max(100.0 * (mean - 1.0));
        let piston = crate::common::body_named(simulation, "piston").pose.translation.y;
        let out = |x: &DVec3| x.cmple(DVec3::ZERO).any() || x.x >= 0.2 || x.z >= 0.2 || x.y >= piston;
        assert_eq!(crate::common::positions(simulation).filter(out).count(), 0, "out of the box at {} s", simulation.time());
    }
    let last = simulation.last_step();
    assert_eq!(simulation.totals().leaked, 0);
    assert!(last.momentum_error < 1e-5 && last.angular_momentum_error < 1e-5, "{last:?}");
    seen
}

/// A plane of a kilometer is cut finely only where the water begins. Water that runs far over its long pieces does not pass through it either, and a
/// run from a checkpoint takes the same steps, although it searches the cells of the plane again around the water.
#[test]
fn water_runs_far_over_a_plane_of_a_kilometer() {
    let half = 500.0;
    let corner = |x: f64, z: f64| DVec3::new(half * x, 0.0, half * z);
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let ground = fixed("ground", TriangleMesh { vertices, triangles: vec![[0, 3, 2], [0, 2, 1]] }, Pose::IDENTITY);
    let mut settings = FluidSettings::new(RADIUS);
    settings.fills = vec![box_fill(DVec3::ZERO, DVec3::new(0.2, 0.1, 0.2), DVec3::new(20.0, -6.0, 5.0))];
    let mut simulation = FluidSimulation::new(settings, vec![ground]).unwrap();
    let pieces = &simulation.bodies()[0].segmentation.mesh;
    let longest = |index: usize| {
        let [a, b, c] = pieces.corners(index);
        a.distance(b).max(b.distance(c)).max(c.distance(a))
    };
    let lengths: Vec<f64> = (0..pieces.triangles.len()).map(longest).collect();
    assert!(lengths.len() < 10_000, "{} pieces", lengths.len());
    // Height of the lowest particle over a number of steps, in radii.
    let run = |simulation: &mut FluidSimulation, steps: u32| {
        let mut lowest = f64::INFINITY;
        for _ in 0..steps {
            let _ = simulation.advance(f64::INFINITY);
            lowest = crate::common::positions(simulation).map(|position| position.y / RADIUS).fold(lowest, f64::min);
        }
        assert_eq!(simulation.totals().leaked, 0);
        lowest
    };
    let start = run(&mut simulation, 1000);
    let saved = plimsoll_saved::fluid::save(&simulation);
    let mut resumed = plimsoll_saved::fluid::load(&saved);
    let lowest = [&mut simulation, &mut resumed].map(|simulation| run(simulation, 300)).into_iter().fold(start, f64::min);
    let state = |simulation: &FluidSimulation| postcard::to_allocvec(simulation.particles()).unwrap();
    assert!(state(&simulation) == state(&resumed));
    // The water has in fact left the fine pieces, and rests on long ones.
    let middle: DVec3 =
        simulation.particles().positions.iter().map(|position| position.as_dvec3()).sum::<DVec3>() / simulation.particle_count() as f64;
    let below = (0..lengths.len()).filter(|&index| {
        let [a, b, c] = simulation.bodies()[0].segmentation.mesh.corners(index).map(|corner| corner.with_y(0.0) - middle.with_y(0.0));
        let sides = [a.cross(b).y, b.cross(c).y, c.cross(a).y];
        sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
    });
    let length = below.map(|index| lengths[index]).fold(0.0, f64::max);
    println!("at {middle}, on a piece of {length} m, the lowest particle {lowest} radii above the plane");
    assert!(length > 2.0 * 48.0 * RADIUS, "{length} m");
    assert!((0.05..1.0).contains(&lowest), "{lowest} radii");
}
