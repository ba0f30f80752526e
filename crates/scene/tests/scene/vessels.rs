//! Closed meshes that are vessels: fluid, grains and bodies are inside them, and solids that should be vessels are warned of.

use std::path::Path;

use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::FluidSimulation;
use plimsoll_grains::GrainsSimulation;
use plimsoll_scene::{Definition, Scene};

/// The lower half of a sphere of diameter 1 m, from a box around it.
const HALF: &str = "min = [-0.5, -0.5, -0.5], max = [0.5, 0, 0.5]";
/// A sphere, solid or a vessel.
const SPHERE: &str = "[[body]]\nname = \"tank\"\nmesh = \"meshes/sphere.obj\"\nkind = \"static\"\n";

fn scene(simulator: &str, parts: &[&str]) -> Scene {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("vessel.toml");
    let head = format!("title = \"Vessel\"\nsimulator = \"{simulator}\"\nduration = 1.0\nframes_per_second = 20\n");
    Scene::parse(&format!("{head}{}", parts.concat()), &path).unwrap_or_else(|error| panic!("{error}"))
}

/// A fluid with one box as fill.
fn fluid(fill: &str) -> String {
    format!("[fluid]\nparticle_radius = 0.025\nsettle = true\n[[fluid.fill]]\nbox = {{ {fill} }}\n")
}

/// The warnings of a scene with these parts that name a vessel.
fn vessel_warnings(parts: &[&str]) -> Vec<String> {
    scene("fluid", parts).warnings.into_iter().filter(|warning| warning.contains("vessel = true")).collect()
}

fn simulation(parts: &[&str]) -> FluidSimulation {
    let Definition::Fluid { settings, bodies } = scene("fluid", parts).definition else { panic!("a scene of fluid") };
    FluidSimulation::new(*settings, bodies).expect("a valid scene")
}

/// The largest distance of a particle from the center of the sphere, m.
fn farthest(simulation: &FluidSimulation) -> f64 {
    simulation.particles().positions.iter().map(|position| position.as_dvec3().length()).fold(0.0, f64::max)
}

#[test]
fn a_solid_in_the_place_of_the_fluid_is_warned_of() {
    let found = vessel_warnings(&[&fluid(HALF), SPHERE]);
    let [warning] = &found[..] else { panic!("{found:#?}") };
    assert!(warning.contains("vessel.toml:8: fluid.fill[1]: body \"tank\" is solid and keeps 52."), "{warning}");
    assert!(warning.contains("% of this fill out; vessel = true in body \"tank\""), "{warning}");
    // A floor below does not hold the fluid in the sphere.
    let floor = "[[body]]\nname = \"floor\"\nmesh = \"meshes/box.obj\"\nkind = \"static\"\nscale = [9, 1, 9]\nposition = [0, -2, 0]\n";
    assert_eq!(vessel_warnings(&[&fluid(HALF), SPHERE, floor]).len(), 1);
    // Only an eighth of this box is in the sphere, but the rest falls.
    let wide = fluid("min = [-0.8, -0.8, -0.8], max = [0.8, 0, 0.8]");
    assert_eq!(vessel_warnings(&[&wide, SPHERE]).len(), 1);
    assert_eq!(vessel_warnings(&[&fluid(HALF), SPHERE, "vessel = true\n"]), [""; 0]);
}

/// Pillars, and ground below fluid, are as solid as they should be.
#[test]
fn a_solid_that_leaves_room_on_a_floor_is_not_warned_of() {
    let tank = "[[body]]\nname = \"floor\"\nmesh = \"meshes/small_tank.obj\"\nkind = \"static\"\nscale = 2\nposition = [-1, -0.5, -1]\n";
    assert_eq!(vessel_warnings(&[&fluid("min = [-1, -0.5, -1], max = [1, 0.5, 1]"), SPHERE, tank]), [""; 0]);
    let ground =
        "[[body]]\nname = \"ground\"\nmesh = \"meshes/box.obj\"\nkind = \"static\"\nscale = [4, 0.4, 4]\nposition = [0, -0.5, 0]\n";
    assert_eq!(vessel_warnings(&[&fluid("min = [-1, -0.5, -1], max = [1, 0.3, 1]"), ground]), [""; 0]);
    // A drop that lies on the ground, and sticks out of it a little.
    assert_eq!(vessel_warnings(&[&fluid("min = [-1, -0.6, -1], max = [1, -0.24, 1]"), ground]), [""; 0]);
}

#[test]
fn fluid_is_in_a_vessel_and_stays_there() {
    let mut vessel = simulation(&[&fluid(HALF), SPHERE, "vessel = true\n"]);
    let count = vessel.particles().len();
    // The half sphere has 0.262 m³.
    let volume = count as f64 * 0.05_f64.powi(3);
    assert!((volume / 0.262 - 1.0).abs() < 0.08, "{volume} m³");
    assert!(farthest(&vessel) < 0.5, "{} m", farthest(&vessel));
    while vessel.time() < 0.3 {
        vessel.advance(1.0).unwrap();
    }
    assert_eq!((vessel.particles().len(), vessel.totals().leaked), (count, 0));
    assert!(farthest(&vessel) < 0.5, "{} m", farthest(&vessel));
    // It is at rest as high as it was poured.
    let top = vessel.particles().positions.iter().map(|position| position.y).fold(f32::NEG_INFINITY, f32::max);
    assert!((-0.06..0.02).contains(&top) && vessel.last_step().max_speed < 0.3, "{top} m, {} m/s", vessel.last_step().max_speed);
}

/// A ball rolls down the wall inside.
#[test]
fn bodies_are_in_a_vessel_and_stay_there() {
    let drop = fluid("min = [-0.1, 0.1, -0.1], max = [0.1, 0.2, 0.1]");
    let ball = "[[body]]\nname = \"ball\"\nmesh = \"meshes/sphere.obj\"\nkind = \"floating\"\nscale = 0.2\nposition = [0.2, -0.2, 0]\n\
                density = 3000\n";
    let mut vessel = simulation(&[&drop, SPHERE, "vessel = true\n", ball]);
    let mut lowest = f64::INFINITY;
    while vessel.time() < 0.5 {
        vessel.advance(1.0).unwrap();
        let center = vessel.bodies()[1].pose.translation;
        assert!(center.length() < 0.41, "{center} at {} s", vessel.time());
        lowest = center.y.min(lowest);
    }
    assert!(lowest < -0.35 && vessel.totals().leaked == 0, "{lowest} m");
}

#[test]
fn grains_are_in_a_vessel_and_stay_there() {
    let grains = "[grains]\nbox = { min = [-0.5, -0.5, -0.5], max = [0.5, 0.5, 0.5] }\n\
                  [[grains.material]]\nname = \"sand\"\ndensity = 2500\nyoung_modulus = 1e6\nrestitution = 0.3\nfriction = 0.5\n\
                  [[grains.group]]\ncount = 300\nradius = 0.03\nmaterial = \"sand\"\n";
    let Definition::Grains { settings, bodies } = scene("grains", &[grains, SPHERE, "vessel = true\n"]).definition else {
        panic!("a scene of grains")
    };
    let mut vessel = GrainsSimulation::new(*settings, bodies).expect("room for all grains");
    let farthest = |vessel: &GrainsSimulation| vessel.grains().spheres.iter().map(|grain| grain.center.length()).fold(0.0, f64::max);
    assert!(farthest(&vessel) < 0.47, "{} m", farthest(&vessel));
    while vessel.time() < 0.2 {
        vessel.advance(0.2).unwrap();
    }
    assert!(farthest(&vessel) < 0.475, "{} m", farthest(&vessel));
}
