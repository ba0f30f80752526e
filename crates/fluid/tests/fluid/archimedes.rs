//! Bodies float at the draft that Archimedes predicts, and the buoyancy of immersed ones is the weight of the displaced water.

use crate::common::{
    GRAVITY, WATER, box_fill, cuboid, fixed, floating, sample, solid,
    solid::{bisect, displaced, still_level},
    turned, with,
};
use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::BodyDefinition;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::FluidSimulation;
use plimsoll_shape::TriangleMesh;

/// Inner side of the tank, m.
const SIDE: f64 = 0.5;
const AREA: f64 = SIDE * SIDE;
/// Fill height, m.
const DEPTH: f64 = 0.3;
/// Sides of the flat box, m.
const BOX: DVec3 = DVec3::new(0.24, 0.12, 0.24);
/// A rotation about an arbitrary axis.
const SKEW: DVec3 = DVec3::new(0.7, -0.4, 0.5);

fn flat_box() -> TriangleMesh {
    cuboid(-0.5 * BOX, 0.5 * BOX)
}

/// A pool that contains the body.
fn pool(radius: f64, body: BodyDefinition) -> FluidSimulation {
    let tank = fixed("tank", sample("small_tank", DVec3::new(SIDE, 1.2, SIDE)), Pose::IDENTITY);
    let fill = box_fill(DVec3::ZERO, DVec3::new(SIDE, DEPTH, SIDE), DVec3::ZERO);
    FluidSimulation::new(crate::common::settings(radius, vec![fill]), vec![tank, body]).unwrap()
}

/// Mean height of the body's center, m, over the last half second of `seconds`, and the body's final rotation.
fn come_to_rest(simulation: &mut FluidSimulation, seconds: f64) -> (f64, DQuat) {
    crate::common::run(simulation, seconds - 0.5, |_| {});
    let (mut sum, mut time) = (0.0, 0.0);
    crate::common::run(simulation, 0.5, |simulation| {
        let dt = simulation.last_step().dt;
        sum += dt * simulation.bodies()[1].center().y;
        time += dt;
    });
    assert_eq!(simulation.totals().leaked, 0);
    (sum / time, simulation.bodies()[1].pose.rotation)
}

/// Still-water level in the tank with a body of vertical sides that displaces `displaced` m³, m.
fn level(simulation: &FluidSimulation, displaced: f64) -> f64 {
    (crate::common::fluid_volume(simulation) + displaced) / AREA
}

/// Asserts that the flat box floats with its center at the right height, within half a particle radius; returns the error, m.
fn assert_box_floats(simulation: &mut FluidSimulation, density: f64, seconds: f64, what: &str) {
    let radius = simulation.settings().particle_radius;
    let draft = BOX.y * density / WATER;
    let expected = level(simulation, BOX.x * BOX.z * draft) - draft + 0.5 * BOX.y;
    let (height, _) = come_to_rest(simulation, seconds);
    let error = (height - expected) / radius;
    println!("box {density} r {radius:.4} {what}: {error:+.3} radii from theory (center at {height:.4} m)");
    assert!(error.abs() < 0.5, "density {density}, r {radius}, {what}: center at {height:.5} m, {error:+.3} radii from {expected:.5} m");
}

/// Starts two thirds of a radius too deep.
fn box_pose(density: f64, radius: f64) -> Pose {
    let draft = BOX.y * density / WATER;
    let expected = DEPTH + BOX.x * BOX.z * draft / AREA - draft + 0.5 * BOX.y;
    Pose::from_translation(DVec3::new(0.25, expected - 0.7 * radius, 0.25))
}

fn float_upright(radius: f64, densities: &[f64]) {
    for &density in densities {
        let mut simulation = pool(radius, floating("box", flat_box(), box_pose(density, radius), density));
        assert_box_floats(&mut simulation, density, 3.0, "upright");
    }
}

#[test]
fn a_box_floats_at_its_draft() {
    float_upright(0.025, &[10.0, 100.0, 500.0, 900.0]);
}

#[test]
fn a_box_floats_at_its_draft_at_a_finer_resolution() {
    float_upright(0.0167, &[10.0, 100.0, 500.0, 900.0]);
}

/// The same box with skew body axes: nothing may depend on them.
#[test]
fn a_box_given_by_a_turned_mesh_floats_at_its_draft() {
    let rotation = DQuat::from_scaled_axis(SKEW);
    for density in [100.0, 900.0] {
        let pose = Pose::new(rotation.conjugate(), box_pose(density, 0.025).translation);
        let mut simulation = pool(0.025, floating("box", turned(flat_box(), rotation), pose, density));
        assert_box_floats(&mut simulation, density, 3.0, "turned mesh");
    }
}

#[test]
fn a_tilted_box_rights_itself() {
    for (density, radius) in [(100.0, 0.025), (500.0, 0.025), (900.0, 0.0167)] {
        let pose = Pose::new(DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.35), box_pose(density, radius).translation);
        let mut simulation = pool(radius, floating("box", flat_box(), pose, density));
        assert_box_floats(&mut simulation, density, 5.0, "righted");
        let up = simulation.bodies()[1].pose.rotation * DVec3::Y;
        assert!(up.angle_between(DVec3::Y) < 0.06, "density {density}: still {} rad from upright", up.angle_between(DVec3::Y));
    }
}

/// A cube of half the density of water is not stable upright; if held upright, it floats half immersed.
#[test]
fn a_cube_held_upright_floats_at_its_draft() {
    let (radius, edge) = (0.02, 0.2);
    let cube = floating(
        "box",
        cuboid(DVec3::splat(-0.5 * edge), DVec3::splat(0.5 * edge)),
        Pose::from_translation(DVec3::new(0.25, 0.33, 0.25)),
        500.0,
    );
    let mut simulation = pool(radius, with(cube, |floating| floating.locked_rotation = [true; 3]));
    let expected = level(&simulation, 0.5 * edge.powi(3));
    let (height, _) = come_to_rest(&mut simulation, 3.0);
    println!("cube: {:+.3} radii from theory", (height - expected) / radius);
    assert!((height - expected).abs() < 0.5 * radius, "center at {height:.5} m, expected {expected:.5} m");
}

/// Cubes and plates from half a particle radius to four high. `check` warns of bodies for which this error is more than half their height.
#[test]
fn small_bodies_float_within_two_fifths_of_a_radius() {
    let radius = 0.025;
    for size in [[1.0; 3], [2.0; 3], [4.0; 3], [12.0, 0.5, 12.0], [12.0, 2.0, 12.0]] {
        let size = radius * DVec3::from_array(size);
        let mesh = cuboid(-0.5 * size, 0.5 * size);
        let body = floating("box", mesh, Pose::from_translation(DVec3::new(0.25, 0.31, 0.25)), 500.0);
        let mut simulation = pool(radius, with(body, |floating| floating.locked_rotation = [true; 3]));
        let expected = level(&simulation, 0.5 * size.element_product());
        let (height, _) = come_to_rest(&mut simulation, 3.0);
        let error = (height - expected) / radius;
        println!("{size}: {error:+.3} radii from theory");
        assert!(error.abs() < 0.4, "{size}: center at {height:.5} m, expected {expected:.5} m");
    }
}

#[test]
fn a_sphere_floats_at_its_draft() {
    let radius = 0.0167;
    let mesh = sample("sphere", DVec3::splat(0.25));
    let volume = plimsoll_shape::MassProperties::of(&mesh).volume;
    // The radius of a sphere with the volume of the mesh.
    let a = (3.0 * volume / (4.0 * std::f64::consts::PI)).cbrt();
    for density in [200.0, 500.0, 800.0] {
        let draft = bisect(0.0, 2.0 * a, |d| std::f64::consts::PI * d * d * (a - d / 3.0) - volume * density / WATER);
        let start = DEPTH + volume * density / WATER / AREA - draft + a - 0.7 * radius;
        let mut simulation = pool(radius, floating("sphere", mesh.clone(), Pose::from_translation(DVec3::new(0.25, start, 0.25)), density));
        let expected = level(&simulation, volume * density / WATER) - draft + a;
        let (height, _) = come_to_rest(&mut simulation, 3.0);
        println!("sphere {density}: {:+.3} radii from theory", (height - expected) / radius);
        assert!((height - expected).abs() < radius, "density {density}: center at {height:.5} m, expected {expected:.5} m");
    }
}

/// The hull keeps water out below the still-water level. The level and the draft follow from the mesh by summing columns.
#[test]
fn a_boat_floats_at_its_draft() {
    let radius = 0.0167;
    let scale = DVec3::splat(0.45);
    let (mesh, density) = (sample("boat", scale), 2000.0);
    let mass = density * plimsoll_shape::MassProperties::of(&mesh).volume;
    let boat = with(floating("boat", mesh.clone(), Pose::from_translation(DVec3::new(0.25, 0.27, 0.25)), density), |floating| {
        floating.locked_rotation = [false, true, false];
    });
    let mut simulation = pool(radius, boat);
    let inside = crate::common::positions(&simulation).filter(|&x| in_hull(&simulation, &mesh, x)).count();
    assert_eq!(inside, 0, "no water in the boat");
    let (height, _) = come_to_rest(&mut simulation, 4.0);
    let body = &simulation.bodies()[1];
    // At the trim that it has reached: the level at which it displaces its own mass, and the level of the tank with that volume displaced.
    let afloat = bisect(0.0, 0.6, |level| WATER * displaced(&mesh, &body.pose, level, 400) - mass);
    let still = still_level(crate::common::fluid_volume(&simulation), AREA, 0.0, |_| mass / WATER);
    let now = body.center().y;
    let error = (height - (now + still - afloat)) / radius;
    println!("boat: {error:+.3} radii from theory, mass {mass:.3} kg");
    assert!(error.abs() < 1.0, "{error:+.3} radii from theory");
    let inside = crate::common::positions(&simulation).filter(|&x| in_hull(&simulation, &mesh, x)).count();
    assert_eq!(inside, 0, "no water in the boat");
}

/// Whether a particle is in the boat: above its bottom and below its rim, seen from above through the opening.
fn in_hull(simulation: &FluidSimulation, mesh: &TriangleMesh, point: DVec3) -> bool {
    let pose = &simulation.bodies()[1].pose;
    let local = pose.inverse_transform_point(point);
    let aabb = mesh.aabb();
    aabb.contains(local) && solid::below(mesh, local)
}

/// Diameter of the dropped sphere, m.
const DROPPED: f64 = 0.16;

/// Result of a drop.
struct Dropped {
    /// Minimum height of the center, m.
    lowest: f64,
    /// Final height of the center, mean over half a second, m.
    height: f64,
    /// Height of the center when resting on the floor, and when floating if lighter than water, m.
    floor: f64,
    afloat: f64,
    /// Water level, m.
    level: f64,
}

/// Drops the sphere from 0.6 m into 0.4 m of water.
fn drop_in(radius: f64, density: f64) -> Dropped {
    let mesh = sample("sphere", DVec3::splat(DROPPED));
    let volume = plimsoll_shape::MassProperties::of(&mesh).volume;
    let a = (3.0 * volume / (4.0 * std::f64::consts::PI)).cbrt();
    let tank = fixed("tank", sample("small_tank", DVec3::new(SIDE, 1.2, SIDE)), Pose::IDENTITY);
    let fill = box_fill(DVec3::ZERO, DVec3::new(SIDE, 0.4, SIDE), DVec3::ZERO);
    let body = floating("sphere", mesh, Pose::from_translation(DVec3::new(0.25, 0.6, 0.25)), density);
    let mut simulation = FluidSimulation::new(crate::common::settings(radius, vec![fill]), vec![tank, body]).unwrap();
    let mut lowest = f64::INFINITY;
    crate::common::run(&mut simulation, 1.5, |simulation| lowest = lowest.min(simulation.bodies()[1].center().y));
    let (height, _) = come_to_rest(&mut simulation, 0.5);
    let speed = simulation.bodies()[1].velocity.length();
    let wet = volume * (density / WATER).min(1.0);
    let level = level(&simulation, wet);
    let draft = bisect(0.0, 2.0 * a, |d| std::f64::consts::PI * d * d * (a - d / 3.0) - wet);
    let dropped = Dropped { lowest, height, floor: a, afloat: level - draft + a, level };
    println!(
        "dropped {density} r {radius}: {:+.3} radii above the floor, {:+.3} from floating, lowest {lowest:.4} m, {speed:.4} m/s",
        (height - dropped.floor) / radius,
        (height - dropped.afloat) / radius
    );
    // A ball afloat still swings with the water in the tank.
    assert!(speed < 0.15, "density {density}, r {radius}: still at {speed} m/s");
    dropped
}

#[test]
fn a_heavy_body_dropped_in_sinks_to_the_floor() {
    for density in [1500.0, 20_000.0] {
        let dropped = drop_in(0.0167, density);
        assert!((dropped.height - dropped.floor).abs() < 0.25 * 0.0167, "density {density}: center at {} m", dropped.height);
    }
}

/// Its small excess weight does not squeeze out the last layers of particles between it and the floor.
#[test]
fn a_body_a_little_denser_than_water_dropped_in_sinks_to_the_last_layers() {
    let radius = 0.0167;
    let dropped = drop_in(radius, 1100.0);
    assert!(dropped.height + 0.5 * DROPPED < dropped.level, "not under water");
    let above = (dropped.height - dropped.floor) / radius;
    assert!((-0.25..3.0).contains(&above), "{above} radii above the floor");
}

/// Releases a sphere at rest under water; returns heights of its center: after `seconds`, on the floor, and afloat, m.
fn let_go_under_water(density: f64, seconds: f64) -> [f64; 3] {
    let radius = 0.0125;
    let mesh = sample("sphere", DVec3::splat(DROPPED));
    let volume = plimsoll_shape::MassProperties::of(&mesh).volume;
    let a = (3.0 * volume / (4.0 * std::f64::consts::PI)).cbrt();
    let tank = fixed("tank", sample("small_tank", DVec3::new(SIDE, 1.2, SIDE)), Pose::IDENTITY);
    let fill = box_fill(DVec3::ZERO, DVec3::new(SIDE, 0.4, SIDE), DVec3::ZERO);
    let body = floating("sphere", mesh, Pose::from_translation(DVec3::new(0.25, 0.2, 0.25)), density);
    let mut simulation = FluidSimulation::new(crate::common::settings(radius, vec![fill]), vec![tank, body]).unwrap();
    crate::common::run(&mut simulation, seconds, |_| {});
    let height = simulation.bodies()[1].center().y;
    let wet = volume * (density / WATER).min(1.0);
    let draft = bisect(0.0, 2.0 * a, |d| std::f64::consts::PI * d * d * (a - d / 3.0) - wet);
    let afloat = level(&simulation, wet) - draft + a;
    println!("let go {density}: {:+.3} r above the floor, {:+.3} from floating", (height - a) / radius, (height - afloat) / radius);
    [height, a, afloat]
}

/// Water has no yield stress: a body a tenth denser does not stay suspended in it, although everything is at rest initially.
#[test]
fn a_body_a_little_denser_than_water_let_go_at_rest_in_it_sinks() {
    let [height, floor, _] = let_go_under_water(1100.0, 3.0);
    assert!((height - floor) / 0.0125 < 4.0, "{height} m, floor at {floor} m");
}

#[test]
fn a_body_a_little_lighter_than_water_let_go_at_rest_in_it_rises_and_floats() {
    let [height, _, afloat] = let_go_under_water(900.0, 5.0);
    assert!((height - afloat).abs() < 0.0125, "{height} m, floats at {afloat} m");
}

#[test]
fn a_light_body_dropped_in_comes_back_up_and_floats() {
    for (radius, density) in [(0.0167, 500.0), (0.0167, 700.0)] {
        let dropped = drop_in(radius, density);
        assert!(dropped.lowest < dropped.afloat - radius, "density {density}: was never under water");
        let error = (dropped.height - dropped.afloat) / radius;
        assert!(error.abs() < 1.0, "density {density}, r {radius}: {error:+.3} radii from floating");
    }
}

/// Mean upward force on a body held well under water, N.
fn lift(mesh: TriangleMesh, radius: f64) -> f64 {
    let held = fixed("held", mesh, Pose::new(DQuat::from_scaled_axis(0.3 * SKEW), DVec3::new(0.25, 0.16, 0.25)));
    let mut simulation = pool(radius, held);
    crate::common::run(&mut simulation, 0.5, |_| {});
    let mut impulse = DVec3::ZERO;
    crate::common::run(&mut simulation, 1.5, |simulation| impulse += simulation.loads()[1].total().linear);
    impulse.y / 1.5
}

#[test]
fn an_immersed_body_is_pushed_up_by_the_weight_of_the_water_it_displaces() {
    let mut errors = Vec::new();
    // Side of the box and radius of the sphere, m.
    let (side, a) = (0.14, 0.09);
    for (name, mesh, size) in [
        ("box", cuboid(DVec3::splat(-0.5 * side), DVec3::splat(0.5 * side)), 0.5 * side),
        ("sphere", sample("sphere", DVec3::splat(2.0 * a)), a),
    ] {
        let expected = WATER * GRAVITY * plimsoll_shape::MassProperties::of(&mesh).volume;
        for radius in [0.0167, 0.0125] {
            let found = lift(mesh.clone(), radius);
            // How much farther out the surface would displace as much.
            let farther = size * ((found / expected).cbrt() - 1.0) / radius;
            println!(
                "{name} r {radius}: lift {found:.3} N for {expected:.3} N, {:+.2} %, {farther:+.3} r",
                100.0 * (found / expected - 1.0)
            );
            errors.push(farther);
        }
    }
    // In particle radii (docs/theory/walls.md, "Convex walls"). Issue 54, point 4: 0.1 for the coarser sphere, too.
    assert!(errors.iter().zip([0.1, 0.1, 0.15, 0.1]).all(|(error, limit)| error.abs() < limit), "{errors:.3?}");
}

/// Sweeps per step with a box of each density in the pool.
fn sweeps(densities: &[f64], start: impl Fn(f64) -> Pose) -> Vec<f64> {
    let run = |&density: &f64| {
        let mut simulation = pool(0.02, floating("box", flat_box(), start(density), density));
        crate::common::run(&mut simulation, 1.0, |_| {});
        simulation.totals().sweeps as f64 / simulation.steps() as f64
    };
    let each: Vec<f64> = densities.iter().map(run).collect();
    println!("sweeps per step at {densities:?}: {each:.1?}");
    each
}

fn spread(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max) / values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The body is part of the pressure system: the solver effort must not depend on how light the body is.
#[test]
fn the_work_of_a_step_does_not_depend_on_the_density_of_a_floating_body() {
    let each = sweeps(&[10.0, 50.0, 100.0, 500.0, 900.0], |density| box_pose(density, 0.02));
    assert!(spread(&each) < 1.25, "{each:?}");
}

/// A floating ball comes to rest at its draft and stays there for a minute.
#[test]
fn a_ball_afloat_comes_to_rest_and_stays() {
    let (radius, side) = (0.03, 0.6);
    let tank = fixed("tank", sample("small_tank", DVec3::new(side, 2.0, side)), Pose::IDENTITY);
    let fill = box_fill(DVec3::ZERO, DVec3::new(side, 0.5, side), DVec3::ZERO);
    let ball = floating("ball", sample("sphere", DVec3::splat(0.3)), Pose::from_translation(DVec3::new(0.3, 0.5, 0.3)), 700.0);
    let mut simulation = FluidSimulation::new(crate::common::settings(radius, vec![fill]), vec![tank, ball]).unwrap();
    let volume = crate::common::fluid_volume(&simulation);
    let mesh = (*simulation.bodies()[1].mesh).clone();
    // The height at which the ball displaces its mass, at the resulting water level.
    let submerged = simulation.bodies()[1].mass / WATER;
    let level = (volume + submerged) / (side * side);
    let expected = bisect(level - 0.3, level + 0.3, |height| {
        submerged - displaced(&mesh, &Pose::from_translation(DVec3::new(0.3, height, 0.3)), level, 200)
    });
    let mut heights = Vec::new();
    for _ in 0..30 {
        let (mut sum, mut time) = (0.0, 0.0);
        crate::common::run(&mut simulation, 2.0, |simulation| {
            sum += simulation.last_step().dt * simulation.bodies()[1].center().y;
            time += simulation.last_step().dt;
        });
        heights.push((sum / time - expected) / radius);
    }
    println!("height of the ball over theory, radii, every 2 s: {heights:.3?}");
    let rest = &heights[10..];
    // Noise moves it by 0.04 radii.
    assert!(rest.iter().all(|height| height.abs() < 0.12), "{heights:?}");
}

/// A box that a force presses against the wall of the tank stays there while the water carries it: the friction of the wall exceeds what is left of the noise of
/// the water, so that it neither enters nor creeps.
#[test]
fn a_box_afloat_against_a_wall_stays() {
    let (radius, density) = (0.02, 500.0);
    let mut pose = box_pose(density, 0.0);
    pose.translation.x = SIDE - 0.5 * BOX.x;
    let pressed = with(floating("box", flat_box(), pose, density), |floating| floating.force = DVec3::X * 10.0);
    let mut simulation = pool(radius, pressed);
    crate::common::run(&mut simulation, 1.0, |_| {});
    let start = simulation.bodies()[1].center();
    let mut deepest = 0.0_f64;
    crate::common::run(&mut simulation, 2.0, |simulation| {
        let body = &simulation.bodies()[1];
        let reach = body.mesh.vertices.iter().map(|&vertex| body.pose.transform_point(vertex).x).fold(0.0, f64::max);
        deepest = deepest.max((reach - SIDE) / BOX.x);
    });
    let creep = (simulation.bodies()[1].center() - start) / (2.0 * BOX.x);
    println!("deepest {deepest:.1e} of the size, creep {:.1e} of the size per second", creep.length());
    assert!(deepest < 1e-3 && creep.length() < 1e-5, "{deepest} {creep}");
}
