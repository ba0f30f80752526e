//! The sample meshes in `meshes/` are identical to the generator's output and match their descriptions.

use std::{f64::consts::PI, fs, path::Path};

use glam::DVec3;
use plimsoll_base::input::Disk;
use plimsoll_shape::{ImportOptions, InsideTest, MeshReport, TriangleMesh, import, orient_outwards};

use super::{generate_meshes, sample};

fn meshes() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes"))
}

#[test]
fn the_folder_holds_exactly_what_the_generator_writes() {
    let folder = tempfile::tempdir().unwrap();
    let written = generate_meshes::write_all(generate_meshes::samples(), folder.path()).unwrap();
    for path in &written {
        let name = path.file_name().unwrap();
        assert!(fs::read(path).unwrap() == fs::read(meshes().join(name)).unwrap(), "{name:?} differs: run the example generate_meshes");
    }
    for path in &generate_meshes::write_sequences(generate_meshes::sequences(), folder.path()).unwrap() {
        let name = path.strip_prefix(folder.path()).unwrap();
        assert!(fs::read(path).unwrap() == fs::read(meshes().join(name)).unwrap(), "{name:?} differs: run the example generate_meshes");
    }
    for sequence in generate_meshes::sequences() {
        assert_eq!(fs::read_dir(meshes().join(sequence.name)).unwrap().count(), sequence.shapes.len(), "{}", sequence.name);
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
        let (mut mesh, summary) = import::load_with_summary(&path, &ImportOptions::default()).unwrap();
        assert_eq!((summary.vertices_welded, summary.degenerate_dropped, summary.duplicates_dropped), (0, 0, 0), "{}", sample.name);
        assert_eq!((mesh.triangles.len(), mesh.vertices.len()), (sample.mesh.triangles.len(), sample.mesh.vertices.len()));
        for index in 0..mesh.triangles.len() {
            let corners = mesh.corners(index).into_iter().zip(sample.mesh.corners(index));
            corners.for_each(|(read, made)| assert!(read.distance(made) < 1e-6, "{} {index}", sample.name));
        }
        let report = MeshReport::of(&mesh);
        assert_eq!(report.components, if sample.name == "drum" { 2 } else { 1 }, "{}", sample.name);
        let open = ["sheet", "basin", "funnel"].contains(&sample.name);
        assert_eq!(report.is_watertight(), !open, "{}", sample.name);
        assert!(report.is_consistent(), "{}", sample.name);
        assert!(open || report.mass.volume > 0.0, "{}", sample.name);
        assert!(!orient_outwards(&mut mesh).changed(), "{}", sample.name);
    }
}

/// Every shape is closed, faces outwards and does not pass through itself, so that all have the same faces without repair.
#[test]
fn every_sequence_is_read_with_the_vertices_of_its_first_file() {
    for generate_meshes::Sequence { name, shapes, .. } in generate_meshes::sequences() {
        let path = |number: usize| meshes().join(name).join(format!("{name}_{number:02}.obj"));
        let sequence = import::MeshSequence::begin(&Disk, &path(0), &ImportOptions::default()).unwrap();
        assert_eq!(sequence.mesh.triangles, shapes[0].triangles, "{name}");
        for (number, shape) in shapes.iter().enumerate() {
            let positions = sequence.positions(&path(number)).unwrap();
            assert!(positions.iter().zip(&shape.vertices).all(|(read, made)| read.distance(*made) < 1e-6), "{name} {number}");
            let report = MeshReport::of(&TriangleMesh { vertices: positions, triangles: shape.triangles.clone() });
            assert!(report.is_watertight() && report.mass.volume > 0.0, "{name} {number}");
        }
    }
}

/// Corners of each triangle in a file of its own order are found again; scales that mirror turn the faces.
#[test]
fn a_sequence_of_separate_triangles_is_welded_as_its_first_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, top: f64| {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, top, 0.0], [0.0, 0.0, 1.0]];
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let vertices: String = faces
            .iter()
            .flatten()
            .map(|&corner: &usize| corners[corner].map(|x| format!(" {x}")).concat())
            .map(|v| format!("v{v}\n"))
            .collect();
        let triangles: String = (0..4).map(|face| format!("f {} {} {}\n", 3 * face + 1, 3 * face + 2, 3 * face + 3)).collect();
        let path = folder.path().join(name);
        fs::write(&path, vertices + &triangles).unwrap();
        path
    };
    let files = [write("0.obj", 1.0), write("1.obj", 1.5)];
    for (scale, sign) in [(DVec3::ONE, 1.0), (DVec3::new(-2.0, 1.0, 1.0), 2.0)] {
        let sequence = import::MeshSequence::begin(&Disk, &files[0], &ImportOptions { scale, ..ImportOptions::default() }).unwrap();
        assert_eq!((sequence.mesh.vertices.len(), sequence.mesh.triangles.len()), (4, 4));
        let volume = |vertices: Vec<DVec3>| MeshReport::of(&TriangleMesh { vertices, ..sequence.mesh.clone() }).mass.volume;
        for (file, height) in files.iter().zip([1.0, 1.5]) {
            assert!((volume(sequence.positions(file).unwrap()) - sign * height / 6.0).abs() < 1e-12, "{scale} {height}");
        }
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

/// The boat's overall breadth at `(x, y)`, including the hollow, from the solid points of a lattice of `step` meters.
fn breadth(inside: &InsideTest, x: f64, y: f64, step: f64) -> f64 {
    let outermost =
        (0..(0.21 / step) as usize).rev().map(|place| (place as f64 + 0.5) * step).find(|&z| inside.contains(DVec3::new(x, y, z)));
    outermost.map_or(0.0, |z| 2.0 * z + step)
}

/// Hydrostatics of the boat at half the density of water: it floats with freeboard, and its metacenter is above its center of mass,
/// `KM = KB + I / V` with the second moment `I = ∫ b³/12 dx` of the waterplane.
#[test]
fn the_boat_floats_upright_with_freeboard() {
    let mesh = sample("boat");
    let (mass, inside) = (MeshReport::of(&mesh).mass, InsideTest::new(&mesh));
    let (dx, dy) = (0.02, 0.004);
    let (mut volume, mut moment, mut draft, mut waterplane) = (0.0, 0.0, 0.0, 0.0);
    while volume < 0.5 * mass.volume {
        let y = draft + 0.5 * dy;
        let breadths: Vec<f64> = (0..50).map(|station| breadth(&inside, -0.5 + (f64::from(station) + 0.5) * dx, y, 0.002)).collect();
        let layer: f64 = breadths.iter().map(|breadth| breadth * dx * dy).sum();
        waterplane = breadths.iter().map(|breadth| breadth.powi(3) / 12.0 * dx).sum();
        (volume, moment, draft) = (volume + layer, moment + layer * y, draft + dy);
    }
    let metacenter = moment / volume + waterplane / volume;
    assert!((0.02..0.08).contains(&draft), "draft {draft} of 0.2 m");
    assert!(metacenter > mass.center_of_mass.y + 0.05, "metacenter {metacenter}, center of mass {}", mass.center_of_mass.y);
}
