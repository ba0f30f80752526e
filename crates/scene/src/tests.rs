//! Tests that valid scenes give the specified settings and that the documentation lists every key.

use std::{
    collections::BTreeSet,
    f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_4, FRAC_PI_6, PI},
    fs,
    path::{Path, PathBuf},
};

use glam::{DMat3, DQuat, DVec3};
use plimsoll_aggregates::{AggregateSettings, Algorithm, Boundary, Drag, Medium, Method, MotionLaw, NarrowPhase, Stop};
use plimsoll_base::{
    input::Disk,
    math::{Aabb, Expression},
};
use plimsoll_bodies::{
    BodyDefinition, BodyKind, JointKind, LineLaw, MassSource, Motor, PrescribedMotion, SpringDefinition,
    waves::{IrregularWaves, Paddle, RegularWaves, WaveMaker, WaveMakerSettings, Waves},
};
use plimsoll_fluid::{
    AccelerationField, Air, DensitySolve, DomainBox, FillShape, FluidSettings, Material, Micropolar, Outside, PressureSolver, Rheology,
    TaitLaw, TimeStep, Viscosity, ViscositySolver,
};
use proptest::prelude::*;

use super::{load::read_document, read::Document, *};

const MINIMAL: &str = r#"
title = "Minimal"
simulator = "fluid"
duration = 1
frames_per_second = 100
[fluid]
particle_radius = 0.02
[[fluid.fill]]
box = { min = [0, 0, 0], max = [1, 1, 1] }
"#;

const WEAKLY_COMPRESSIBLE: &str = "\n[fluid.pressure]\nsolver = \"wcsph\"\n";

fn package_file(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name)
}

fn fluid(scene: Scene) -> (FluidSettings, Vec<BodyDefinition>) {
    let Definition::Fluid { settings, bodies } = scene.definition else { panic!("a scene of a fluid") };
    (*settings, bodies)
}

fn parse(text: &str) -> Scene {
    Scene::parse(text, &package_file("tests/scenes/good/from_text.toml")).expect("a good scene")
}

fn every_key() -> Scene {
    Scene::load(&package_file("tests/scenes/good/every_key.toml")).expect("a good scene")
}

fn assert_near(found: Aabb, min: [f64; 3], max: [f64; 3]) {
    let (min, max) = (DVec3::from_array(min), DVec3::from_array(max));
    assert!(found.min.abs_diff_eq(min, 1e-12) && found.max.abs_diff_eq(max, 1e-12), "{found:?} is not from {min} to {max}");
}

fn assert_turned(rotation: DQuat, axis: DVec3, angle: f64) {
    let expected = DQuat::from_axis_angle(axis, angle);
    assert!(rotation.dot(expected).abs() > 1.0 - 1e-14, "{rotation} is not {angle} about {axis}");
}

#[test]
fn what_a_scene_leaves_out_gets_the_documented_defaults() {
    let scene = parse(MINIMAL);
    assert_eq!((scene.checkpoint_interval, scene.seed, scene.formats.as_slice()), (60.0, 0, &[FrameFormat::Vtk][..]));
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let (settings, bodies) = fluid(scene);
    assert!(bodies.is_empty());
    assert_eq!(settings.gravity, DVec3::new(0.0, -9.81, 0.0));
    assert_eq!(settings.density, 1000.0);
    assert_eq!(settings.pressure, PressureSolver::Dfsph(DensitySolve::default()));
    assert_eq!(settings.viscosity, Viscosity { kinematic: 1e-6, artificial: 0.05, noise: 0.3, xsph: 0.0, ..Viscosity::default() });
    assert_eq!(settings.time_step, TimeStep { minimum: 1e-6, maximum: 5e-3, cfl: 0.5 });
    assert_eq!(settings.fills[0].velocity, DVec3::ZERO);
}

#[test]
fn small_particles_and_dense_frames_shorten_the_default_step() {
    let fine = fluid(parse(&MINIMAL.replace("0.02", "0.008"))).0.time_step;
    assert_eq!((fine.maximum, fine.minimum), (2e-3, 1e-6));
    let dense = fluid(parse(&MINIMAL.replace("frames_per_second = 100", "frames_per_second = 2000"))).0.time_step;
    assert_eq!((dense.maximum, dense.minimum), (5e-4, 5e-7));
}

#[test]
fn sound_is_ten_times_as_fast_as_what_falls_through_the_scene() {
    let falling = 10.0 * (2.0 * 9.81_f64).sqrt();
    let law = |text: &str| match fluid(parse(text)).0.pressure {
        PressureSolver::Wcsph(law) => law,
        other => panic!("{other:?}"),
    };
    let found = law(&format!("{MINIMAL}{WEAKLY_COMPRESSIBLE}"));
    assert!((found.sound_speed - falling).abs() < 1e-12 && found.exponent == 7.0, "{found:?}");
    let poured = law(&format!("{MINIMAL}velocity = [0, -3, 4]\n{WEAKLY_COMPRESSIBLE}"));
    assert!((poured.sound_speed - falling - 50.0).abs() < 1e-12, "{poured:?}");
    assert_eq!(
        law(&format!("{MINIMAL}{WEAKLY_COMPRESSIBLE}sound_speed = 60\nexponent = 1\n")),
        TaitLaw { sound_speed: 60.0, exponent: 1.0 }
    );
}

#[test]
fn slow_sound_is_warned_of() {
    let scene = parse(&format!("{MINIMAL}{WEAKLY_COMPRESSIBLE}sound_speed = 30\n"));
    assert_eq!(scene.warnings.len(), 1);
    assert!(scene.warnings[0].contains("from_text.toml:13: fluid.pressure.sound_speed: 30 m/s is less than"), "{:?}", scene.warnings);
}

#[test]
fn bodies_thinner_than_a_particle_are_warned_of() {
    let body = |height: f64| {
        format!(
            "{MINIMAL}[[body]]\nname = \"plate\"\nmesh = \"../../../meshes/box.obj\"\nkind = \"floating\"\ndensity = 500\nscale = [1, {height}, 1]\n\
             position = [0, 5, 0]\n"
        )
    };
    let scene = parse(&body(0.015));
    assert_eq!(scene.warnings.len(), 1, "{:?}", scene.warnings);
    assert!(scene.warnings[0].contains("body \"plate\": the smallest extent of this body is 0.015"), "{:?}", scene.warnings);
    assert!(scene.warnings[0].contains("an error of up to 0.008"), "{:?}", scene.warnings);
    assert!(parse(&body(0.02)).warnings.is_empty());
}

#[test]
fn every_key_of_the_fluid_arrives() {
    let scene = every_key();
    assert_eq!((scene.title.as_str(), scene.duration, scene.frames_per_second), ("Every key", 2.5, 40.0));
    assert_eq!((scene.checkpoint_interval, scene.seed), (90.0, 17));
    assert_eq!(scene.formats, [FrameFormat::Ply, FrameFormat::Vtk]);
    let (settings, _) = fluid(scene);
    assert_eq!((settings.particle_radius, settings.density, settings.settle), (0.025, 998.2, true));
    assert_eq!(settings.gravity, DVec3::new(0.5, -9.0, 0.25));
    let solve = DensitySolve { density_tolerance: 0.02, density_iterations: 50, divergence_tolerance: 0.2, divergence_iterations: 60 };
    assert_eq!(settings.pressure, PressureSolver::Dfsph(solve));
    assert!(settings.momentary_pressure);
    let viscosity = Viscosity {
        kinematic: 2e-6,
        law: Rheology::Carreau { infinite: 1e-7, time: 0.5, index: 0.6 },
        artificial: 0.04,
        noise: 0.3,
        hyperviscosity: true,
        xsph: 0.03,
        wall: Some(0.5),
        solver: ViscositySolver::Implicit,
        tolerance: 2e-4,
        iterations: 70,
    };
    assert_eq!(settings.viscosity, viscosity);
    assert_eq!((settings.surface_tension, fluid(parse(MINIMAL)).0.surface_tension), (0.07, 0.0));
    assert_eq!((settings.contact_angle, fluid(parse(MINIMAL)).0.contact_angle), (100f64.to_radians(), FRAC_PI_2));
    assert_eq!(settings.time_step, TimeStep { minimum: 2e-5, maximum: 4e-3, cfl: 0.4 });
    let [corners, ball, solid] = settings.fills.as_slice() else { panic!("{} fills", settings.fills.len()) };
    assert_eq!(corners.shape, FillShape::Box { min: DVec3::ZERO, max: DVec3::new(1.0, 0.5, 1.0) });
    assert_eq!(corners.velocity, DVec3::new(0.1, 0.0, -0.1));
    assert_eq!(ball.shape, FillShape::Sphere { center: DVec3::new(0.5, 1.5, 0.5), radius: 0.25 });
    let FillShape::Mesh(mesh) = &solid.shape else { panic!("{:?}", solid.shape) };
    // 0.5 by 1 by 0.5 in the file; with z up, the file's y becomes the third axis, and a quarter turn about y then swaps x and z.
    assert_near(mesh.aabb(), [2.5, 0.75, -0.25], [3.5, 1.25, 0.25]);
    assert_eq!(solid.velocity, DVec3::new(0.0, -1.0, 0.0));
}

#[test]
fn every_key_of_fields_arrives() {
    let (settings, _) = fluid(every_key());
    let components = |texts: [&str; 3]| texts.map(|text| Expression::parse(text).expect("an expression"));
    let region = Some(Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 3.0) });
    let first = components(["2*sin(3*t)", "-0.5", "-x^2"]);
    let expected = [
        AccelerationField { region, components: first, start: 0.5, end: Some(2.0), bodies: false },
        AccelerationField::everywhere(components(["0", "0", "t"])),
    ];
    assert_eq!(settings.acceleration_fields, expected);
    let region = Aabb { min: DVec3::new(-10.0, -25.0, -3.0), max: DVec3::new(10.0, 25.0, 5.0) };
    assert_eq!(settings.domain_box, Some(DomainBox { region, outside: Outside::Report }));
    assert_eq!(fluid(parse(MINIMAL)).0.domain_box, None);
    let [section] = settings.grids.as_slice() else { panic!("{:?}", settings.grids) };
    assert_eq!((section.name.as_str(), section.first, section.counts), ("section", DVec3::new(0.0, 0.0, 0.5), [34, 18, 1]));
    assert!(section.point([33, 17, 0]).abs_diff_eq(DVec3::new(1.0, 0.5, 0.5), 1e-12), "{section:?}");
    let air = Air { density: 1.3, viscosity: 2e-5, velocity: DVec3::new(3.0, 0.0, -1.0), surface_tension: 0.07 };
    assert_eq!(settings.air, Some(air));
    assert_eq!(fluid(parse(MINIMAL)).0.air, None);
    let micropolar = Micropolar { rotational_viscosity: 1e-3, inertia: 2e-4, spin_viscosity: 3e-7 };
    assert_eq!((settings.micropolar, fluid(parse(MINIMAL)).0.micropolar), (Some(micropolar), None));
    assert_eq!(fluid(parse(&format!("{MINIMAL}[fluid.air]\n"))).0.air, Some(Air::default()));
}

#[test]
fn every_key_of_materials_arrives() {
    let scene = Scene::load(&package_file("tests/scenes/good/every_key_of_materials.toml")).expect("a good scene");
    let looks: Vec<(String, Option<[f32; 3]>)> = scene.picture.materials.iter().map(|look| (look.name.clone(), look.color)).collect();
    assert_eq!(looks, [("water".to_owned(), Some([0.1, 0.2, 0.3])), ("oil".to_owned(), None)]);
    let (settings, _) = fluid(scene);
    let material =
        |name, density, kinematic_viscosity, law, color| Material { kinematic_viscosity, law, color, ..Material::new(name, density) };
    let paste = Rheology::HerschelBulkley { yield_stress: 0.5, consistency: 0.25, index: 0.8 };
    let mut expected =
        [material("water", 998.0, 1.1e-6, Rheology::Newtonian, Some([0.1, 0.2, 0.3])), material("oil", 870.0, 3e-6, paste, None)];
    expected[0].surface_tension = 0.06;
    expected[0].contact_angle = 75f64.to_radians();
    assert_eq!(settings.materials, expected);
    assert_eq!(settings.viscosity.noise, 0.2);
    assert_eq!(settings.fills.iter().map(|fill| fill.material).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(settings.emitters[0].material, 1);
}

#[test]
fn every_key_of_the_bodies_arrives() {
    let (_, bodies) = fluid(every_key());
    let [ground, crate_, cork, belt, paddle, lift, ..] = bodies.as_slice() else { panic!("{} bodies", bodies.len()) };
    assert!(matches!(ground.kind, BodyKind::Static));
    assert_eq!((ground.name.as_str(), ground.friction, ground.restitution), ("ground", 0.7, 0.2));
    assert_near(ground.mesh.aabb(), [-2.0; 3], [2.0; 3]);
    assert_eq!(ground.pose.translation, DVec3::new(0.0, -2.0, 0.0));
    assert_eq!((cork.friction, cork.restitution), (0.5, 0.0));

    let BodyKind::Floating(floating) = &crate_.kind else { panic!("{:?}", crate_.kind) };
    // 1 by 2 by 3 in the file; with x up, its x becomes y and its y becomes -x.
    assert_near(crate_.mesh.aabb(), [-1.0, -0.5, -1.5], [1.0, 0.5, 1.5]);
    assert_turned(crate_.pose.rotation, DVec3::Z, PI);
    assert_eq!(floating.mass, MassSource::Mass(12.0));
    assert_eq!(floating.center_of_mass, Some(DVec3::new(0.0, 0.1, 0.0)));
    assert_eq!(floating.inertia, Some(DMat3::from_cols_array(&[2.0, 0.1, 0.0, 0.1, 3.0, 0.0, 0.0, 0.0, 4.0])));
    assert_eq!((floating.locked_translation, floating.locked_rotation), ([true, false, true], [false, true, false]));
    assert_eq!((floating.velocity, floating.angular_velocity), (DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, PI, 0.0)));
    assert_eq!((floating.force, floating.torque), (DVec3::new(4.0, 5.0, 6.0), DVec3::new(7.0, 8.0, 9.0)));
    assert!(matches!(&cork.kind, BodyKind::Floating(floating) if floating.mass == MassSource::Density(250.0)));

    let launched = bodies.iter().find(|body| body.name == "launched").expect("a launched body");
    let BodyKind::Floating(floating) = &launched.kind else { panic!("{:?}", launched.kind) };
    let held = floating.held.as_ref().expect("a held body");
    assert!(held.until == 0.5 && held.keeps_velocity && matches!(held.motion, PrescribedMotion::Constant { linear: DVec3::X, .. }));
    let BodyKind::Moving(PrescribedMotion::Constant { linear, angular, pivot }) = &belt.kind else { panic!("{:?}", belt.kind) };
    assert_eq!((*linear, *angular, *pivot), (DVec3::X, DVec3::new(0.0, 0.0, FRAC_PI_2), DVec3::new(9.0, 1.0, 0.0)));
    let BodyKind::Moving(PrescribedMotion::Sinusoid { amplitude, rotation, pivot, frequency, phase }) = &paddle.kind else {
        panic!("{:?}", paddle.kind)
    };
    assert_eq!((*amplitude, *pivot, *frequency), (DVec3::new(0.25, 0.0, 0.0), DVec3::new(-9.0, -0.5, 0.0), 0.5));
    assert!(rotation.abs_diff_eq(DVec3::new(0.0, 0.0, FRAC_PI_4), 1e-15) && (phase - FRAC_PI_6).abs() < 1e-15);
    let BodyKind::Moving(PrescribedMotion::Keyframes(keyframes)) = &lift.kind else { panic!("{:?}", lift.kind) };
    assert_eq!(lift.pose.translation, DVec3::new(0.0, 0.0, 9.0));
    let recorded = bodies.iter().find(|body| body.name == "recorded").expect("a body with a motion in a file");
    let BodyKind::Moving(PrescribedMotion::Keyframes(rows)) = &recorded.kind else { panic!("{:?}", recorded.kind) };
    assert_eq!([rows[0].time, rows[1].time], [0.5, 1.5]);
    assert_eq!([rows[0].position, rows[1].position], [DVec3::new(-9.0, 0.0, -9.0), DVec3::new(-9.0, 1.0, -9.0)]);
    assert_turned(rows[0].rotation, DVec3::X, 0.0);
    assert_turned(rows[1].rotation, DVec3::Z, FRAC_PI_2);
    assert_eq!(keyframes.iter().map(|keyframe| keyframe.time).collect::<Vec<_>>(), [0.5, 1.5]);
    assert_eq!(keyframes[1].position, DVec3::new(0.0, 1.0, 9.0));
    assert_turned(keyframes[1].rotation, DVec3::X, -FRAC_PI_3);
}

#[test]
fn every_key_of_waves_arrives() {
    let (settings, bodies) = fluid(every_key());
    let [absorbing, other] = settings.damping_zones.as_slice() else { panic!("{} zones", settings.damping_zones.len()) };
    assert_near(absorbing.region, [2.0, 0.0, 0.0], [6.0, 4.0, 5.0]);
    assert!(absorbing.direction.abs_diff_eq(DVec3::new(0.6, 0.0, 0.8), 1e-15) && absorbing.rate == 2.5);
    assert!((other.rate / (4.0 * settings.gravity.length().sqrt()) - 1.0).abs() < 1e-15);
    let maker = |index: usize| match &bodies[index].kind {
        BodyKind::Moving(PrescribedMotion::Waves(maker)) => maker.clone(),
        other => panic!("{other:?}"),
    };
    let expected = |paddle, waves, depth, direction, ramp| {
        let settings = WaveMakerSettings { paddle, waves, depth, direction, gravity: settings.gravity, ramp };
        Box::new(WaveMaker::new(&settings).expect("waves that a paddle can generate"))
    };
    let regular = Waves::Regular(RegularWaves { height: 0.1, period: 1.6, phase: FRAC_PI_2, second_order: true });
    assert_eq!(maker(6), expected(Paddle::Piston, regular, 0.8, DVec3::new(18.0, 1.0, 0.0).normalize(), 2.5));
    let irregular = IrregularWaves { significant_height: 0.05, peak_period: 2.0, peak_enhancement: 2.0, components: 30, seed: 5 };
    let flap = Paddle::Flap { hinge: -0.2, pivot: DVec3::new(9.0, -0.7, -9.0) };
    assert_eq!(maker(7), expected(flap, Waves::Irregular(irregular), 0.5, DVec3::new(0.0, 1.0, 36.0).normalize(), 4.0));
}

const PADDLE: &str = r#"
[[body]]
name = "paddle"
mesh = "../meshes/open_cube.obj"
kind = "moving"
position = [-3, 0, 0]
[body.motion]
type = "waves"
direction = [2, 0, 0]
depth = 0.5
height = 0.04
period = 1.5
"#;

#[test]
fn waves_have_the_documented_defaults() {
    let waves = |text: &str| {
        let (_, bodies) = fluid(parse(&format!("seed = 11\n{MINIMAL}{PADDLE}{text}")));
        match &bodies[0].kind {
            BodyKind::Moving(PrescribedMotion::Waves(maker)) => maker.clone(),
            other => panic!("{other:?}"),
        }
    };
    let expected = |paddle, waves: Waves| {
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        let settings = WaveMakerSettings { paddle, waves, depth: 0.5, direction: DVec3::X, gravity, ramp: 3.0 };
        Box::new(WaveMaker::new(&settings).expect("waves that a paddle can generate"))
    };
    let regular = Waves::Regular(RegularWaves { height: 0.04, period: 1.5, phase: 0.0, second_order: false });
    assert_eq!(waves(""), expected(Paddle::Piston, regular));
    assert_eq!(waves("paddle = \"flap\""), expected(Paddle::Flap { hinge: 0.0, pivot: DVec3::new(-3.0, 0.0, 0.0) }, regular));
    let irregular = IrregularWaves { significant_height: 0.04, peak_period: 1.5, peak_enhancement: 3.3, components: 200, seed: 11 };
    assert_eq!(waves("spectrum = \"jonswap\""), expected(Paddle::Piston, Waves::Irregular(irregular)));
    let moskowitz = IrregularWaves { peak_enhancement: 1.0, seed: 3, ..irregular };
    assert_eq!(waves("spectrum = \"pierson_moskowitz\"\nseed = 3"), expected(Paddle::Piston, Waves::Irregular(moskowitz)));
}

#[test]
fn long_waves_are_warned_of() {
    let long = PADDLE.replace("period = 1.5", "period = 6");
    let scene = parse(&format!("{MINIMAL}{long}"));
    let found = scene.warnings.iter().any(|warning| warning.contains("body \"paddle\".motion.height: 0.04 m: with height"));
    assert!(found, "{:?}", scene.warnings);
}

#[test]
fn bodies_may_rest_on_each_other_and_stand_in_hollow_ones() {
    let body = |name: &str, mesh: &str, kind: &str, rest: &str| {
        format!("\n[[body]]\nname = \"{name}\"\nmesh = \"../meshes/{mesh}.obj\"\nkind = \"{kind}\"\n{rest}\n")
    };
    let room = body("room", "rooms", "static", "scale = 10\nposition = [0.5, 5, 0.5]");
    let lower = body("lower", "cube", "floating", "density = 500\nposition = [2.3, 1.5, 0.5]");
    let resting = body("resting", "cube", "floating", "density = 500\nposition = [2.7, 2.5, 0.8]");
    let fluid_above = MINIMAL.replace("[0, 0, 0], max = [1, 1, 1]", "[0, 5, 0], max = [1, 6, 1]");
    parse(&format!("{fluid_above}{room}{lower}{resting}"));
    let sunk = lower.replace("1.5", "1.49999");
    let error = Scene::parse(&format!("{fluid_above}{room}{sunk}"), &package_file("tests/scenes/good/from_text.toml"));
    let error = error.expect_err("a cube in the floor of a room").to_string();
    assert!(error.contains("body \"lower\": found a position that overlaps body \"room\""), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Scene::load(Path::new("nowhere/at_all.toml")).expect_err("no such file");
    assert!(error.to_string().starts_with("nowhere/at_all.toml: found No such file or directory"), "{error}");
}

#[test]
fn every_key_of_aggregates_arrives() {
    let scene = Scene::load(&package_file("tests/scenes/good/every_key_of_aggregates.toml")).expect("a good scene");
    let Definition::Aggregates(settings) = scene.definition else { panic!("a scene of aggregates") };
    let medium = Medium { temperature: 350.0, viscosity: 2e-5, mean_free_path: 7e-8, drag: Drag::FreeDraining };
    let expected = AggregateSettings {
        count: 300,
        volume_fraction: 0.02,
        diameter: 2e-7,
        spread: 1.4,
        density: 2000.0,
        medium,
        law: MotionLaw::Brownian { time_step: 1e-5 },
        rotation: 0.5,
        sticking: 1.0,
        boundary: Boundary::Periodic,
        method: Method::Rounds(Algorithm::Spheres),
        narrow: NarrowPhase::Sampling,
        stop: Stop { clusters: Some(3), mean_size: Some(50.0) },
        seed: 7,
    };
    assert_eq!(settings, expected);
    let scene = Scene::load(&package_file("tests/scenes/good/aggregates_that_bounce.toml")).expect("a good scene");
    let Definition::Aggregates(settings) = scene.definition else { panic!("a scene of aggregates") };
    assert_eq!((settings.sticking, settings.boundary), (0.25, Boundary::Walls));
}

#[test]
fn joints_and_moorings_arrive_in_si_units() {
    let mechanism = fluid(every_key()).0.mechanism;
    let (ground, crate_, cork, lift) = (0, 1, 2, 5);
    let hinge = &mechanism.joints[0];
    assert_eq!((hinge.kind, hinge.body, hinge.other), (JointKind::Hinge(DVec3::Z), crate_, Some(ground)));
    assert_eq!((hinge.position, hinge.contacts), (DVec3::new(0.0, 4.0, 0.0), true));
    assert_eq!(hinge.limits, Some([-FRAC_PI_2, FRAC_PI_4]));
    assert_eq!(hinge.motor, Some(Motor::Speed { speed: PI, limit: Some(4.0) }));
    let slider = &mechanism.joints[1];
    assert_eq!((slider.kind, slider.body, slider.other), (JointKind::Slider(DVec3::new(3.0, 0.0, 4.0).normalize()), cork, None));
    assert_eq!((slider.limits, slider.motor), (Some([-0.5, 0.25]), Some(Motor::Speed { speed: -0.5, limit: Some(3.0) })));
    assert_eq!((mechanism.joints[2].body, mechanism.joints[2].other, mechanism.joints[2].contacts), (lift, Some(cork), false));
    assert_eq!([2, 3].map(|joint: usize| mechanism.joints[joint].motor), [6.0, -7.0].map(|effort| Some(Motor::Effort(effort))));
    assert_eq!([4, 5].map(|joint: usize| mechanism.joints[joint].kind), [JointKind::Ball, JointKind::Fixed]);
    let ends = [DVec3::new(0.0, 8.0, 0.0), DVec3::new(0.0, 7.0, 0.0)];
    let spring = SpringDefinition { bodies: (cork, Some(crate_)), ends, stiffness: 20.0, damping: 2.0, length: Some(0.5) };
    assert_eq!(mechanism.springs[0], spring);
    assert_eq!((mechanism.springs[1].bodies, mechanism.springs[1].length), ((cork, None), None));
    let [chain, rope] = &mechanism.moorings[..] else { panic!("two moorings") };
    let LineLaw::Catenary { weight, up } = chain.line.law else { panic!("a catenary") };
    assert!((chain.name.as_str(), weight) == ("chain", 12.0) && up.distance(-DVec3::new(0.5, -9.0, 0.25).normalize()) < 1e-15);
    assert_eq!((chain.line.length, chain.line.axial_stiffness, chain.line.damping), (9.0, 5e4, 3.0));
    assert_eq!((rope.body, rope.line.law, rope.line.damping), (crate_, LineLaw::Straight, 0.0));
    assert_eq!((mechanism.without_any_contact, mechanism.without_contact), (vec![cork], vec![[cork, crate_], [cork, lift]]));
}

/// Section and key of every key that the reader looks up for the valid and the sample scenes.
fn accepted_keys() -> BTreeSet<(String, String)> {
    let mut accepted = BTreeSet::new();
    let mut paths = vec![package_file("tests/scenes/good/every_key.toml")];
    paths.push(package_file("tests/scenes/good/every_key_of_a_gas.toml"));
    paths.push(package_file("tests/scenes/good/every_key_of_aggregates.toml"));
    paths.push(package_file("tests/scenes/good/every_key_of_blocks.toml"));
    paths.push(package_file("tests/scenes/good/every_key_of_grains.toml"));
    paths.push(package_file("tests/scenes/good/every_key_of_materials.toml"));
    let shipped = fs::read_dir(package_file("scenes/fluid")).expect("the shipped scenes");
    paths.extend(shipped.map(|entry| entry.expect("an entry").path()));
    for path in paths {
        let text = fs::read_to_string(&path).expect("a scene");
        let document = Document::new(&Disk, &path, &text);
        read_document(&document, &text);
        accepted.extend(document.accepted.take());
        document.close().unwrap_or_else(|error| panic!("{error}"));
    }
    accepted
}

/// Section and key of every row of the tables in the documentation; the headings are `## Top level` and ``## `[section]` ``.
fn documented_keys() -> BTreeSet<(String, String)> {
    let text = fs::read_to_string(package_file("docs/scene.md")).expect("the documentation");
    let mut keys = BTreeSet::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.trim_matches(|mark: char| "`[]".contains(mark)).to_owned();
        } else if let Some((key, _)) = line.strip_prefix("| `").and_then(|row| row.split_once('`')) {
            // An inline table is a separate section for the reader, but a row with a dot in the documentation.
            let (section, key) = match (section.as_str(), key.split_once('.')) {
                ("Top level", _) => (String::new(), key),
                (section, Some((table, key))) => (format!("{section}.{table}"), key),
                (section, None) => (section.to_owned(), key),
            };
            keys.insert((section, key.to_owned()));
        }
    }
    keys
}

#[test]
fn the_documentation_names_the_keys_that_the_reader_accepts() {
    let (accepted, documented) = (accepted_keys(), documented_keys());
    let missing = accepted.difference(&documented).collect::<Vec<_>>();
    let gone = documented.difference(&accepted).collect::<Vec<_>>();
    assert!(missing.is_empty() && gone.is_empty(), "not documented: {missing:?}; documented but unknown: {gone:?}");
    assert!(accepted.len() > 60, "{} keys", accepted.len());
}

#[test]
fn the_example_in_the_documentation_is_a_good_scene() {
    let text = fs::read_to_string(package_file("docs/scene.md")).expect("the documentation");
    let (_, rest) = text.split_once("```toml\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("the end of the example");
    let scene = Scene::parse(example, &package_file("scenes/fluid/example.toml")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(fluid(scene).1.len(), 1);
}

#[test]
fn a_wide_shallow_pool_has_room_for_particles() {
    let (settings, _) = fluid(parse(&MINIMAL.replace("max = [1, 1, 1]", "max = [100, 0.04, 100]")));
    assert_eq!(settings.fills.len(), 1);
}

/// Unusual replacements for a value.
const STRANGE: [&str; 12] =
    ["nan", "-inf", "0", "-1", "1e308", "5e-324", "[]", "{}", "[1, 2, 3]", "\"x\"", "true", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn numbers_arrive_to_the_last_bit(radius in 5e-3..1e-1f64, gravity in [-1e9..1e9f64, -1e9..1e9, -1e9..1e9], seed in 0..=i64::MAX as u64) {
        let text = MINIMAL.replace("0.02", &format!("{radius:e}"));
        let (settings, _) = {
            let scene = parse(&format!("gravity = {gravity:?}\nseed = 0x{seed:x}\n{text}"));
            prop_assert_eq!(scene.seed, seed);
            fluid(scene)
        };
        prop_assert_eq!(settings.particle_radius, radius);
        prop_assert_eq!(settings.gravity, DVec3::from_array(gravity));
    }

    #[test]
    fn whatever_is_wrong_is_reported_and_never_a_panic(line in 0usize..240, strange in 0usize..=STRANGE.len(), cut in 0usize..40) {
        let path = package_file("tests/scenes/good/every_key.toml");
        let text = fs::read_to_string(&path).expect("a scene");
        let mut lines = text.lines().map(str::to_owned).collect::<Vec<_>>();
        let line = line % lines.len();
        let changed = match (lines[line].split_once(" = "), STRANGE.get(strange)) {
            (Some((key, _)), Some(value)) => format!("{key} = {value}"),
            _ => lines[line].chars().take(cut).collect(),
        };
        lines[line] = changed;
        if let Err(error) = Scene::parse(&lines.join("\n"), &path) {
            prop_assert!(!error.problems.is_empty());
            prop_assert!(error.problems.iter().all(|problem| problem.line.is_some_and(|line| line <= lines.len())), "{}", error);
        }
    }
}

#[test]
fn shipped_scenes_say_what_to_look_at_and_hold_a_bearable_number_of_particles() {
    let mut count = 0;
    for entry in fs::read_dir(package_file("scenes/fluid")).expect("the shipped scenes") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a scene");
        assert!(text.starts_with("# "), "{} does not say what to look at", path.display());
        let scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
        // Waves of few particles run in minutes.
        let known = ["body \"paddle\".motion.height: 0.12 m are 2.4 particle diameters"];
        let unknown: Vec<&String> = scene.warnings.iter().filter(|warning| !known.iter().any(|known| warning.contains(known))).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        let duration = scene.duration;
        let (settings, _) = fluid(scene);
        let volume = match settings.fills.as_slice() {
            [] => settings.emitters.iter().map(|emitter| emitter.mouth.area() * emitter.speed * duration).sum(),
            fills => fills.iter().map(|fill| fill.shape.volume()).sum::<f64>(),
        };
        let particles = volume / (2.0 * settings.particle_radius).powi(3);
        assert!((5e3..5e4).contains(&particles), "{}: {particles} particles", path.display());
        count += 1;
    }
    assert_eq!(count, 27);
}
