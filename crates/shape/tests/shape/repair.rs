//! Defects of mesh files that are repaired, and what the repair reports.

use std::fs;

use glam::{DVec3, IVec3};
use plimsoll_shape::{
    ImportOptions, ImportSummary, InsideTest, MeshReport, OrientationReport, Repair, TriangleMesh, close_holes, import, orient_outwards,
};

use super::generate_meshes::broken::{self, joined};

/// The mesh as read from an OBJ file and oriented.
fn read(mesh: &TriangleMesh, repair: bool) -> (TriangleMesh, ImportSummary, OrientationReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("given.obj");
    fs::write(&path, mesh.to_obj()).unwrap();
    let (mut read, summary) = import::load_with_summary(
        &path,
        &ImportOptions { repair: if repair { Repair::Safe } else { Repair::Off }, ..ImportOptions::default() },
    )
    .unwrap();
    let winding = orient_outwards(&mut read);
    (read, summary, winding)
}

/// A unit cube of squares with its lowest corner at a point.
fn cube(at: IVec3, steps: usize) -> TriangleMesh {
    broken::shifted(&broken::cube(steps), at.as_dvec3())
}

fn assert_solid(mesh: &TriangleMesh, volume: f64) {
    let report = MeshReport::of(mesh);
    assert!(report.is_watertight() && report.is_consistent(), "{report}");
    assert!((report.mass.volume - volume).abs() < 1e-6 * volume, "{} instead of {volume}", report.mass.volume);
}

#[test]
fn folds_cancel_and_leave_a_closed_mesh_closed() {
    let mut folded = cube(IVec3::ZERO, 3);
    // A flap that lies on the surface, and a triangle of the surface covered by two more.
    let [a, b, c] = folded.triangles[4];
    let corners = [a, b, c].map(|vertex| folded.vertices[vertex as usize]);
    folded.vertices.push(corners.iter().sum::<DVec3>() / 3.0);
    let tip = folded.vertices.len() as u32 - 1;
    folded.triangles.extend([[a, b, tip], [b, a, tip]]);
    let [a, b, c] = folded.triangles[9];
    folded.triangles.extend([[b, a, c], [b, c, a]]);
    let (mesh, summary, _) = read(&folded, true);
    assert_eq!((summary.folds_cancelled, summary.duplicates_dropped, mesh.triangles.len()), (4, 0, 108));
    assert_solid(&mesh, 1.0);
    // Without repair they stay. Every edge is balanced, so the mesh encloses the same volume.
    let (mesh, summary, _) = read(&folded, false);
    assert_eq!((summary.folds_cancelled, mesh.triangles.len()), (0, 112));
    assert!(MeshReport::of(&mesh).is_watertight());
}

#[test]
fn one_side_of_a_sheet_given_from_both_sides_stays() {
    let mut sheet = TriangleMesh::basin(DVec3::ONE);
    let reversed: Vec<[u32; 3]> = sheet.triangles.iter().map(|&[a, b, c]| [b, a, c]).collect();
    let count = sheet.triangles.len();
    sheet.triangles.extend(reversed);
    let (mesh, summary, _) = read(&sheet, true);
    assert_eq!((mesh.triangles.len(), summary.duplicates_dropped, summary.folds_cancelled), (count, count, 0));
    assert!(MeshReport::of(&mesh).is_consistent());
}

#[test]
fn seams_of_single_precision_are_welded() {
    let mut cube = cube(IVec3::ZERO, 2);
    for (index, vertex) in cube.vertices.iter_mut().enumerate() {
        *vertex = 3.0 * *vertex + 1e-7 * DVec3::new((index as f64).sin(), (2.0 * index as f64).sin(), (3.0 * index as f64).cos());
    }
    let (mesh, summary, _) = read(&cube, true);
    assert_eq!((summary.cracks_merged, summary.repairs()), (0, Vec::new()), "welding is no repair");
    assert_solid(&mesh, 27.0);
    assert!(!MeshReport::of(&read(&cube, false).0).is_watertight());
}

#[test]
fn cracks_and_vertices_on_edges_are_closed() {
    // One side has finer squares than the others, and is 2 mm away.
    let mut fine = cube(IVec3::ZERO, 4);
    fine.triangles.truncate(32);
    let mut coarse = cube(IVec3::ZERO, 2);
    coarse.triangles.drain(..8);
    fine.vertices.iter_mut().for_each(|vertex| vertex.x -= 2e-3);
    let (mesh, summary, _) = read(&joined(&[fine, coarse]), true);
    assert_eq!((summary.cracks_merged, summary.cracks_split), (8, 8));
    let report = MeshReport::of(&mesh);
    assert!(report.is_watertight() && report.is_consistent(), "{report}");
    assert!((report.mass.volume - 1.0).abs() < 3e-3, "{}", report.mass.volume);
}

#[test]
fn gaps_that_may_be_meant_stay_open() {
    let mut lid = cube(IVec3::ZERO, 2);
    lid.triangles.truncate(8);
    let mut rest = cube(IVec3::ZERO, 2);
    rest.triangles.drain(..8);
    lid.vertices.iter_mut().for_each(|vertex| vertex.x -= 0.05);
    let (mesh, summary, _) = read(&joined(&[lid, rest]), true);
    assert_eq!((summary.cracks_merged, summary.cracks_split), (0, 0));
    assert_eq!(MeshReport::of(&mesh).open_edges.len(), 16);
}

#[test]
fn small_holes_are_closed_and_large_ones_listed() {
    let (mut mesh, ..) = read(&cube(IVec3::ZERO, 20), true);
    let removed: Vec<[u32; 3]> = [100, 101, 103, 900].iter().map(|&index| mesh.triangles[index]).collect();
    mesh.triangles.retain(|triangle| !removed.contains(triangle));
    let report = close_holes(&mut mesh, Repair::Safe);
    // Two of them meet at a vertex.
    assert_eq!((report.closed.len(), report.left.len()), (3, 0), "{report:?}");
    assert!((report.closed.iter().map(|hole| hole.area).sum::<f64>() - 4.0 * 0.5 / 400.0).abs() < 1e-12);
    assert_solid(&mesh, 1.0);
    // Where the outside is shows only when the mesh is closed.
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    mesh.triangles.pop();
    orient_outwards(&mut mesh);
    assert_eq!(close_holes(&mut mesh, Repair::Safe).closed.len(), 1);
    assert_solid(&mesh, 1.0);
    // The open top of a tank, which is no defect.
    let mut basin = TriangleMesh::basin(DVec3::ONE);
    let report = close_holes(&mut basin, Repair::Safe);
    assert_eq!((basin.triangles.len(), report.closed.len(), report.left.len()), (10, 0, 1));
    let hole = &report.left[0];
    assert!((hole.length - 4.0).abs() < 1e-12 && (hole.area - 1.0).abs() < 1e-12 && hole.center.distance(DVec3::Y) < 1e-12, "{hole:?}");
}

#[test]
fn solids_that_touch_along_an_edge_are_separated() {
    let (mesh, _, winding) = read(&joined(&[cube(IVec3::ZERO, 1), cube(IVec3::new(1, 1, 0), 1)]), true);
    assert_eq!((winding.edges_divided, mesh.vertices.len()), (1, 16));
    assert_solid(&mesh, 2.0);
    // Two cubes that also touch others: one solid around an edge that it meets twice.
    let cells = [[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]];
    let mut faces = joined(&cells.map(|cell| cube(IVec3::from_array(cell), 1)));
    let (mut mesh, summary, winding) = read(&faces, true);
    assert_eq!((summary.folds_cancelled, winding.edges_divided), (16, 1));
    assert_solid(&mesh, 5.0);
    let inside = InsideTest::new(&mesh);
    for (x, y, expected) in [(0.5, 0.5, true), (1.5, 1.5, true), (0.98, 0.97, true), (1.03, 0.99, false), (0.5, 1.5, false)] {
        assert_eq!(inside.contains(DVec3::new(x, y, 0.5)), expected, "{x} {y}");
    }
    // Whatever the order of the triangles.
    faces.triangles.reverse();
    mesh = read(&faces, true).0;
    assert_solid(&mesh, 5.0);
}

/// Each edge of a square is a flat triangle over its vertices, thirty thousand times: removal takes a time that grows as their number.
#[test]
fn many_triangles_without_area_are_removed_in_no_time() {
    let steps = 30_000;
    let corner = |i: i32, j: i32| DVec3::new(f64::from(i), 0.0, f64::from(j));
    let mut strip = TriangleMesh::default();
    for i in 0..steps {
        let first = strip.vertices.len() as u32;
        strip.vertices.extend([corner(2 * i, 0), corner(2 * i + 2, 0), corner(2 * i + 2, 1), corner(2 * i, 1), corner(2 * i + 1, 0)]);
        strip.triangles.extend([[first, first + 2, first + 1], [first, first + 3, first + 2], [first, first + 1, first + 4]]);
    }
    let start = std::time::Instant::now();
    let (mesh, summary, _) = read(&strip, true);
    assert_eq!((summary.degenerate_dropped, mesh.triangles.len()), (steps as usize, 3 * steps as usize));
    assert!(start.elapsed().as_secs_f64() < 2.0, "{:?}", start.elapsed());
}
