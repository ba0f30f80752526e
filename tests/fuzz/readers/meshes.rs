//! Meshes that load are sound, and so are the solids made of them.

use plimsoll::{
    input::Disk,
    shape::{
        ImportOptions, MeshReport, OverlapReport, Repair, SegmentLimits, Segmentation, TriangleMesh, import, make_solid, triangle_area,
    },
};

use super::{Folder, assert_says_why};

/// The volume of a solid may be that much below zero by rounding, as a fraction of its box.
const ROUNDING: f64 = 1e-9;
/// Meshes with more triangles are only loaded.
const MAX_TRIANGLES: usize = 2000;

pub fn check_obj(file: &[u8]) {
    check("mesh.obj", file);
}

pub fn check_stl(file: &[u8]) {
    check("mesh.stl", file);
}

pub fn check_ply(file: &[u8]) {
    check("mesh.ply", file);
}

pub fn check_gltf(file: &[u8]) {
    check("mesh.glb", file);
}

fn check(name: &str, file: &[u8]) {
    thread_local!(static FOLDER: Folder = Folder::new());
    let path = FOLDER.with(|folder| folder.write(name, file));
    for repair in [Repair::Off, Repair::Safe, Repair::Fill] {
        match import::load_with_summary(&path, &ImportOptions { repair, ..ImportOptions::default() }) {
            Ok((mesh, summary)) => {
                assert!(!mesh.triangles.is_empty() && !summary.to_string().is_empty());
                check_mesh(mesh, summary.sheets, repair);
            }
            Err(error) => return assert_says_why(&error),
        }
    }
    for (_, group) in import::load_groups(&Disk, &path, &ImportOptions::default()).expect("a file that was read is read again") {
        assert_sound(&group);
    }
}

fn assert_sound(mesh: &TriangleMesh) {
    assert!(mesh.vertices.iter().all(|vertex| vertex.is_finite()), "a vertex that is not finite");
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = *triangle;
        assert!(triangle.iter().all(|&vertex| (vertex as usize) < mesh.vertices.len()), "a corner that does not exist");
        assert!(a != b && b != c && c != a, "a triangle with two corners");
        assert!(triangle_area(mesh.corners(index)).is_finite(), "a triangle without an area");
    }
}

/// Does with a mesh what `plimsoll inspect` does.
fn check_mesh(mut mesh: TriangleMesh, sheets: usize, repair: Repair) {
    assert_sound(&mesh);
    if mesh.triangles.len() > MAX_TRIANGLES {
        return;
    }
    let solid = make_solid(&mut mesh, sheets, repair);
    assert_sound(&mesh);
    let report = MeshReport::with_sheets(&mesh, sheets);
    let size = report.aabb.extent();
    let is_solid = report.is_watertight() && solid.winding.unorientable == 0 && !matches!(solid.overlaps, OverlapReport::NoInside);
    if is_solid {
        let volume = report.mass.volume;
        assert!(volume.is_finite() && volume >= -ROUNDING * size.max_element().powi(3), "a solid of {volume} m³ in a box of {size}");
    }
    assert!(!report.to_string().is_empty() && !solid.winding.to_string().is_empty());
    let limits = SegmentLimits::new(size.length() / 8.0, 64);
    let segments = Segmentation::build(&mesh, &limits).segments;
    let of_segment = |segment: &plimsoll::shape::Segment| segment.ball.volume().is_finite() && segment.aabb.volume().is_finite();
    assert!(segments.iter().all(of_segment), "a segment that is not finite");
}
