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
    let mut binary = binary_stl("x");
    binary[96..100].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert!(refusal("inf.stl", &binary).contains("expected three finite numbers"), "{}", refusal("inf.stl", &binary));
}

/// Keywords of any case, and statements that share a line.
#[test]
fn text_stl_of_many_programs() {
    let text = text_stl(&[" left", " right"]);
    check("upper.stl", text.to_uppercase().as_bytes(), 2);
    let capitals = text.replace("solid", "Solid").replace("facet", "Facet").replace("vertex", "Vertex").replace("outer loop", "Outer Loop");
    check("capitals.stl", capitals.as_bytes(), 2);
    check("macintosh.stl", text.replace('\n', "\r").as_bytes(), 2);
    check("long_lines.stl", text.replace("\n    ", " ").replace("    endloop\n", " endloop ").as_bytes(), 2);
    check("marked.stl", format!("\u{feff}\n{text}").as_bytes(), 2);
    check("comment.stl", format!("# exported by hand\n{text}\0\0made by hand\n").as_bytes(), 2);
    check("no_normals.stl", text.replace("0 0 0\n    outer", "nan -nan(ind) 0\n    outer").as_bytes(), 2);
    check("facet_in_its_name.stl", text_stl(&[" facet outer loop vertex"]).as_bytes(), 1);
}

/// Neither the header nor what follows the triangles decides how a binary file is read.
#[test]
fn binary_stl_of_many_programs() {
    let headers = ["", "solid base", "SOLID base", "solid\nfacet normal 0 0 0\nouter loop", "facet", "\u{0}\u{1}\u{2}", "größe 3 mm"];
    for header in headers {
        let file = binary_stl(header);
        check("header.stl", &file, 1);
        for trailing in ["\n", "\0\0\0\0", "endsolid\n", "a note of the program that wrote this file, longer than a triangle has bytes"] {
            check("trailing.stl", &[&file, trailing.as_bytes()].concat(), 1);
        }
    }
}

#[test]
fn damaged_stl_is_refused_with_what_is_there() {
    let expect = |name: &str, content: &[u8], parts: &[&str]| {
        let found = refusal(name, content);
        assert!(found.contains(name) && parts.iter().all(|part| found.contains(part)), "{found}, expected {parts:?}");
    };
    let binary = binary_stl("solid exported");
    let counted = "expected a binary STL file with as many triangles as its header counts";
    expect("cut.stl", &binary[..200], &["its header counts 4 triangles, and the 116 bytes after it hold 2", counted]);
    expect("short.stl", &binary[..83], &["83 bytes, which are fewer than the 84 of a header", counted]);
    let mut many = binary.clone();
    many[80..84].copy_from_slice(&[0xff, 0xff, 0xff, 0x08]);
    expect("many.stl", &many, &["its header counts 150994943 triangles, and the 200 bytes after it hold 4", counted]);
    many[80..84].fill(0xff);
    expect("most.stl", &many, &["its header counts 4294967295 triangles", counted]);

    let text = text_stl(&[" x"]);
    expect(
        "nan.stl",
        text.replacen("vertex 1e0 0 0", "vertex nan 0 0", 1).as_bytes(),
        &[":6: vertex 3 is \"nan 0 0\", expected three finite"],
    );
    expect("two_numbers.stl", text.replacen("vertex 1e0 0 0", "VERTEX 1 0", 1).as_bytes(), &[":6: vertex 3 is \"1 0\", expected three"]);
    expect("word.stl", text.replacen("vertex", "vortex", 1).as_bytes(), &[":4: found \"vortex\", expected `vertex`"]);
    let two_corners = text.replacen("      vertex 1e0 0 0\n", "", 1);
    expect("two_corners.stl", two_corners.as_bytes(), &[":6: found \"endloop\", expected `vertex` with three numbers, three times"]);
    let four_corners = text.replacen("      vertex 1e0 0 0\n", "vertex 1 0 0\nvertex 1 1 0\n", 1);
    expect("four_corners.stl", four_corners.as_bytes(), &[":7: found \"vertex\", expected `endloop`"]);
    expect("cut_text.stl", &text.as_bytes()[..text.len() - 11], &["found the end of the file, expected `facet` or `endsolid`"]);
    expect(
        "page.stl",
        b"<html>this is a page of a web site, which was saved as if it were the file that it offers</html>",
        &["page.stl:1: found the end of the file, expected a line that begins with `solid`"],
    );
    expect("empty.stl", b"", &["empty.stl:1: found the end of the file, expected a line"]);
    expect("none.stl", b"solid x\nendsolid x\n", &["found 0 faces"]);
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

/// The tetrahedron as a text and as a binary file.
fn ply_files() -> [Vec<u8>; 2] {
    let mut text = ply_header("ascii", "float", "vertex_indices");
    let mut binary = ply_header("binary_little_endian", "float", "vertex_indices").into_bytes();
    for corner in CORNERS {
        writeln!(text, "{} {} {} 255", corner.x, corner.y, corner.z).unwrap();
        binary.extend(corner.to_array().into_iter().flat_map(f32::to_le_bytes).chain([255]));
    }
    text.push_str("0 1\n");
    binary.extend([0; 8]);
    for [a, b, c] in FACES {
        writeln!(text, "3 {a} {b} {c}").unwrap();
        binary.extend([3].into_iter().chain([a, b, c].into_iter().flat_map(|corner| (corner as u32).to_le_bytes())));
    }
    [text.into_bytes(), binary]
}

/// `file` with the first `from` replaced.
fn replaced(file: &[u8], from: &str, to: &str) -> Vec<u8> {
    let place = file.windows(from.len()).position(|window| window == from.as_bytes()).expect("the text to replace");
    [&file[..place], to.as_bytes(), &file[place + from.len()..]].concat()
}

/// Headers of any case and with comments in any encoding, lines with any end, and bytes after the last row.
#[test]
fn ply_of_many_programs() {
    for file in ply_files() {
        let end = file.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
        let (header, body) = (str::from_utf8(&file[..end]).unwrap(), &file[end..]);
        let with_header = |header: String| [header.as_bytes(), body].concat();
        check("upper.ply", &with_header(header.to_uppercase()), 1);
        check("windows.ply", &with_header(header.replace('\n', "\r\n")), 1);
        check("marked.ply", &with_header(format!("\u{feff}{header}")), 1);
        check("comment.ply", &replaced(&file, "made by hand", "end_header"), 1);
        let latin = file.iter().map(|&byte| if byte == b'm' { 0xfc } else { byte });
        let comment = file.windows(12).position(|window| window == b"made by hand").unwrap();
        check("latin.ply", &[&file[..comment], &latin.skip(comment).take(12).collect::<Vec<_>>(), &file[comment + 12..]].concat(), 1);
        check("trailing.ply", &[&file[..], b"\nmade by hand\n\0\0"].concat(), 1);
    }
    let [text, binary] = ply_files();
    check("no_last_line_end.ply", text.trim_ascii_end(), 1);
    check("macintosh.ply", &text.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect::<Vec<_>>(), 1);
    // A binary file must not lose or gain a byte.
    assert!(refusal("cut.ply", &binary[..binary.len() - 1]).contains("its header counts 4 rows of element face, and the file ends before"));
}

#[test]
fn ply_headers_that_count_too_many_rows_are_refused() {
    for file in ply_files() {
        for (element, count) in [("vertex", "4000000000"), ("face", "4000000000"), ("edge", "18446744073709551615"), ("face", "5")] {
            let rows = if element == "edge" { "1" } else { "4" };
            let found = refusal("many.ply", &replaced(&file, &format!("element {element} {rows}"), &format!("element {element} {count}")));
            assert!(found.contains("many.ply: not a valid file: ") && found.ends_with("; expected a PLY file"), "{found}");
            // Rows of one element may be readable as those of another.
            let of_element = format!("its header counts {count} rows of element {element}, and the file ends before the last of them");
            assert!(found.contains(&of_element) || found.contains(&format!("element {element}: ")), "{found}");
        }
    }
    assert!(refusal("no_end.ply", b"ply\nformat ascii 1.0\nelement vertex 3\n").contains("it has no line `end_header`"));
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
    check("trailing.glb", &[&binary[..], b"made by hand"].concat(), 2);
    for length in [0_u32, 11, binary.len() as u32 + 1, u32::MAX] {
        let lying = [&binary[..8], &length.to_le_bytes(), &binary[12..]].concat();
        let expected = format!("its header states a length of {length} bytes, and the file has {}", binary.len());
        assert!(refusal("lying.glb", &lying).contains(&expected), "{}", refusal("lying.glb", &lying));
    }
    for place in [12, 20 + text.len()] {
        let lying = [&binary[..place], &u32::MAX.to_le_bytes(), &binary[place + 4..]].concat();
        assert!(refusal("lying.glb", &lying).contains("chunk length exceeds"), "{}", refusal("lying.glb", &lying));
    }
    let json = gltf(&data, nodes).1;
    check("marked.gltf", format!("\u{feff}{json}").as_bytes(), 2);
    check("trailing.gltf", format!("{json}\n\0\0").as_bytes(), 2);
    check("scheme.gltf", json.replace("data:", "DATA:").as_bytes(), 2);
    let endless = gltf(&data, r#"{"mesh": 0, "children": [0]}"#).1;
    assert!(refusal("endless.gltf", endless.as_bytes()).contains("endless.gltf"));
}

#[test]
fn other_endings_are_refused() {
    let found = refusal("model.3ds", b"v 0 0 0");
    assert!(found.contains("model.3ds: the name ends in \"3ds\", expected obj, stl, ply, gltf or glb"), "{found}");
}
