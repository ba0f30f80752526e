//! Damaged files that readers of earlier versions could not cope with.

use std::{fmt::Write, fs, path::Path};

use plimsoll::{
    output::Recording,
    shape::{ImportOptions, import},
};

use crate::readers::{Folder, arch_text, blocks_text, fluid_run, gas_text, gltf_text, runs};

/// What is said of a mesh file.
fn refusal(name: &str, content: &[u8]) -> String {
    let folder = Folder::new();
    let path = folder.write(name, content);
    import::load(&path, &ImportOptions::default()).expect_err("a damaged file").to_string()
}

#[test]
fn a_gltf_file_without_its_accessors_is_an_error() {
    let missing = refusal("mesh.gltf", gltf_text().replace("\"POSITION\": 1", "\"POSITION\": 7").as_bytes());
    assert!(missing.contains("accessor 7 of positions does not exist"), "{missing}");
}

/// A length without the header would be negative.
#[test]
fn a_binary_gltf_file_shorter_than_its_header_is_an_error() {
    let found = refusal("mesh.glb", b"glTF\x02\0\0\0\x04\0\0\0\0\0\0\0JSON");
    assert!(found.contains("its header states a length of 4 bytes"), "{found}");
}

#[test]
fn a_gltf_file_of_wrong_or_missing_values_is_an_error() {
    let four = "\"componentType\": 5126, \"count\": 4";
    for (from, to) in [
        (four, "\"componentType\": 5126, \"count\": 5"),
        (four, "\"componentType\": 5126, \"count\": 18446744073709551615"),
        (four, "\"componentType\": 5121, \"count\": 4"),
        ("\"type\": \"VEC3\"", "\"type\": \"VEC2\""),
        ("\"indices\": 0", "\"indices\": 1"),
        ("\"POSITION\": 1", "\"POSITION\": 0"),
        ("\"byteStride\": 12", "\"byteStride\": 4"),
        ("\"byteLength\": 48", "\"byteLength\": 18446744073709551615"),
        ("\"type\": \"SCALAR\"", "\"type\": \"VEC4\""),
    ] {
        let text = gltf_text();
        assert!(text.contains(from), "{from}");
        let found = refusal("mesh.gltf", text.replace(from, to).as_bytes());
        assert!(found.contains("is of the wrong type or exceeds its buffer") || found.contains("invalid"), "{to}: {found}");
    }
}

/// All values are zero except a few, so that a small file would fill the memory.
#[test]
fn gltf_positions_without_a_buffer_are_an_error() {
    let base = "\"bufferView\": 1, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"";
    let sparse = "\"componentType\": 5126, \"count\": 99999999999, \"type\": \"VEC3\", \"sparse\": {\"count\": 1, \
        \"indices\": {\"bufferView\": 0, \"componentType\": 5123}, \"values\": {\"bufferView\": 1}}";
    let text = gltf_text();
    assert!(text.contains(base));
    let found = refusal("mesh.gltf", text.replace(base, sparse).as_bytes());
    assert!(found.contains("accessor 1 is of the wrong type or exceeds its buffer"), "{found}");
}

/// Each node has the next one as a child twice: 2⁶⁰ paths lead to the last.
#[test]
fn gltf_nodes_with_two_parents_are_an_error() {
    let nodes: String = (1..60).map(|child| format!("{{\"children\": [{child}, {child}]}}, ")).collect();
    let text = gltf_text();
    let (before, rest) = text.split_once("\"nodes\": [{").expect("nodes");
    let (_, after) = rest.split_once("}],").expect("the end of the nodes");
    let found = refusal("mesh.gltf", format!("{before}\"nodes\": [{nodes}{{\"mesh\": 0}}],{after}").as_bytes());
    assert!(found.contains("has more than one parent"), "{found}");
}

/// Rows without properties have no bytes: the end of the file is never reached.
#[test]
fn ply_elements_without_properties_are_an_error() {
    let found = refusal("mesh.ply", b"ply\nformat binary_little_endian 1.0\nelement thing 9999999999999\nend_header\n");
    assert!(found.contains("element thing has no properties"), "{found}");
}

/// A frame of bodies in a PLY file with three vertices and these faces.
fn bodies(vertices: [f32; 9], owners: &[u32]) -> Vec<u8> {
    let mut header = "ply\nformat binary_little_endian 1.0\nelement vertex 3\n".to_owned();
    ["x", "y", "z"].iter().for_each(|axis| writeln!(header, "property float {axis}").expect("text"));
    let list = "property list uchar uint vertex_indices\nproperty uint body\nend_header\n";
    write!(header, "element face {}\n{list}", owners.len()).expect("text");
    let mut bytes = header.into_bytes();
    bytes.extend(vertices.iter().flat_map(|number| number.to_le_bytes()));
    for owner in owners {
        bytes.push(3);
        bytes.extend([0, 1, 2, *owner].iter().flat_map(|number: &u32| number.to_le_bytes()));
    }
    bytes
}

/// What is said of frame 1 of a run when the file `name` of it is replaced by `content`.
fn frame_refusal(name: &str, content: &[u8]) -> String {
    let folder = fluid_run(name.ends_with(".ply"));
    folder.write(name, content);
    Recording::open(folder.path()).and_then(|recording| recording.frame(1)).expect_err("a damaged frame").to_string()
}

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// Memory for 4,294,967,296 bodies would be reserved.
#[test]
fn a_body_beyond_all_triangles_is_an_error() {
    let found = frame_refusal("bodies_000001.ply", &bodies(TRIANGLE, &[u32::MAX]));
    assert!(found.contains("bodies_000001.ply: found a triangle of body 4294967295"), "{found}");
}

/// The vertices would be in memory once for each body.
#[test]
fn bodies_with_common_vertices_are_an_error() {
    let found = frame_refusal("bodies_000001.ply", &bodies(TRIANGLE, &[0, 1]));
    assert!(found.contains("found bodies with common vertices"), "{found}");
}

#[test]
fn vertices_and_particles_that_are_not_finite_are_errors() {
    let mut vertices = TRIANGLE;
    vertices[4] = f32::NAN;
    let found = frame_refusal("bodies_000001.ply", &bodies(vertices, &[0]));
    assert!(found.contains("found a vertex that is not finite"), "{found}");
    let folder = fluid_run(true);
    let path = folder.path().join("particles_000001.ply");
    let mut bytes = fs::read(&path).expect("a frame");
    let header: &[u8] = b"end_header\n";
    let start = bytes.windows(header.len()).position(|window| window == header).expect("a header") + header.len();
    bytes[start..start + 4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let found = frame_refusal("particles_000001.ply", &bytes);
    assert!(found.contains("found particle 0 in frame 1 with values that are not finite"), "{found}");
}

fn opening_refusal(folder: &Path) -> String {
    Recording::open(folder).expect_err("a damaged run").to_string()
}

/// Frames are found by their times.
#[test]
fn frames_whose_times_do_not_increase_are_errors() {
    for time in ["nan", "inf", "0.5", "0.0"] {
        let folder = fluid_run(false);
        let path = folder.path().join("particles.pvd");
        let list = fs::read_to_string(&path).expect("a list of frames");
        assert!(list.contains("timestep=\"0.1\""), "{list}");
        fs::write(&path, list.replace("timestep=\"0.1\"", &format!("timestep=\"{time}\""))).expect("a list of frames");
        let found = opening_refusal(folder.path());
        assert!(found.contains("particles.pvd: found times of frames that do not increase"), "{time}: {found}");
    }
    let folder = fluid_run(true);
    let record = folder.path().join("run.json");
    let text = fs::read_to_string(&record).expect("a record");
    assert!(text.contains("\"frames_per_second\":50.0"), "{text}");
    fs::write(&record, text.replace("\"frames_per_second\":50.0", "\"frames_per_second\":1e-320")).expect("a record");
    let found = opening_refusal(folder.path());
    assert!(found.contains("run.json: found times of frames that do not increase"), "{found}");
}

/// The body is placed by its vertices instead, and its velocity is unknown.
#[test]
fn rows_of_bodies_that_are_not_finite_are_no_rows() {
    let table = crate::readers::body_table();
    assert!(table.contains(",1,1,1,"), "{table}");
    for (content, known) in [(table.clone(), true), (table.replace(",1,1,1,", ",nan,inf,1,"), false)] {
        let folder = fluid_run(false);
        folder.write("bodies.csv", content.as_bytes());
        let frame = Recording::open(folder.path()).and_then(|recording| recording.frame(1)).expect("a frame");
        assert_eq!(frame.bodies.iter().map(|body| body.name == "hull" || body.name == "buoy, red").collect::<Vec<_>>(), [known; 2]);
    }
}

/// The spheres cross 10¹² cells until the end, between few impacts; only impacts used to end a step.
#[test]
fn a_step_of_a_fast_gas_with_a_traced_sphere_ends() {
    let text = gas_text();
    assert!(text.contains("trace = true") && text.contains("velocity = [0.1, 0.2, 0]"), "{text}");
    assert!(runs(&text.replace("velocity = [0.1, 0.2, 0]", "velocity = [0.1, 1e15, 0]")));
}

/// A row of cells along it would fill the memory.
#[test]
fn a_block_of_any_length_has_few_cells() {
    let text = arch_text();
    assert!(text.contains("[[-9, -3],"), "{text}");
    assert!(runs(&text.replace("[[-9, -3],", "[[-1e19, -3],")));
}

/// A stress that throws blocks apart shortens the steps until the time stands still.
#[test]
fn blocks_whose_time_stands_still_are_an_error() {
    let text = blocks_text();
    assert!(text.contains("-2e4, 0]"), "{text}");
    assert!(runs(&text.replace("-2e4, 0]", "-2e40, 0]")));
}
