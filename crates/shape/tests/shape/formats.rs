//! The same tetrahedra in all formats.

use std::{fmt::Write, fs, path::Path};

use base64::prelude::{BASE64_STANDARD, Engine};
use glam::{DVec3, Vec3};
use plimsoll_shape::{ImportOptions, MeshReport, TriangleMesh, import, orient_outwards};

const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.0, 0.0, 2.5)];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn load(path: &Path) -> TriangleMesh {
    let mut mesh = import::load(path, &ImportOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    orient_outwards(&mut mesh);
    mesh
}

fn refusal(name: &str, content: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    import::load(&path, &ImportOptions::default()).expect_err("this file is broken").to_string()
}

/// Writes `content` and reads it: one tetrahedron moved by `shift`, or several.
fn check(name: &str, content: &[u8], count: usize) -> TriangleMesh {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    let mesh = load(&path);
    let report = MeshReport::of(&mesh);
    assert!(report.is_watertight() && report.is_consistent(), "{name}: {report}");
    assert_eq!((report.vertices, report.triangles, report.components), (4 * count, 4 * count, count), "{name}");
    assert!((report.mass.volume - count as f64 * 2.5 / 6.0).abs() < 1e-9, "{name}: {}", report.mass.volume);
    mesh
}

fn text_stl(names: &[&str]) -> String {
    let mut text = String::new();
    for (place, name) in names.iter().enumerate() {
        writeln!(text, "solid{name}").unwrap();
        for face in FACES {
            text.push_str("  facet normal 0 0 0\n    outer loop\n");
            for corner in face.map(|corner| CORNERS[corner] + 4.0 * place as f32 * Vec3::X) {
                writeln!(text, "      vertex {:e} {} {}", corner.x, corner.y, corner.z).unwrap();
            }
            text.push_str("    endloop\n  endfacet\n");
        }
        writeln!(text, "endsolid{name}").unwrap();
    }
    text
}

fn binary_stl(header: &str) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes[..header.len()].copy_from_slice(header.as_bytes());
    bytes.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        face.iter().flat_map(|&corner| CORNERS[corner].to_array()).for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn stl() {
    check("one.stl", text_stl(&[" made by hand"]).as_bytes(), 1);
    check("unnamed.STL", text_stl(&[""]).replace('\n', "\r\n").as_bytes(), 1);
    check("two.stl", text_stl(&[" left", " right"]).as_bytes(), 2);
    check("binary.stl", &binary_stl("exported"), 1);
    check("like_text.stl", &binary_stl("solid exported by a program that says so"), 1);
    let cut = &binary_stl("exported")[..200];
    assert!(refusal("cut.stl", cut).contains("cut.stl: not a valid file"), "{}", refusal("cut.stl", cut));
    let not_finite = text_stl(&[" x"]).replace("vertex 1e0", "vertex nan");
    assert!(refusal("nan.stl", not_finite.as_bytes()).contains("expected an STL file"));
    let mut binary = binary_stl("x");
    binary[96..100].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert!(refusal("inf.stl", &binary).contains("expected three finite numbers"), "{}", refusal("inf.stl", &binary));
    assert!(refusal("empty.stl", b"").contains("empty.stl"));
}

fn ply_header(format: &str, number: &str, list: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment made by hand\nelement vertex 4\nproperty {number} x\nproperty {number} y\nproperty {number} z\n\
         property uchar red\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nelement face 4\nproperty list uchar int {list}\nend_header\n"
    )
}

#[test]
fn ply() {
    let mut text = ply_header("ascii", "float", "vertex_indices");
    CORNERS.iter().for_each(|corner| writeln!(text, "{} {} {} 255", corner.x, corner.y, corner.z).unwrap());
    text.push_str("0 1\n");
    FACES.iter().for_each(|[a, b, c]| writeln!(text, "3 {a} {b} {c}").unwrap());
    check("text.ply", text.as_bytes(), 1);
    for (format, little) in [("binary_little_endian", true), ("binary_big_endian", false)] {
        let mut bytes = ply_header(format, "double", "vertex_index").into_bytes();
        for corner in CORNERS {
            for number in corner.as_dvec3().to_array() {
                bytes.extend(if little { number.to_le_bytes() } else { number.to_be_bytes() });
            }
            bytes.push(7);
        }
        bytes.extend([0; 8]);
        for face in FACES {
            bytes.push(3);
            for corner in face {
                bytes.extend(if little { (corner as i32).to_le_bytes() } else { (corner as i32).to_be_bytes() });
            }
        }
        check("binary.ply", &bytes, 1);
        assert!(refusal("cut.ply", &bytes[..bytes.len() - 40]).contains("cut.ply: not a valid file"));
    }
    let beyond = refusal("beyond.ply", text.replace("3 1 2 3", "3 1 2 4").as_bytes());
    assert!(beyond.contains("face 4 has the vertex 4"), "{beyond}");
    assert!(refusal("none.ply", b"ply\nformat ascii 1.0\nend_header\n").contains("found 0 faces"));
}

/// A buffer of indices and positions, and the text around it with `uri`, nodes and a mode.
fn gltf(uri: &str, nodes: &str) -> (Vec<u8>, String) {
    let mut buffer: Vec<u8> = FACES.iter().flatten().flat_map(|&corner| (corner as u16).to_le_bytes()).collect();
    CORNERS.iter().flat_map(|corner| corner.to_array()).for_each(|number| buffer.extend(number.to_le_bytes()));
    let length = buffer.len();
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{nodes}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 1}}, "indices": 0}}]}}],
        "accessors": [{{"bufferView": 0, "componentType": 5123, "count": 12, "type": "SCALAR"}},
                      {{"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 2.5]}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 24}}, {{"buffer": 0, "byteOffset": 24, "byteLength": 48}}],
        "buffers": [{{{uri} "byteLength": {length}}}]}}"#
    );
    (buffer, text)
}

#[test]
fn gltf_with_its_buffer_in_the_file_beside_it_and_in_one_binary() {
    let nodes = r#"{"mesh": 0, "children": [1]}, {"mesh": 0, "translation": [3, 0, 0], "scale": [1, -1, 1]}"#;
    let (buffer, _) = gltf("", nodes);
    let data = format!("\"uri\": \"data:application/octet-stream;base64,{}\",", BASE64_STANDARD.encode(&buffer));
    let mesh = check("data.gltf", gltf(&data, nodes).1.as_bytes(), 2);
    assert_eq!(mesh.aabb().max, DVec3::new(4.0, 1.0, 2.5));
    assert_eq!(mesh.aabb().min, DVec3::new(0.0, -1.0, 0.0));

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a buffer.bin"), &buffer).unwrap();
    let path = folder.path().join("beside.gltf");
    fs::write(&path, gltf("\"uri\": \"a%20buffer.bin\",", nodes).1).unwrap();
    assert_eq!(load(&path), mesh);
    fs::remove_file(folder.path().join("a buffer.bin")).unwrap();
    let missing = import::load(&path, &ImportOptions::default()).unwrap_err().to_string();
    assert!(missing.contains("a buffer.bin"), "{missing}");

    let (buffer, mut text) = gltf("", nodes);
    text.push_str(&" ".repeat((4 - text.len() % 4) % 4));
    let mut binary = b"glTF".to_vec();
    binary.extend(2_u32.to_le_bytes());
    binary.extend(((12 + 8 + text.len() + 8 + buffer.len()) as u32).to_le_bytes());
    for (kind, content) in [(b"JSON", text.as_bytes()), (b"BIN\0", &buffer[..])] {
        binary.extend((content.len() as u32).to_le_bytes());
        binary.extend(kind);
        binary.extend(content);
    }
    assert_eq!(check("binary.glb", &binary, 2), mesh);
    assert!(refusal("cut.glb", &binary[..binary.len() - 20]).contains("expected a glTF file"));
    let endless = gltf(&data, r#"{"mesh": 0, "children": [0]}"#).1;
    assert!(refusal("endless.gltf", endless.as_bytes()).contains("endless.gltf"));
}

#[test]
fn other_endings_are_refused() {
    let found = refusal("model.3ds", b"v 0 0 0");
    assert!(found.contains("model.3ds: the name ends in \"3ds\", expected obj, stl, ply, gltf or glb"), "{found}");
}
