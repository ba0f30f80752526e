//! The sample meshes in `meshes/` are what the generator writes, and what their descriptions say.

use std::{f64::consts::PI, fs, path::Path};

use plimsoll::shape::{ImportOptions, MeshReport, obj, orient_outwards};

use super::{generate_meshes, sample};

fn meshes() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/meshes"))
}

#[test]
fn the_folder_holds_exactly_what_the_generator_writes() {
    let folder = tempfile::tempdir().unwrap();
    let written = generate_meshes::write_all(folder.path()).unwrap();
    for path in &written {
        let name = path.file_name().unwrap();
        assert!(fs::read(path).unwrap() == fs::read(meshes().join(name)).unwrap(), "{name:?} differs: run the example generate_meshes");
    }
    let files = fs::read_dir(meshes()).unwrap().map(|entry| entry.unwrap());
    let (obj, size) = files.fold((0, 0), |(obj, size), file| {
        let is_obj = file.path().extension().is_some_and(|extension| extension == "obj");
        (obj + usize::from(is_obj), size + file.metadata().unwrap().len())
    });
    assert_eq!(obj, written.len());
    assert!(size < 5 << 20, "the folder holds {size} bytes");
}

#[test]
fn every_sample_imports_without_repair_and_faces_outwards() {
    for sample in generate_meshes::samples() {
        let path = meshes().join(format!("{}.obj", sample.name));
        let (mut mesh, summary) = obj::load_with_summary(&path, &ImportOptions::default()).unwrap();
        assert_eq!((summary.vertices_welded, summary.degenerate_dropped, summary.duplicates_dropped), (0, 0, 0), "{}", sample.name);
        assert_eq!((mesh.triangles.len(), mesh.vertices.len()), (sample.mesh.triangles.len(), sample.mesh.vertices.len()));
        for index in 0..mesh.triangles.len() {
            let corners = mesh.corners(index).into_iter().zip(sample.mesh.corners(index));
            corners.for_each(|(read, made)| assert!(read.distance(made) < 1e-6, "{} {index}", sample.name));
        }
        let report = MeshReport::of(&mesh);
        assert_eq!(report.components, 1, "{}", sample.name);
        let open = ["sheet", "basin", "funnel"].contains(&sample.name);
        assert_eq!(report.is_watertight(), !open, "{}", sample.name);
        assert!(report.is_consistent(), "{}", sample.name);
        assert!(open || report.mass.volume > 0.0, "{}", sample.name);
        assert!(!orient_outwards(&mut mesh).changed(), "{}", sample.name);
    }
}

#[test]
fn solids_have_the_volume_of_their_description() {
    let volume = |name| MeshReport::of(&sample(name)).mass.volume;
    let close = |found: f64, expected: f64, share: f64| assert!((found - expected).abs() <= share * expected, "{found} {expected}");
    close(volume("box"), 1.0, 1e-14);
    close(volume("paddle"), 0.5 * 0.4 * 0.04, 1e-14);
    close(volume("tank"), 2.2 * 1.1 * 1.2 - 2.0, 1e-13);
    close(volume("small_tank"), 1.2 * 1.1 * 1.2 - 1.0, 1e-13);
    close(volume("sphere"), PI / 6.0, 3e-3);
    close(volume("torus"), 2.0 * PI * PI * 0.35 * 0.15 * 0.15, 1e-2);
}

#[test]
fn the_statue_is_a_figure_of_many_triangles() {
    let report = MeshReport::of(&sample("statue"));
    assert!(report.triangles > 20_000);
    assert!((0.95..1.05).contains(&report.aabb.extent().y));
}

/// Floating upright: with the whole hull watertight up to the gunwale the boat at 500 kg/m³ draws less than its lowest gunwale.
#[test]
fn the_boat_displaces_enough_to_float() {
    let report = MeshReport::of(&sample("boat"));
    let shell = report.mass.volume;
    assert!((0.008..0.016).contains(&shell), "{shell}");
    // Waterplane and draft of a box of the same length and beam bound the displacement from above, a third of it from below.
    let displacement_at_half_height = 0.1 * 0.4 / 3.0;
    assert!(500.0 * shell < 1000.0 * displacement_at_half_height);
}
