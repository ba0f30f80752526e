//! Small good files of each kind.

use std::{fmt::Write, fs, path::PathBuf, sync::Arc};

use base64::prelude::{BASE64_STANDARD, Engine};
use glam::{DQuat, DVec3, Vec3};
use plimsoll::{
    frame::{BodyFrame, Field, Frame, ParticleFrame, PolygonFrame},
    math::Pose,
    output::{Format, FrameFiles, Machine, RunInfo, RunResult, SceneRecord},
    run::RunPlan,
    scene::Scene,
    shape::TriangleMesh,
};

use super::{Folder, content, repository};

pub const FORMATS: [Format; 2] = [Format::Vtk, Format::Ply];

const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.0, 0.0, 2.5)];
const FACES: [[u16; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// Objects, negative indices, polygons, weights, names and lines that continue.
const OBJ: &str = "# a prism and a square\no prism\nv 0 0 0\nv 1 0 0 1.5\nv 0 1 0\nv 0 0 2\nv 1 0 2\nv 0 1 2\nvn 0 0 1\nf 1//1 3//1 2//1\n\
    f 4 5 6\nf 1 2 \\\n 5 4\nf 2 3 6 5\nf -6 -3 -1 -4\ng square\nv 3 0 0\nv 4 0 0\nv 4 1 0\nv 3 1 0\nf -4 -3 -2 -1\n";

pub fn obj() -> Vec<Vec<u8>> {
    let files = [
        "meshes/small_tank.obj",
        "meshes/sheet.obj",
        "meshes/paddle.obj",
        "tests/scenes/meshes/broken.obj",
        "tests/scenes/meshes/rooms.obj",
    ];
    files.iter().map(|file| content(file)).chain([OBJ.into()]).collect()
}

pub fn stl() -> Vec<Vec<u8>> {
    let mut text = "solid made by hand\n".to_owned();
    let mut binary = vec![b' '; 80];
    binary.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        let corners = face.map(|corner| CORNERS[usize::from(corner)]);
        let vertex = |corner: Vec3| format!("      vertex {:e} {} {}\n", corner.x, corner.y, corner.z);
        let loop_: String = corners.into_iter().map(vertex).collect();
        write!(text, "  facet normal 0 0 0\n    outer loop\n{loop_}    endloop\n  endfacet\n").expect("text");
        binary.extend([0; 12]);
        binary.extend(corners.iter().flat_map(|corner| corner.to_array()).flat_map(f32::to_le_bytes));
        binary.extend([0; 2]);
    }
    text += "endsolid made by hand\n";
    let two = format!("{text}{}", text.replace("vertex 0e0", "vertex 4e0"));
    vec![text.into_bytes(), two.into_bytes(), binary]
}

pub fn ply() -> Vec<Vec<u8>> {
    let header = |format: &str, number: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment made by hand\nelement vertex 4\nproperty {number} x\nproperty {number} y\nproperty {number} z\n\
             property uchar red\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nelement face 4\n\
             property list uchar int vertex_indices\nend_header\n"
        )
    };
    let mut text = header("ascii", "float");
    CORNERS.iter().for_each(|corner| writeln!(text, "{} {} {} 255", corner.x, corner.y, corner.z).expect("text"));
    text += "0 1\n";
    FACES.iter().for_each(|[a, b, c]| writeln!(text, "3 {a} {b} {c}").expect("text"));
    let binary = |little: bool| {
        let format = if little { "binary_little_endian" } else { "binary_big_endian" };
        let mut bytes = header(format, "double").into_bytes();
        for corner in CORNERS {
            for number in corner.as_dvec3().to_array() {
                bytes.extend(if little { number.to_le_bytes() } else { number.to_be_bytes() });
            }
            bytes.push(7);
        }
        bytes.extend([0; 8]);
        for face in FACES {
            bytes.push(3);
            for corner in face.map(u32::from) {
                bytes.extend(if little { corner.to_le_bytes() } else { corner.to_be_bytes() });
            }
        }
        bytes
    };
    vec![text.into_bytes(), binary(true), binary(false)]
}

/// A tetrahedron at two nodes, as text and as binary, and one with sparse positions.
pub fn gltf() -> Vec<Vec<u8>> {
    let mut buffer: Vec<u8> = FACES.iter().flatten().flat_map(|&corner| corner.to_le_bytes()).collect();
    buffer.extend(CORNERS.iter().flat_map(|corner| corner.to_array()).flat_map(f32::to_le_bytes));
    let text = |uri: &str, sparse: &str| {
        let length = buffer.len();
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}],
            "nodes": [{{"mesh": 0, "children": [1]}}, {{"mesh": 0, "translation": [3, 0, 0], "scale": [1, -1, 1]}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 1}}, "indices": 0, "mode": 4}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5123, "count": 12, "type": "SCALAR"}},
                {{"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC3"{sparse}, "min": [0, 0, 0], "max": [1, 1, 2.5]}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 24}}, {{"buffer": 0, "byteOffset": 24, "byteLength": 48, "byteStride": 12}}],
            "buffers": [{{{uri} "byteLength": {length}}}]}}"#
        )
    };
    let data = format!("\"uri\": \"data:application/octet-stream;base64,{}\",", BASE64_STANDARD.encode(&buffer));
    let sparse = r#", "sparse": {"count": 1, "indices": {"bufferView": 0, "byteOffset": 2, "componentType": 5123},
        "values": {"bufferView": 1, "byteOffset": 12}}"#;
    let mut json = text("", "");
    json += &" ".repeat((4 - json.len() % 4) % 4);
    let mut binary = b"glTF".to_vec();
    binary.extend(2_u32.to_le_bytes());
    binary.extend(((12 + 8 + json.len() + 8 + buffer.len()) as u32).to_le_bytes());
    for (kind, content) in [(b"JSON", json.as_bytes()), (b"BIN\0", &buffer[..])] {
        binary.extend((content.len() as u32).to_le_bytes());
        binary.extend(kind);
        binary.extend(content);
    }
    vec![text(&data, "").into_bytes(), text(&data, sparse).into_bytes(), binary]
}

/// A scene of each kind that is small enough to be run.
pub fn small_scenes() -> Vec<Vec<u8>> {
    let arch = content("scenes/blocks/arch.toml");
    let gas = content("tests/scenes/good/every_key_of_a_gas.toml");
    let aggregates = content("tests/scenes/good/aggregates_that_bounce.toml");
    let grains = content("tests/scenes/viewer/grains.toml");
    let jet = replaced("tests/scenes/viewer/jet.toml", &[("particle_radius = 0.03", "particle_radius = 0.05")]);
    let pond = replaced("tests/scenes/viewer/pond.toml", &[("particle_radius = 0.04", "particle_radius = 0.05"), ("0.4, 1.0", "0.3, 1.0")]);
    let blocks =
        replaced("tests/scenes/good/every_key_of_blocks.toml", &[("spacing = 0.5", "spacing = 1.5"), ("width = 0.5", "width = 1.5")]);
    let mixed = replaced("tests/scenes/good/every_key_of_grains.toml", &[("time_step = 1e-5", "time_step = 1e-4")]);
    vec![pond, jet, gas, aggregates, grains, arch, blocks, mixed]
}

fn replaced(path: &str, changes: &[(&str, &str)]) -> Vec<u8> {
    let text = String::from_utf8(content(path)).expect("text");
    changes.iter().fold(text, |text, (from, to)| text.replace(from, to)).into_bytes()
}

/// The scenes that the tests need for every key, and the ones that are shipped.
pub fn scenes() -> Vec<Vec<u8>> {
    let every_key = ["every_key", "every_key_of_a_gas", "every_key_of_aggregates", "every_key_of_blocks", "every_key_of_grains"];
    let mut scenes: Vec<_> = every_key.iter().map(|name| content(&format!("tests/scenes/good/{name}.toml"))).collect();
    scenes.extend(small_scenes());
    scenes.extend(
        ["gas/piston", "aggregates/soot", "blocks/tunnel", "grains/drum_small"].map(|name| content(&format!("scenes/{name}.toml"))),
    );
    scenes
}

/// Tables of motions: without rotations, with vectors, with quaternions.
pub fn motions() -> Vec<Vec<u8>> {
    let files = ["lift.csv", "recorded.csv"].map(|file| content(&format!("tests/scenes/motions/{file}")));
    files.into_iter().chain([b"time,x,y,z\n0,0.5,1e-3,-2\n0.25,1,2,3\n1,1,1,1\n".to_vec()]).collect()
}

/// A scene with a fluid.
pub fn pond() -> Vec<u8> {
    content("tests/scenes/viewer/pond.toml")
}

/// The probes of scenes, as files of their own.
pub fn probes() -> Vec<Vec<u8>> {
    let of_scene = |path: &str| {
        let text = String::from_utf8(content(path)).expect("text");
        let (_, probes) = text.split_once("[[probe]]").unwrap_or_else(|| panic!("{path} has no probes"));
        format!("[[probe]]{probes}").into_bytes()
    };
    vec![of_scene("tests/scenes/viewer/gauge.toml"), of_scene("tests/scenes/good/every_key.toml")]
}

fn frame(time: f64, mesh: &Arc<TriangleMesh>) -> Frame {
    let count = 8;
    let real = |place: usize, scale: f32| (place as f32 * scale + time as f32).sin();
    let vectors = |scale: f32| (0..count).map(|place| [real(place, scale), real(place, 0.5), real(place, 0.6)]).collect::<Vec<_>>();
    let particles = ParticleFrame {
        radius: 0.1,
        positions: vectors(0.3),
        fields: vec![
            Field::integers("id", (0..count as u32).collect()),
            Field::vectors("velocity", vectors(0.4)),
            Field::scalars("density", (0..count).map(|place| real(place, 0.7)).collect()),
        ],
        ..ParticleFrame::default()
    };
    let body = |name: &str, shift: f64| BodyFrame {
        name: name.to_owned(),
        mesh: Arc::clone(mesh),
        surface_velocities: Vec::new(),
        pose: Pose::new(DQuat::IDENTITY, DVec3::splat(shift + time)),
        center: DVec3::splat(shift + time),
        velocity: DVec3::X,
        angular_velocity: DVec3::Y,
        force: DVec3::Z,
        torque: DVec3::ONE,
    };
    let polygons = PolygonFrame {
        positions: vectors(0.1)[..7].iter().map(|&[x, y, _]| [x, y, 0.0]).collect(),
        offsets: vec![0, 3, 7],
        fields: vec![Field::integers("id", vec![0, 1]), Field::scalars("stress_xx", vec![1.0, -2.0])],
    };
    Frame { time, particles, bodies: vec![body("hull", 0.5), body("buoy", 3.0)], polygons, contacts: None, grids: Vec::new() }
}

/// The folder of a run with three frames of particles, bodies and polygons.
pub fn run(format: Format) -> Folder {
    let folder = Folder::new();
    folder.write("run.json", &records()[0]);
    let faces = FACES.map(|face| face.map(u32::from));
    let mesh = Arc::new(TriangleMesh { vertices: CORNERS.map(|corner| corner.as_dvec3()).to_vec(), triangles: faces.to_vec() });
    let mut files = FrameFiles::new(folder.path(), vec![format], &[]);
    (0..3).for_each(|index| files.write(index, &frame(index as f64 / 10.0, &mesh)).expect("a frame"));
    folder
}

/// Particles, bodies and polygons in both formats.
pub fn frames() -> Vec<Vec<u8>> {
    let of_format = |format: Format| {
        let folder = run(format);
        let ending = if format == Format::Ply { "ply" } else { "vtu" };
        ["particles", "bodies", "polygons"]
            .map(|series| fs::read(folder.path().join(format!("{series}_000001.{ending}"))).expect("a frame"))
    };
    // Earlier versions wrote base64.
    let earlier =
        ["fluid/bodies_000001.vtu", "blocks/polygons_000001.vtu"].map(|name| content(&format!("tests/references/inline_frames/{name}")));
    FORMATS.into_iter().flat_map(of_format).chain(earlier).collect()
}

/// The lists of the frames of a run.
pub fn collections() -> Vec<Vec<u8>> {
    let folder = run(Format::Vtk);
    vec![fs::read(folder.path().join("particles.pvd")).expect("a list of frames")]
}

/// Records of runs of all simulators.
pub fn records() -> Vec<Vec<u8>> {
    let record = |scene: Vec<u8>| {
        let text = String::from_utf8(scene).expect("a scene");
        let scene = Scene::parse(&text, &repository().join("tests/scenes/viewer/good.toml")).unwrap_or_else(|error| panic!("{error}"));
        let plan = RunPlan::new(&scene, text);
        let info = RunInfo {
            title: plan.title,
            version: "0.1.0".to_owned(),
            result: RunResult::Completed,
            error: Some("none".to_owned()),
            started: "2026-03-01T12:00:00Z".to_owned(),
            resumed: vec![],
            finished: None,
            steps: 12,
            frames: 3,
            time: 0.2,
            wall_seconds: 1.5,
            particles: 8,
            summary: vec!["a line".to_owned()],
            seed: plan.seed,
            settings: plan.settings,
            machine: Machine { os: "linux".to_owned(), architecture: "x86_64".to_owned(), cores: 2, threads: 2 },
            start: None,
            scene: SceneRecord { path: PathBuf::from("scene.toml"), text: plan.scene.text },
        };
        serde_json::to_vec(&info).expect("a record")
    };
    small_scenes().into_iter().take(6).map(record).collect()
}

/// Columns of several simulators; each has figures of its own.
pub const DIAGNOSTICS: &str = "step,time,time_step,kinetic_energy,potential_energy,momentum_x,momentum_y,momentum_z,max_speed,particles,clusters,mean_size,\
    contacts,temperature,pressure,speed_moment_ratio,event,sphere,position_x,position_y,position_z,wall_seconds\n\
    1,0.1,0.1,2.5,1.0,0.1,0.2,0.3,1.5,8,5,1.6,3,0.5,1e5,2.0,1,0,0.1,0.2,0.3,0.01\n\
    2,0.2,0.1,2.4,1.1,0.1,0.2,0.3,1.4,8,4,2.0,4,0.4,1e5,2.1,2,0,0.2,0.2,0.3,0.02\n\
    3,0.3,0.1,2.3,1.2,0.1,0.2,0.3,1.3,8,3,2.7,5,0.3,1e5,1.9,3,1,0.3,0.2,0.3,0.03\n";

/// The tables of a run: diagnostics, bodies, probes.
pub fn tables() -> Vec<Vec<u8>> {
    let probe =
        "step,time [s],pressure [Pa],pressure_mean [Pa],force_x [N],force_y [N],force_z [N]\n1,0.1,100,101,1,2,3\n2,0.2,110,109,4,5,6\n";
    let clusters = "step,time,cluster,size,gyration_radius,position_x,position_y,position_z\n1,0.1,0,4,1e-7,0,0,0\n1,0.1,1,9,2e-7,1e-7,0,0\n\
        2,0.2,0,30,5e-7,0,0,0\n2,0.2,1,90,9e-7,0,0,0\n";
    let mut tables = vec![DIAGNOSTICS.into(), probe.into(), clusters.into()];
    tables.extend(body_tables());
    tables
}

/// Two rows for each frame of a run with two bodies.
pub fn body_tables() -> Vec<Vec<u8>> {
    let vectors = ["position", "center", "velocity", "angular_velocity", "force", "torque"];
    let columns: String = vectors.iter().flat_map(|name| ["x", "y", "z"].map(|axis| format!(",{name}_{axis}"))).collect();
    let mut text = format!("step,time,body{columns},rotation_x,rotation_y,rotation_z,rotation_w\n");
    for (step, time) in [(1, 0.1_f64), (2, 0.2)] {
        for (name, shift) in [("hull", 0.5), ("\"buoy, red\"", 3.0)] {
            let place = shift + time;
            let numbers: String = [place, place, 1.0, 0.25, 5.0, -1.5].iter().map(|value| format!(",{value},{value},{value}")).collect();
            writeln!(text, "{step},{time},{name}{numbers},0,0,0,1").expect("text");
        }
    }
    vec![text.into_bytes()]
}
