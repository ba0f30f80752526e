//! Real-world OBJ files: what is repaired, what is rejected and with which message.

use std::{
    collections::{HashMap, HashSet},
    fs,
};

use glam::DVec3;
use plimsoll_shape::{ImportOptions, ImportSummary, MeshError, MeshReport, TriangleMesh, UpAxis, import, surface_area};
use proptest::prelude::*;

fn load_with(text: &str, options: &ImportOptions) -> Result<(TriangleMesh, ImportSummary), MeshError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("given.obj");
    fs::write(&path, text).unwrap();
    import::load_with_summary(&path, options)
}

fn load(text: &str) -> Result<(TriangleMesh, ImportSummary), MeshError> {
    load_with(text, &ImportOptions::default())
}

fn message(text: &str) -> String {
    load(text).expect_err("this file is broken").to_string()
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
                    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

#[test]
fn not_a_number_is_refused_with_its_line() {
    for bad in ["nan", "inf", "-inf", "1e400", "1e13", "one"] {
        let found = message(&format!("# made by hand\nv 0 0 0\nv 1 {bad} 0\nv 0 1 0\nf 1 2 3\n"));
        assert!(found.contains("given.obj:3: vertex 2 is \"1 "), "{found}");
        assert!(found.contains("expected three finite numbers"), "{found}");
    }
    assert!(message("v 0 0\n").contains("given.obj:1"));
    assert!(message("v 0 0 0 0\n").contains("optionally a nonzero weight"));
}

#[test]
fn files_without_surface_are_refused() {
    for text in
        ["", "\n\n", "# nothing\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "v 0 0 0\nv 1 0 0\nf 1\nf 1 2\n", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"]
    {
        let found = message(text);
        assert!(found.contains("given.obj: found") && found.contains("expected at least one triangle"), "{found}");
    }
    let missing = import::load("no/such/file.obj".as_ref(), &ImportOptions::default()).unwrap_err();
    assert!(missing.to_string().contains("no/such/file.obj: cannot read"));
}

#[test]
fn bad_face_corners_are_refused_with_their_line() {
    for (corner, text) in
        [("4", "f 1 2 4"), ("0", "f 0 1 2"), ("-4", "f 1 2 -4"), ("x", "f 1 2 x"), ("1.5", "f 1.5 2 3"), ("/1", "f /1 2 3")]
    {
        let found = message(&format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{text}\n"));
        assert!(found.contains(&format!("given.obj:4: face corner \"{corner}\"")), "{found}");
        assert!(found.contains("a vertex from 1 to 3, or from -3 to -1"), "{found}");
    }
    assert!(message("v 0 0 0\nf\n").contains("given.obj:2"));
}

#[test]
fn a_scale_of_zero_is_refused() {
    let options = ImportOptions { scale: DVec3::new(1.0, 0.0, 1.0), ..Default::default() };
    let found = load_with(TETRAHEDRON, &options).unwrap_err().to_string();
    assert!(found.contains("expected three finite nonzero numbers"), "{found}");
}

#[test]
fn degenerate_and_duplicate_faces_are_dropped_and_counted() {
    let text = format!("{TETRAHEDRON}f 1\nf 2 3\nf 1 1 2\nf 2 3 4\nf 3 4 2\nf 4 3 2\n");
    let (mesh, summary) = load(&text).unwrap();
    assert_eq!((summary.faces, summary.degenerate_dropped), (10, 3));
    // Two of the three repetitions have the same winding as the first, and the third cancels one of them.
    assert_eq!((summary.duplicates_dropped, summary.folds_cancelled), (1, 2));
    assert_eq!(mesh.triangles.len(), 4);
    assert!(MeshReport::of(&mesh).is_watertight());
}

/// Removing a triangle without area, whose middle vertex is on the neighbour's edge, must not tear a hole.
#[test]
fn dropping_a_flat_triangle_keeps_a_closed_mesh_closed() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.5 0 0\nf 1 3 5\nf 5 3 2\nf 1 5 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let (mesh, summary) = load(text).unwrap();
    assert_eq!(summary.degenerate_dropped, 1);
    let report = MeshReport::of(&mesh);
    assert!(report.is_watertight() && report.is_consistent());
    assert!((report.mass.volume - 1.0 / 6.0).abs() < 1e-15);
}

#[test]
fn concave_polygons_keep_their_area() {
    let (mesh, summary) = load("v 0 0 0\nv 4 0 0\nv 4 0 -3\nv 2 0 -0.5\nv 0 0 -3\nf 1 2 3 4 5\n").unwrap();
    assert_eq!((mesh.triangles.len(), summary.polygons_triangulated), (3, 1));
    assert!((surface_area(&mesh) - 7.0).abs() < 1e-12);
    // An arrowhead with four corners is cut along its only inner diagonal, whichever corner comes first.
    for order in ["1 2 3 4", "2 3 4 1"] {
        let (mesh, _) = load(&format!("v 0 0 0\nv 2 0 -1\nv 0 2 -3\nv 0.5 0.5 -1\nf {order}\n")).unwrap();
        let (expected, _) = load("v 0 0 0\nv 2 0 -1\nv 0 2 -3\nv 0.5 0.5 -1\nf 1 2 4\nf 2 3 4\n").unwrap();
        assert!((surface_area(&mesh) - surface_area(&expected)).abs() < 1e-12);
    }
}

#[test]
fn regular_polygons_have_their_area() {
    let corners = 17;
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / corners as f64;
    let vertices: String = (0..corners).map(|i| format!("v {} {} {}\n", angle(i).cos(), 0.5 * angle(i).cos(), angle(i).sin())).collect();
    let indices: String = (1..=corners).map(|i| format!(" {i}")).collect();
    let (mesh, _) = load(&format!("{vertices}f{indices}\n")).unwrap();
    let expected = 0.5 * corners as f64 * angle(1).sin() * 1.25_f64.sqrt();
    assert_eq!(mesh.triangles.len(), corners - 2);
    assert!((surface_area(&mesh) - expected).abs() < 1e-12);
}

#[test]
fn materials_normals_textures_and_colors_do_not_matter() {
    let text = "mtllib gone.mtl\nusemtl red\nv 0 0 0 0.5 0.5 0.5\nv 1 0 0\nv 0 1 0 1 0 0\nvt 0.5\nvn 0 0 1\ns off\nl 1 2 3\np 1\nf 1/1/1 2//1 3/1\n";
    let (mesh, summary) = load(text).unwrap();
    assert_eq!((mesh.triangles.len(), summary.faces), (1, 1));
    assert_eq!(mesh.vertices, [DVec3::ZERO, DVec3::X, DVec3::Y]);
}

#[test]
fn line_ends_continuations_and_comments() {
    let expected = load(TETRAHEDRON).unwrap().0;
    assert_eq!(load(&TETRAHEDRON.replace('\n', "\r\n")).unwrap().0, expected);
    assert_eq!(load(&TETRAHEDRON.replace('\n', "\r")).unwrap().0, expected);
    assert_eq!(load(&TETRAHEDRON.replace("f 2 3 4", "f 2 \\\n  3 \\\r\n 4 # last")).unwrap().0, expected);
    assert_eq!(load(&format!("\u{feff}{TETRAHEDRON}")).unwrap().0, expected);
    assert_eq!(load(&TETRAHEDRON.to_uppercase()).unwrap().0, expected);
    for after_end in ["\0\0\0", "\u{1a}"] {
        assert_eq!(load(&format!("{}{after_end}", TETRAHEDRON.trim_end())).unwrap().0, expected);
    }
    let found = message("v 0 0 0\nv 1 \\\n 0 0\nv 0 nan 0\n");
    assert!(found.contains("given.obj:4: vertex 3"), "{found}");
}

#[test]
fn negative_indices_count_from_the_last_vertex() {
    let (mesh, _) = load("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 7 7 7\n").unwrap();
    assert_eq!(mesh.vertices, [DVec3::ZERO, DVec3::X, DVec3::Y]);
}

#[test]
fn objects_are_merged_and_their_seams_welded() {
    let text = "o left\nv 0 0 0\nv 1 0 0\nv 1 0 -1\nf 1 2 3\no right\nv 1 0 -1\nv 0 0 0\nv 0 0 -1.0000000001\ng part\nf 4 6 5\n";
    let (mesh, summary) = load(text).unwrap();
    assert_eq!((summary.objects, summary.vertices_welded, mesh.vertices.len()), (2, 2, 4));
    assert_eq!(MeshReport::of(&mesh).components, 1);
}

#[test]
fn a_cube_of_quads_is_a_closed_solid() {
    let (mesh, summary) = load(CUBE).unwrap();
    assert_eq!(summary.polygons_triangulated, 6);
    let report = MeshReport::of(&mesh);
    assert!(report.is_watertight() && report.is_consistent());
    assert!((report.mass.volume - 1.0).abs() < 1e-15 && (report.area - 6.0).abs() < 1e-15);
}

#[test]
fn any_axis_can_point_up_and_mirroring_keeps_the_outside_out() {
    for (up_axis, direction) in [(UpAxis::X, DVec3::X), (UpAxis::Y, DVec3::Y), (UpAxis::Z, DVec3::Z)] {
        assert_eq!(up_axis.to_y_up(direction), DVec3::Y);
        for scale in [DVec3::new(2.0, 3.0, 4.0), DVec3::new(-2.0, 3.0, 4.0), DVec3::new(-2.0, -3.0, 4.0), DVec3::splat(-1.0)] {
            let (mesh, _) = load_with(CUBE, &ImportOptions { scale, up_axis, ..ImportOptions::default() }).unwrap();
            let volume = MeshReport::of(&mesh).mass.volume;
            assert!((volume - scale.element_product().abs()).abs() < 1e-13, "{up_axis} {scale} {volume}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Polygons over the points of a small lattice, most of them degenerate, twisted or repeated: every mesh that loads is clean.
    #[test]
    fn any_polygons_load_clean_or_not_at_all(
        points in prop::collection::vec((0..3_i32, 0..3_i32, 0..2_i32), 3..12),
        faces in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 1..9), 1..12),
    ) {
        let vertices: String = points.iter().map(|(x, y, z)| format!("v {x} {y} {z}\n")).collect();
        let line = |face: &Vec<prop::sample::Index>| {
            let corners: String = face.iter().map(|index| format!(" {}", index.index(points.len()) + 1)).collect();
            format!("f{corners}\n")
        };
        let text = format!("{vertices}{}", faces.iter().map(line).collect::<String>());
        if let Ok((mesh, summary)) = load(&text) {
            prop_assert_eq!(summary.faces, faces.len());
            let (mut seen, mut repeated) = (HashSet::new(), false);
            for (index, triangle) in mesh.triangles.iter().enumerate() {
                let [a, b, c] = mesh.corners(index);
                prop_assert!((b - a).cross(c - a).length() > 0.5, "lattice triangles have at least this much area");
                let mut sorted = *triangle;
                sorted.sort_unstable();
                repeated |= !seen.insert(sorted);
            }
            // A side that parts which overlap have in common stays, as the mesh would be open without it.
            let mut balance = HashMap::new();
            for [a, b, c] in &mesh.triangles {
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    *balance.entry((from.min(to), from.max(to))).or_insert(0) += if from < to { 1 } else { -1 };
                }
            }
            prop_assert!(!repeated || balance.values().all(|&balance| balance == 0));
            // Sheets have vertices of their own.
            let (others, sheets) = mesh.triangles.split_at(mesh.triangles.len() - summary.sheets);
            for part in [others, sheets] {
                let used: HashSet<u32> = part.iter().flatten().copied().collect();
                let position = |&vertex: &u32| mesh.vertices[vertex as usize].to_array().map(f64::to_bits);
                prop_assert_eq!(used.iter().map(position).collect::<HashSet<[u64; 3]>>().len(), used.len());
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "([vfogl#\\\\ /0-9.e\\-\r\n]|v 1 2 3\n|f 1 -1 2\n){0,60}") {
        let _ = load(&text);
    }
}
