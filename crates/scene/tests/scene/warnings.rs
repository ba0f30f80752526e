//! Scenes that are valid but probably not meant cause warnings with file, line, key, what is there and what was asked for.

use std::path::Path;

use plimsoll_scene::Scene;

/// A flume with a paddle, a moored box, a gauge and a damping zone, all where they should be.
const FLUME: &str = r#"title = "Flume"
simulator = "fluid"
duration = 1.0
frames_per_second = 20
[fluid]
particle_radius = 0.02
[[fluid.fill]]
box = { min = [0.0, 0.0, 0.0], max = [6.0, 0.8, 0.5] }
[[fluid.damping_zone]]
box = { min = [5.0, -0.1, -0.1], max = [6.1, 1.0, 0.6] }
direction = [1, 0, 0]
[[body]]
name = "flume"
mesh = "meshes/small_tank.obj"
kind = "static"
scale = [6.4, 1.2, 0.5]
position = [-0.4, 0.0, 0.0]
[[body]]
name = "paddle"
mesh = "meshes/box.obj"
kind = "moving"
scale = [0.2, 1.2, 0.48]
position = [-0.1, 0.62, 0.25]
[body.motion]
type = "waves"
direction = [1, 0, 0]
depth = 0.8
height = 0.32
period = 2.0
[[body]]
name = "box"
mesh = "meshes/box.obj"
kind = "floating"
scale = [0.4, 0.2, 0.3]
position = [2.8, 0.8, 0.25]
density = 500
[[mooring]]
name = "bow"
body = "box"
attachment = [2.6, 0.72, 0.25]
anchor = [1.0, 0.0, 0.25]
length = 1.8
axial_stiffness = 2000
[[probe]]
name = "gauge"
measures = "height"
position = [4.0, 0.0, 0.25]
[[probe]]
name = "P1"
measures = "pressure"
position = [4.0, 0.1, 0.25]
"#;

/// The warnings of the flume with `from` replaced by `to`.
fn warnings(from: &str, to: &str) -> Vec<String> {
    assert!(FLUME.contains(from), "{from}");
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("flume.toml");
    let scene = Scene::parse(&FLUME.replacen(from, to, 1), &path).unwrap_or_else(|error| panic!("{error}"));
    let folder = format!("{}/", path.parent().expect("a folder").display());
    scene.warnings.into_iter().map(|warning| warning.replacen(&folder, "", 1)).collect()
}

/// One warning, which begins with `start` and contains all `parts`.
#[track_caller]
fn assert_warns(from: &str, to: &str, start: &str, parts: &[&str]) {
    let found = warnings(from, to);
    let [warning] = &found[..] else { panic!("found {found:#?}, expected one warning, {start}") };
    assert!(warning.starts_with(start) && parts.iter().all(|part| warning.contains(part)), "found {warning}, expected {start} {parts:?}");
}

#[test]
fn a_flume_in_order_causes_no_warning() {
    assert_eq!(warnings("Flume", "Flume"), [""; 0]);
}

#[test]
fn bodies_beside_or_below_the_flume() {
    let place = "position = [2.8, 0.8, 0.25]";
    let moved = |x: &str| format!("position = [{x}, 0.25]");
    for (x, extent) in [("8, 0.8", "from [7.8, 0.7, 0.1] to [8.2, 0.9, 0.4]"), ("2.8, -0.6", "from [2.6, -0.7, 0.1] to [3, -0.5, 0.4]")] {
        let found = warnings(place, &moved(x));
        let start = format!(
            "flume.toml:35: body \"box\".position: this body is {extent}, outside the fluid and the bodies that hold it, which are from ["
        );
        assert!(found.iter().any(|warning| warning.starts_with(&start)), "{found:#?}");
    }
    // It falls into the flume.
    assert!(warnings(place, &moved("2.8, 3")).iter().all(|warning| !warning.contains("this body")));
}

/// A drop and a ball fall side by side.
#[test]
fn nothing_is_outside_without_bodies_that_hold_fluid() {
    let end = FLUME.find("[[body]]").expect("the first body");
    let ball = "[[body]]\nname = \"ball\"\nmesh = \"meshes/box.obj\"\nkind = \"floating\"\ndensity = 500\nposition = [9, -9, 9]\n";
    let probe = "[[probe]]\nname = \"P1\"\nmeasures = \"pressure\"\nposition = [-5, 5, 5]\n";
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("drop.toml");
    let scene = Scene::parse(&format!("{}{ball}{probe}", &FLUME[..end]), &path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene.warnings, [""; 0]);
}

#[test]
fn fills_outside_the_bodies() {
    let parts = ["this fill is from [0, 0, 0] to [7, 0.8, 0.5], and the bodies are from [-1.04,", "fluid beyond them falls past them"];
    assert_warns("max = [6.0, 0.8, 0.5]", "max = [7.0, 0.8, 0.5]", "flume.toml:7: fluid.fill[1]: ", &parts);
}

#[test]
fn probes_where_no_fluid_comes() {
    let outside = "outside the fluid and the bodies that hold it, which are from [-1.04, -0.12, -0.05] to [6.64, 1.22, 0.55]";
    assert_warns(
        "position = [4.0, 0.0, 0.25]",
        "position = [8, 0, 0.25]",
        "flume.toml:47: probe \"gauge\".position: [8, 0, 0.25] is",
        &[outside],
    );
    assert_warns(
        "position = [4.0, 0.1, 0.25]",
        "position = [4, 3, 0.25]",
        "flume.toml:51: probe \"P1\".position: [4, 3, 0.25] is",
        &[outside],
    );
    // Above the water, but where it may splash.
    assert_eq!(warnings("position = [4.0, 0.1, 0.25]", "position = [4, 1, 0.25]"), [""; 0]);
    let line = "velocity\"\nfrom = [7, 0, 0]\nto = [8, 0, 0]\npoints = 3";
    assert_warns(
        "pressure\"\nposition = [4.0, 0.1, 0.25]",
        line,
        "flume.toml:51: probe \"P1\".from: from [7, 0, 0] to [8, 0, 0] is",
        &[outside],
    );
    let rectangle = "flow\"\ncorner = [7, 0, 0]\nu = [0, 1, 0]\nv = [0, 0, 1]";
    assert_warns(
        "pressure\"\nposition = [4.0, 0.1, 0.25]",
        rectangle,
        "flume.toml:51: probe \"P1\".corner: from [7, 0, 0] to [7, 1, 1]",
        &[outside],
    );
    let region = "volume\"\nbox = { min = [0, -2, 0], max = [1, -1, 1] }";
    assert_warns(
        "pressure\"\nposition = [4.0, 0.1, 0.25]",
        region,
        "flume.toml:51: probe \"P1\".box: from [0, -2, 0] to [1, -1, 1]",
        &[outside],
    );
}

#[test]
fn damping_zones_away_from_the_fluid() {
    let moved = "box = { min = [40, -0.1, -0.1], max = [41, 1, 0.6] }";
    let parts = ["from [40, -0.1, -0.1] to [41, 1, 0.6] is outside the fluid"];
    assert_warns("box = { min = [5.0, -0.1, -0.1], max = [6.1, 1.0, 0.6] }", moved, "flume.toml:10: fluid.damping_zone[1].box: ", &parts);
}

#[test]
fn moorings_attached_away_from_their_bodies() {
    let parts = ["[0.6, 0.72, 0.25] is 2 m away from body \"box\", which is from [2.6, 0.7, 0.1] to [3, 0.9, 0.4]"];
    assert_warns("attachment = [2.6,", "attachment = [0.6,", "flume.toml:40: mooring \"bow\".attachment: ", &parts);
    // An arm.
    assert_eq!(warnings("attachment = [2.6,", "attachment = [2.5,"), [""; 0]);
}

#[test]
fn paddles_that_do_not_fit_the_fluid() {
    for (depth, found) in
        [("1.2", "1.2 m: the fluid beside the paddle is 0.8 m deep"), ("0.7", "0.7 m: the fluid beside the paddle is 0.8 m deep")]
    {
        let start = format!("flume.toml:27: body \"paddle\".motion.depth: {found}");
        assert_warns("depth = 0.8", &format!("depth = {depth}"), &start, &[]);
    }
    let parts = ["[0, 0, 1]: no fluid is beside the paddle along this direction; the paddle is from [-0.2, 0.02, 0.01] to [0, 1.22, 0.49]"];
    assert_warns(
        "direction = [1, 0, 0]\ndepth",
        "direction = [0, 0, 1]\ndepth",
        "flume.toml:26: body \"paddle\".motion.direction: ",
        &parts,
    );
    let parts = ["0.06 m are 1.5 particle diameters: waves lower than 8 lose height as they travel"];
    assert_warns("height = 0.32", "height = 0.06", "flume.toml:28: body \"paddle\".motion.height: ", &parts);
}

/// A mesh of 0.2 m that is read in millimeters, or the other way round.
#[test]
fn bodies_in_another_unit() {
    let start = "flume.toml:30: body \"box\": this body is ";
    let kind = "kind = \"floating\"\nscale = [0.4, 0.2, 0.3]\nposition = [2.8, 0.8, 0.25]\ndensity = 500";
    let found = warnings(kind, "kind = \"floating\"\nscale = [400, 20, 30]\nposition = [2.8, -600, 0.25]\ndensity = 500");
    let size = "400 m across, 66.67 times as large as the fluid, which is 6 m";
    let warning = format!("{start}{size}: is it in meters? `scale = [0.4, 0.02, 0.03]` makes it 0.4 m");
    assert!(found.contains(&warning), "{found:#?}");
    let tiny = "kind = \"floating\"\nscale = [0.0004, 0.0002, 0.0003]\nposition = [2.8, 0.8, 0.25]\ndensity = 500";
    let found = warnings(kind, tiny);
    let parts =
        "0.0004 m across, smaller than a particle, whose diameter is 0.04 m: is it in meters? `scale = [0.4, 0.2, 0.3]` makes it 0.4 m";
    assert!(found.contains(&format!("{start}{parts}")), "{found:#?}");
    // Forty times as large as the fluid, and smaller than it but larger than a particle.
    for scale in ["[240, 1, 1]", "0.041"] {
        let found = warnings(kind, &format!("kind = \"floating\"\nscale = {scale}\nposition = [2.8, -600, 0.25]\ndensity = 500"));
        assert!(!found.iter().any(|warning| warning.contains("across")), "{found:#?}");
    }
}

#[test]
fn bodies_among_grains_in_another_unit() {
    let scene = |scale: &str| {
        let text = format!(
            r#"title = "Grains"
simulator = "grains"
duration = 1.0
frames_per_second = 20
[grains]
box = {{ min = [0, 0, 0], max = [1, 1, 1] }}
[[grains.material]]
name = "glass"
density = 2500
young_modulus = 1e8
[[grains.group]]
count = 10
radius = 0.01
[[body]]
name = "box"
mesh = "meshes/box.obj"
kind = "static"
scale = {scale}
"#
        );
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("grains.toml");
        Scene::parse(&text, &path)
            .unwrap_or_else(|error| panic!("{error}"))
            .warnings
            .into_iter()
            .filter(|warning| warning.contains("across"))
    };
    let found: Vec<String> = ["100", "0.001", "40", "0.021"].into_iter().flat_map(scene).collect();
    let expected = [
        ":14: body \"box\": this body is 100 m across, 100 times as large as the box of grains, which is 1 m: is it in meters? `scale = 0.1` makes it 0.1 m",
        ":14: body \"box\": this body is 0.001 m across, smaller than a particle, whose diameter is 0.02 m: is it in meters? `scale = 1` makes it 1 m",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    assert!(found.iter().zip(expected).all(|(found, expected)| found.ends_with(expected)), "{found:#?}");
}

/// A wall narrows the box of 3,000 spheres of 2 cm to a slit.
#[test]
fn gas_walls_that_leave_no_room() {
    let found = |until: &str| {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("slit.toml");
        let wall = format!("[[gas.wall]]\nside = \"x_max\"\nvelocity = -0.2\nuntil = {until}\n");
        let group = "[[gas.group]]\ncount = 3000\nradius = 0.01\nmass = 1\ntemperature = 1\n";
        let text = format!(
            "title = \"Slit\"\nsimulator = \"gas\"\nduration = 5\nframes_per_second = 10\n[gas]\nbox = {{ min = [0, 0, 0], max = [1, 1, 1] }}\n{group}{wall}"
        );
        Scene::parse(&text, &path).unwrap_or_else(|error| panic!("{error}")).warnings
    };
    // Measured, they jam in a slit of 0.027 m, at 4.86 s.
    let [warning] = &found("4.89")[..] else { panic!("no warning") };
    assert!(warning.contains("gas.wall") && warning.contains("at 4.89 s the walls leave a box of 0.022 × 1 × 1 m"), "{warning}");
    assert_eq!(found("4.8"), [""; 0]);
}
