//! Instruments against closed forms, against each other, and from frames against live.

use std::{fs, path::Path, process::Command};

use crate::common::{box_fill, cuboid, fixed, floating};
use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain, Pose};
use plimsoll_contract::{frame::Value, simulator::Simulator};
use plimsoll_fluid::{
    FluidSettings, FluidSimulation,
    probes::{BodyForce, BodyMotion, Flow, Patch, PressurePoint, Probe, ProbeKind, Velocities, Volume, WaterHeight},
};
use plimsoll_shape::TriangleMesh;

const RADIUS: f64 = 0.02;
const GRAVITY: f64 = crate::common::GRAVITY;

fn probe(name: &str, rate: f64, kind: ProbeKind) -> Probe {
    Probe { name: name.to_owned(), rate, kind }
}

/// Rows of all probes over `seconds`: for each probe, columns by name.
struct Readings {
    names: Vec<String>,
    columns: Vec<Vec<String>>,
    rows: Vec<Vec<Vec<f64>>>,
}

impl Readings {
    fn of(simulation: &mut FluidSimulation, seconds: f64) -> Self {
        let mut readings = Self { names: Vec::new(), columns: Vec::new(), rows: Vec::new() };
        crate::common::run(simulation, seconds, |simulation| {
            for (place, table) in simulation.tables().iter().filter(|table| table.name.starts_with("probes/")).enumerate() {
                if place == readings.names.len() {
                    readings.names.push(table.name.trim_start_matches("probes/").to_owned());
                    readings.columns.push(table.columns.iter().map(ToString::to_string).collect());
                    readings.rows.push(Vec::new());
                }
                readings.rows[place].extend(table.rows.iter().map(|row| row.iter().map(number).collect::<Vec<f64>>()));
            }
        });
        readings
    }

    fn column(&self, probe: &str, column: &str) -> Vec<f64> {
        let place = self.names.iter().position(|name| name == probe).unwrap();
        let column = self.columns[place].iter().position(|name| name == column).unwrap_or_else(|| panic!("{:?}", self.columns[place]));
        self.rows[place].iter().map(|row| row[column]).collect()
    }

    fn mean(&self, probe: &str, column: &str) -> f64 {
        let values = self.column(probe, column);
        values.iter().sum::<f64>() / values.len() as f64
    }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(value) => *value as f64,
        Value::Real(value) => *value,
        Value::Text(text) => panic!("{text}"),
    }
}

/// The faces of a room whose normals point along `normal`.
fn side(room: &TriangleMesh, normal: DVec3) -> TriangleMesh {
    let points_along = |index: &usize| {
        let [a, b, c] = room.corners(*index);
        (b - a).cross(c - a).normalize().dot(normal) > 0.9
    };
    let triangles = (0..room.triangles.len()).filter(points_along).map(|index| room.triangles[index]).collect();
    TriangleMesh { vertices: room.vertices.clone(), triangles }
}

#[test]
fn a_pool_at_rest_has_hydrostatic_pressures_forces_and_heights() {
    let (size, depth) = (DVec3::new(0.6, 0.8, 0.4), 0.4);
    let room = TriangleMesh::room(&Aabb { min: DVec3::ZERO, max: size });
    let patch = |surface: TriangleMesh| ProbeKind::Patch(Patch { body: 0, surface });
    let band = |low: f64, high: f64| side(&room, DVec3::X).between(DVec3::Y, [low, high]);
    let at = |y: f64| ProbeKind::Pressure(PressurePoint { position: DVec3::new(0.0, y, 0.2), body: None });
    let rest = {
        let mut rest = room.clone();
        rest.triangles.retain(|triangle| !side(&room, DVec3::X).triangles.contains(triangle));
        rest
    };
    let probes = vec![
        probe("p1", 50.0, at(0.05)),
        probe("p2", 50.0, at(0.2)),
        probe("inside", 50.0, ProbeKind::Pressure(PressurePoint { position: DVec3::new(0.3, 0.17, 0.2), body: None })),
        probe("dry", 50.0, at(0.6)),
        probe("floor", 50.0, patch(side(&room, DVec3::Y))),
        probe("low", 50.0, patch(band(0.0, 0.1))),
        probe("high", 50.0, patch(band(0.1, 0.8))),
        probe("rest", 50.0, patch(rest)),
        probe("tank", 50.0, ProbeKind::Force(BodyForce { body: 0, about: Some(DVec3::ZERO) })),
        probe("gauge", 50.0, ProbeKind::Height(WaterHeight { position: DVec3::new(0.3, 0.0, 0.2) })),
        probe("half", 50.0, ProbeKind::Volume(Volume { region: Aabb { min: DVec3::ZERO, max: DVec3::new(0.3, 0.8, 0.4) } })),
    ];
    let settings = FluidSettings {
        probes,
        ..crate::common::settings(RADIUS, vec![box_fill(DVec3::ZERO, DVec3::new(size.x, depth, size.z), DVec3::ZERO)])
    };
    let mut simulation = FluidSimulation::new(settings, vec![fixed("tank", room.clone(), Pose::IDENTITY)]).unwrap();
    crate::common::run(&mut simulation, 0.5, |_| {});
    let readings = Readings::of(&mut simulation, 1.0);
    assert_eq!(readings.rows.iter().map(Vec::len).collect::<Vec<_>>(), vec![50; 11]);
    let (gamma, volume) = (crate::common::WATER * GRAVITY, crate::common::fluid_volume(&simulation));
    let level = volume / (size.x * size.z);
    for (name, y) in [("p1", 0.05), ("p2", 0.2), ("inside", 0.17)] {
        let found = readings.mean(name, "pressure_mean [Pa]");
        println!("{name}: {found:.1} Pa, expected {:.1}", gamma * (level - y));
    }
    // A point on a wall has the pressure of the few particles next to it, up to 8 % too high here; patches have their mean.
    for (name, y, tolerance) in [("p1", 0.05, 0.1), ("p2", 0.2, 0.1), ("inside", 0.17, 0.02)] {
        let found = readings.mean(name, "pressure_mean [Pa]");
        assert!((found / (gamma * (level - y)) - 1.0).abs() < tolerance, "{name}: {found} Pa");
    }
    assert_eq!(readings.mean("dry", "pressure_max [Pa]"), 0.0);
    let floor = readings.mean("floor", "pressure_mean [Pa]");
    let weight = -readings.mean("floor", "force_y_mean [N]");
    println!("floor: {floor:.1} Pa, {weight:.3} N, weight {:.3} N", gamma * volume);
    assert!((floor / (gamma * level) - 1.0).abs() < 0.02 && (weight / (gamma * volume) - 1.0).abs() < 0.02);
    for (name, low, high) in [("low", 0.0, 0.1), ("high", 0.1, level)] {
        let force = readings.mean(name, "force_x_mean [N]");
        let expected = -gamma * size.z * ((level - low).powi(2) - (level - high).powi(2)) / 2.0;
        println!("{name}: {force:.3} N, expected {expected:.3} N");
        assert!((force / expected - 1.0).abs() < 0.05);
    }
    // Parts that cover the tank add up to its force, in every sample.
    for axis in ["x", "y", "z"] {
        let column = format!("force_{axis}_mean [N]");
        let parts = ["low", "high", "rest"].map(|name| readings.column(name, &column));
        for (row, &whole) in readings.column("tank", &column).iter().enumerate() {
            let sum: f64 = parts.iter().map(|part| part[row]).sum();
            assert!((sum - whole).abs() < 1e-3 * weight, "{axis}: parts {sum} N, tank {whole} N");
        }
    }
    let (surface, column) = (readings.mean("gauge", "surface [m]"), readings.mean("gauge", "column [m]"));
    println!("level {level:.4}, surface {surface:.4}, column {column:.4}");
    assert!((surface - level).abs() < 0.5 * RADIUS && (column / level - 1.0).abs() < 0.03);
    assert!((readings.mean("half", "volume [m³]") / volume - 0.5).abs() < 0.02);
    let (min, max) = (readings.column("tank", "force_y_min [N]"), readings.column("tank", "force_y_max [N]"));
    assert!(
        readings.column("tank", "force_y_mean [N]").iter().zip(min.iter().zip(&max)).all(|(mean, (min, max))| min <= mean && mean <= max)
    );
}

/// Walls weigh less at the edges of a block, for its parts as for the whole.
#[test]
fn parts_that_cover_a_block_under_water_add_up_to_its_force() {
    let size = DVec3::new(0.5, 0.6, 0.5);
    let block = cuboid(DVec3::splat(-0.1), DVec3::splat(0.1));
    let sides =
        [("right", DVec3::X), ("top", DVec3::Y), ("front", DVec3::Z), ("left", -DVec3::X), ("bottom", -DVec3::Y), ("back", -DVec3::Z)];
    let patch = |&(name, normal)| probe(name, 50.0, ProbeKind::Patch(Patch { body: 1, surface: side(&block, normal) }));
    let mut probes: Vec<Probe> = sides.iter().map(patch).collect();
    probes.push(probe("block", 50.0, ProbeKind::Force(BodyForce { body: 1, about: None })));
    let fill = box_fill(DVec3::ZERO, DVec3::new(size.x, 0.45, size.z), DVec3::ZERO);
    let settings = FluidSettings { probes, ..crate::common::settings(RADIUS, vec![fill]) };
    let room = TriangleMesh::room(&Aabb { min: DVec3::ZERO, max: size });
    let held = Pose::from_translation(DVec3::new(0.25, 0.2, 0.25));
    let mut simulation =
        FluidSimulation::new(settings, vec![fixed("tank", room, Pose::IDENTITY), fixed("block", block.clone(), held)]).unwrap();
    crate::common::run(&mut simulation, 0.5, |_| {});
    let readings = Readings::of(&mut simulation, 0.4);
    let column = "force_y_mean [N]";
    let parts = sides.map(|(name, _)| readings.column(name, column));
    for (row, &whole) in readings.column("block", column).iter().enumerate() {
        let sum: f64 = parts.iter().map(|part| part[row]).sum();
        println!("parts {sum:.3} N, block {whole:.3} N");
        assert!((sum - whole).abs() < 2e-3 * whole, "parts {sum} N, block {whole} N");
    }
}

/// Fluid that fills a domain periodic along all axes and drifts.
#[test]
fn drifting_fluid_flows_at_its_speed() {
    let (size, velocity) = (0.4, DVec3::new(0.9, 0.3, -0.2));
    let domain = Domain::periodic(DVec3::splat(size));
    let fill = box_fill(domain.low, domain.high(), velocity);
    let flow = |u: DVec3, v: DVec3| ProbeKind::Flow(Flow { corner: DVec3::new(0.11, 0.13, 0.07), u, v });
    let probes = vec![
        probe("x", 5.0, flow(0.2 * DVec3::Y, 0.25 * DVec3::Z)),
        probe("back", 5.0, flow(0.25 * DVec3::Z, 0.2 * DVec3::Y)),
        probe("line", 100.0, ProbeKind::Velocity(Velocities::along(DVec3::ZERO, DVec3::splat(0.35), 4))),
        probe("all", 100.0, ProbeKind::Volume(Volume { region: Aabb { min: DVec3::splat(-1.0), max: DVec3::ONE } })),
    ];
    let settings = FluidSettings { domain, gravity: DVec3::ZERO, settle: false, probes, ..crate::common::settings(RADIUS, vec![fill]) };
    let mut simulation = FluidSimulation::new(settings, vec![]).unwrap();
    let readings = Readings::of(&mut simulation, 2.0);
    for (name, expected) in [("x", 0.9 * 0.2 * 0.25), ("back", -0.9 * 0.2 * 0.25)] {
        let found = readings.mean(name, "flow_mean [m³/s]");
        println!("{name}: {found} m³/s, expected {expected}");
        assert!((found / expected - 1.0).abs() < 0.03);
    }
    for number in 1..=4 {
        for (axis, expected) in ["x", "y", "z"].into_iter().zip(velocity.to_array()) {
            assert!((readings.mean("line", &format!("velocity_{number}_{axis} [m/s]")) - expected).abs() < 1e-4);
        }
    }
    assert!((readings.mean("all", "volume [m³]") / size.powi(3) - 1.0).abs() < 1e-6);
}

/// A box falls freely, then floats; a point and the motion follow it.
#[test]
fn probes_follow_bodies_and_change_nothing() {
    let run = |probes: Vec<Probe>| {
        let room = TriangleMesh::room(&Aabb { min: DVec3::ZERO, max: DVec3::new(0.6, 2.0, 0.6) });
        let mesh = cuboid(DVec3::splat(-0.1), DVec3::splat(0.1));
        let bodies =
            vec![fixed("tank", room, Pose::IDENTITY), floating("crate", mesh, Pose::from_translation(DVec3::new(0.3, 0.8, 0.3)), 500.0)];
        let fill = box_fill(DVec3::ZERO, DVec3::new(0.6, 0.3, 0.6), DVec3::ZERO);
        let settings = FluidSettings { probes, settle: false, ..crate::common::settings(0.03, vec![fill]) };
        FluidSimulation::new(settings, bodies).unwrap()
    };
    let point = PressurePoint { position: DVec3::new(0.0, -0.1, 0.0), body: Some(1) };
    let probes = vec![probe("motion", 1000.0, ProbeKind::Motion(BodyMotion { body: 1 })), probe("keel", 100.0, ProbeKind::Pressure(point))];
    let (mut with, mut without) = (run(probes), run(Vec::new()));
    let readings = Readings::of(&mut with, 0.6);
    crate::common::run(&mut without, 0.6, |_| {});
    assert_eq!(with.particles().positions, without.particles().positions);
    assert_eq!(with.bodies()[1].pose, without.bodies()[1].pose);
    let times = readings.column("motion", "time [s]");
    for (time, heave) in times.iter().zip(readings.column("motion", "displacement_y [m]")).take_while(|(time, _)| **time < 0.2) {
        let fall = -0.5 * GRAVITY * time * time;
        // The first-order step falls half a step ahead; between steps the path is linear.
        assert!((heave - fall).abs() < GRAVITY * time * 0.005 + 1e-4, "{heave} m at {time} s, expected {fall}");
    }
    let keel = readings.column("keel", "pressure_max [Pa]");
    assert!(keel[..20].iter().all(|&pressure| pressure == 0.0) && keel[45..].iter().any(|&pressure| pressure > 500.0));
}

const SCENE: &str = r#"
title = "Probes"
simulator = "fluid"
duration = 0.4
frames_per_second = 20

[fluid]
particle_radius = 0.03

[[fluid.fill]]
box = { min = [0, 0, 0], max = [0.4, 0.5, 1] }

[[body]]
name = "tank"
mesh = "MESHES/small_tank.obj"
kind = "static"

[[body]]
name = "crate"
mesh = "MESHES/box.obj"
kind = "floating"
scale = 0.2
position = [0.7, 0.11, 0.5]
density = 300
"#;

const PROBES: &str = r#"
[[probe]]
name = "gauge"
measures = "height"
position = [0.2, 0, 0.5]

[[probe]]
name = "front"
measures = "velocity"
from = [0.1, 0.1, 0.5]
to = [0.5, 0.1, 0.5]
points = 3

[[probe]]
name = "crate.motion"
measures = "motion"
body = "crate"

[[probe]]
name = "crate.side"
measures = "patch"
body = "crate"
box = { min = [0.55, 0, 0.3], max = [0.65, 0.3, 0.7] }

[[probe]]
name = "whole"
measures = "patch"
body = "crate"
group = "box"

[[probe]]
name = "crate.force"
measures = "force"
body = "crate"
rate = 20

[[probe]]
name = "P1"
measures = "pressure"
position = [0.01, 0.1, 0.5]
rate = 20

[[probe]]
name = "energy"
measures = "fluid"

[[probe]]
name = "gate"
measures = "flow"
corner = [0.45, 0, 0]
u = [0, 0.5, 0]
v = [0, 0, 1]

[[probe]]
name = "left"
measures = "volume"
box = { min = [0, 0, 0], max = [0.45, 1, 1] }
"#;

const EVENTS: &str = r#"
[[probe]]
name = "past"
measures = "events"
box = { min = [0.4, 0, 0], max = [0.6, 1, 1] }
"#;

fn plimsoll(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(arguments).current_dir(folder).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {text}");
    text
}

fn table(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap().split(',').map(str::to_owned).collect();
    let number = |cell: &str| if cell.is_empty() { f64::NAN } else { cell.parse().unwrap() };
    (header, lines.map(|line| line.split(',').map(number).collect()).collect())
}

#[test]
fn frames_give_the_same_as_the_running_simulation_and_a_resumed_run_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    fs::write(folder.join("scene.toml"), (SCENE.to_owned() + PROBES + EVENTS).replace("MESHES", &meshes.display().to_string())).unwrap();
    fs::write(folder.join("probes.toml"), PROBES).unwrap();
    plimsoll(folder, &["run", "scene.toml", "--out", "whole"]);
    plimsoll(folder, &["run", "scene.toml", "--out", "parts", "--until", "0.15"]);
    plimsoll(folder, &["run", "--resume", "parts"]);
    plimsoll(folder, &["measure", "whole", "probes.toml"]);
    for name in ["gauge", "front", "crate.motion", "crate.side", "whole", "crate.force", "P1", "energy", "gate", "left"] {
        let live = folder.join(format!("whole/probes/{name}.csv"));
        assert_eq!(fs::read(&live).unwrap(), fs::read(folder.join(format!("parts/probes/{name}.csv"))).unwrap(), "{name}");
        let ((columns, live), (measured_columns, measured)) = (table(&live), table(&folder.join(format!("whole/measured/{name}.csv"))));
        assert_eq!((live.len(), measured.len()), (8, 9), "{name}");
        for (place, column) in measured_columns.iter().enumerate() {
            // Means since the previous frame for forces and flows, the state at the frame for the others.
            let is_mean = ["pressure", "force", "torque", "flow"].iter().any(|part| column.starts_with(part));
            // Nothing is before the first frame.
            assert_eq!(measured[0][place].is_nan(), is_mean, "{name} {column}");
            let wanted = if is_mean { column.replacen(" [", "_mean [", 1) } else { column.clone() };
            let live_place = columns.iter().position(|name| *name == wanted).unwrap_or_else(|| panic!("{wanted} in {columns:?}"));
            // Compared with the largest value in this unit.
            let unit = column.split('[').nth(1);
            let alike: Vec<usize> = (1..columns.len()).filter(|&place| columns[place].split('[').nth(1) == unit).collect();
            let size = live.iter().flat_map(|row| alike.iter().map(|&place| row[place].abs())).fold(1e-9, f64::max);
            let errors = live.iter().zip(&measured[1..]).map(|(live, measured)| (live[live_place] - measured[place]).abs() / size);
            let worst = errors.fold(0.0, f64::max);
            println!("{name} {column}: {worst:.1e}");
            // In frames, pressures are means but geometry is that of the frame.
            let tolerance = match name {
                "P1" | "crate.side" | "whole" => 0.6,
                "gate" => 0.1,
                _ => 2e-3,
            };
            assert!(worst <= tolerance, "{name} {column}: {worst}");
        }
    }
    let events = fs::read_to_string(folder.join("whole/events/past.csv")).unwrap();
    assert_eq!(events, fs::read_to_string(folder.join("parts/events/past.csv")).unwrap());
    assert!(events.starts_with("step,time [s],event,kind,name,position_x [m],") && events.contains(",enters,particle,"), "{events}");
    // The whole crate as a group has the pressure force of the crate.
    let ((_, whole), (_, force)) = (table(&folder.join("whole/probes/whole.csv")), table(&folder.join("whole/probes/crate.force.csv")));
    assert!(whole.len() == 8 && force.len() == 8);
    let text = plimsoll(folder, &["plot", "whole"]);
    for picture in ["probes_surface", "probes_velocity", "probes_displacement", "probes_pressure", "probes_flow", "measured_volume"] {
        assert!(text.contains(&format!("{picture}.svg")), "{picture}: {text}");
    }
}

/// Files for `plimsoll measure` that are refused, with the message for each.
const REFUSED: [(&str, &str); 8] = [
    ("", "probes.toml:1: probe: found nothing, expected at least one [[probe]]"),
    ("[[probe]\n", "probes.toml:1: found a syntax error (unclosed array table, expected `]`), expected valid TOML"),
    (
        "[[body]]\nname = \"crate\"\n[[probe]]\nname = \"a\"\nmeasures = \"fluid\"\n",
        "probes.toml:1: body: found an unknown key, expected one of `probe`",
    ),
    (
        "[[probe]]\nname = \"a\"\nmeasures = \"depth\"\n",
        "probes.toml:3: probe \"a\".measures: found \"depth\", expected one of \"pressure\", \"patch\", \"force\", \"height\", \"velocity\", \
         \"flow\", \"volume\", \"motion\", \"fluid\", \"events\"",
    ),
    (
        "[[probe]]\nname = \"a\"\nmeasures = \"events\"\nbox = { min = [0, 0, 0], max = [1, 1, 1] }\n",
        "probes.toml:3: probe[1].measures: found \"events\" for the frames of a run, expected it only in a scene: events are found from step to step",
    ),
    (
        "[[probe]]\nname = \"a\"\nmeasures = \"force\"\nbody = \"boat\"\n",
        "probes.toml:4: probe \"a\".body: found \"boat\", expected one of \"tank\", \"crate\"",
    ),
    (
        "[[probe]]\nname = \"a\"\nmeasures = \"height\"\nposition = [0, 0, 0]\nrate = -1\n",
        "probes.toml:5: probe \"a\".rate: found -1, expected a positive number of samples per second",
    ),
    (
        "[[probe]]\nname = \"a\"\nmeasures = \"fluid\"\n[[probe]]\nname = \"a\"\nmeasures = \"fluid\"\n",
        "probes.toml:5: probe[2].name: found \"a\", already the name of the probe in line 1, expected a unique name",
    ),
];

#[test]
fn a_bad_file_of_probes_is_refused_with_its_name_and_line() {
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    let scene = SCENE.replace("MESHES", &meshes.display().to_string());
    for (text, expected) in REFUSED {
        let error = plimsoll_scene::load_probes((&scene, Path::new("scene.toml")), (text, Path::new("probes.toml"))).err();
        assert_eq!(error.map(|error| error.to_string()).as_deref(), Some(expected));
    }
}
