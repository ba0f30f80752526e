//! Results do not depend on the unit of length, and a scene far from the origin behaves as one at the origin.

use crate::common::{box_fill, cuboid, fixed, floating, sample};
use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::FluidSimulation;
use plimsoll_scene::{Definition, Scene};

/// Width of the tank at a scale of one, m; its length is twice this.
const WIDTH: f64 = 0.48;
const RADIUS: f64 = 0.02;

/// What is compared, in units of the tank and of the time in which something falls through it.
#[derive(Debug)]
struct Measured {
    /// Of the block.
    position: DVec3,
    /// Center of mass of the fluid.
    center: DVec3,
    /// Of the fluid, per mass.
    kinetic_energy: f64,
}

/// A column of water collapses and pushes a block along the floor of a tank of `scale`, for `seconds` at a scale of one.
fn collapse(scale: f64, seconds: f64) -> Measured {
    let time = scale.sqrt();
    let fill = box_fill(DVec3::ZERO, scale * DVec3::new(0.32, 0.4, WIDTH), DVec3::ZERO);
    let mut settings = crate::common::settings(scale * RADIUS, vec![fill]);
    settings.settle = false;
    // All that has a unit is given: the defaults are for tanks in a laboratory.
    settings.time_step.minimum *= time;
    settings.time_step.maximum = 5e-3 * time;
    settings.viscosity.kinematic *= scale * time;
    settings.viscosity.wall = settings.viscosity.wall.map(|wall| wall * scale * time);
    let tank = fixed("tank", sample("tank", scale * WIDTH * DVec3::ONE), Pose::IDENTITY);
    let half = 0.1 * scale;
    let block = floating(
        "block",
        cuboid(DVec3::splat(-half), DVec3::splat(half)),
        Pose::from_translation(scale * DVec3::new(0.6, 0.1, 0.24)),
        700.0,
    );
    let mut simulation = FluidSimulation::new(settings, vec![tank, block]).unwrap();
    while simulation.time() < seconds * time {
        simulation.advance(seconds * time).unwrap();
    }
    assert_eq!(simulation.totals().leaked, 0);
    let particles = simulation.particles();
    let speeds: f64 = particles.velocities.iter().map(|velocity| f64::from(velocity.length_squared())).sum();
    let position = simulation.bodies()[1].center() / scale;
    Measured { position, center: center(&simulation) / scale, kinetic_energy: 0.5 * speeds / particles.len() as f64 / scale }
}

/// Center of mass of the fluid, m.
fn center(simulation: &FluidSimulation) -> DVec3 {
    crate::common::positions(simulation).sum::<DVec3>() / simulation.particle_count() as f64
}

/// With the same steps in units of the tank, what differs is the time in which an excess of density is removed, 0.25 s/m times the radius below a
/// radius of 16 mm (docs/theory/time-step.md), and the rounding that single particles amplify: the splash moves the block sideways, along z, by up to 0.24 r.
#[test]
fn a_millimeter_and_a_kilometer_are_like_a_meter() {
    let expected = collapse(1.0, 0.6);
    println!("{expected:?}");
    assert!(expected.position.x > 0.65 && expected.kinetic_energy > 0.1, "the water reaches the block: {expected:?}");
    for scale in [1e-3, 1e3] {
        let found = collapse(scale, 0.6);
        println!("{scale}: {found:?}");
        assert!(found.position.distance(expected.position) < 0.2 * RADIUS, "{scale}: {found:?}, {expected:?}");
        assert!(found.center.distance(expected.center) < 0.1 * RADIUS, "{scale}: {found:?}, {expected:?}");
        assert!((found.kinetic_energy / expected.kinetic_energy - 1.0).abs() < 0.04, "{scale}: {found:?}, {expected:?}");
    }
}

/// A block falls into a tank with a probe and an emitter at `place`, which is also the origin.
fn scene(place: DVec3) -> Scene {
    let at = |x: f64, y: f64, z: f64| {
        let [x, y, z] = (place + DVec3::new(x, y, z)).to_array();
        format!("[{x:?}, {y:?}, {z:?}]")
    };
    let text = format!(
        "title = \"Far\"\nsimulator = \"fluid\"\nduration = 0.5\nframes_per_second = 50\norigin = {origin}\n\
         [fluid]\nparticle_radius = 0.04\nperiodic = {{ y = [{low:?}, {high:?}] }}\n\
         [[fluid.fill]]\nbox = {{ min = {}, max = {} }}\n\
         [[fluid.emitter]]\nradius = 0.1\nposition = {}\ndirection = [0, -1, 0]\nspeed = 1\n\
         [[fluid.drain]]\nbox = {{ min = {}, max = {} }}\n\
         [[body]]\nname = \"tank\"\nmesh = \"../../../meshes/tank.obj\"\nkind = \"static\"\nposition = {}\n\
         [[body]]\nname = \"block\"\nmesh = \"../../../meshes/box.obj\"\nkind = \"floating\"\nscale = 0.3\nposition = {}\ndensity = 500\n\
         [[body]]\nname = \"paddle\"\nmesh = \"../../../meshes/box.obj\"\nkind = \"moving\"\nscale = 0.2\nposition = {}\n\
         [body.motion]\ntype = \"sinusoid\"\namplitude = [0.1, 0, 0]\nfrequency = 1\nrotation = [0, 20, 0]\npivot = {}\n\
         [[probe]]\nname = \"gauge\"\nmeasures = \"height\"\nposition = {}\n",
        at(0.0, 0.0, 0.0),
        at(0.8, 0.5, 1.0),
        at(1.5, 0.8, 0.5),
        at(1.8, 0.0, 0.0),
        at(2.0, 0.1, 1.0),
        at(0.0, 0.0, 0.0),
        at(1.0, 0.3, 0.5),
        at(1.6, 0.2, 0.7),
        at(1.6, 0.0, 0.7),
        at(0.5, 0.0, 0.5),
        origin = at(0.0, 0.0, 0.0),
        low = place.y - 1.0,
        high = place.y + 4.0,
    );
    Scene::parse(&text, &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/good/far.toml")).unwrap()
}

fn simulation(place: DVec3) -> FluidSimulation {
    let Definition::Fluid { settings, bodies } = scene(place).definition else { panic!("a fluid") };
    let mut simulation = FluidSimulation::new(*settings, bodies).unwrap();
    while simulation.time() < 0.4 {
        simulation.advance(0.4).unwrap();
    }
    simulation
}

#[test]
fn a_hundred_kilometers_away_is_like_the_origin() {
    let (near, far) = (simulation(DVec3::ZERO), simulation(DVec3::new(1e5, -2e4, 3e5)));
    assert_eq!((near.particle_count(), near.steps()), (far.particle_count(), far.steps()));
    let bodies = near.bodies().iter().zip(far.bodies());
    let apart = bodies.map(|(near, far)| near.center().distance(far.center())).fold(0.0, f64::max);
    let [near, far] = [&near, &far].map(center);
    println!("bodies {apart:.1e} m apart, fluid {:.1e} m", near.distance(far));
    // Coordinates of 3e5 m are rounded to 6e-11 m in the scene, which single particles amplify.
    assert!(apart < 1e-5 && near.distance(far) < 1e-6, "{apart}, {near}, {far}");
}
