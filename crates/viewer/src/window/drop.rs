//! A body that is dropped onto the particles.

use std::path::Path;

use anyhow::{Context, ensure};
use glam::{DVec3, Vec3};
use plimsoll_base::math::{Aabb, Pose};
use plimsoll_contract::{frame::Frame, simulator::NewBody};
use plimsoll_shape::{
    MeshReport, OverlapReport, Repair,
    import::{self, ImportOptions},
    make_solid,
};

/// Largest side of the body, relative to the smaller horizontal extent of the particles.
const SIZE: f64 = 0.3;
/// Gap between the body and what is below it, in sizes of the body.
const GAP: f64 = 0.3;

/// The body with the mesh at `path` and `density` (kg/m³), above the particles of `frame` near `wanted`, clear of everything there.
///
/// # Errors
/// A mesh that cannot be read or is open, or no particles to fall onto.
pub fn body_above(frame: &Frame, wanted: DVec3, path: &Path, density: f64) -> anyhow::Result<NewBody> {
    let (mut mesh, summary) = import::load_with_summary(path, &ImportOptions::default())?;
    let solid = make_solid(&mut mesh, summary.sheets, Repair::Safe);
    let report = MeshReport::with_sheets(&mesh, summary.sheets);
    let closed = report.is_watertight() && report.mass.volume > 0.0 && solid.overlaps != OverlapReport::NoInside;
    ensure!(closed, "{}: found an open mesh, expected a closed one (plimsoll inspect --fill --repaired closes holes)", path.display());
    let filled = Aabb::around(frame.particles.positions.iter().map(|&position| Vec3::from(position).as_dvec3()));
    ensure!(!filled.is_empty(), "there are no particles to fall onto");
    let extent = mesh.aabb().extent();
    let size = SIZE * filled.extent().x.min(filled.extent().z);
    let (scale, center) = (size / extent.max_element(), mesh.aabb().center());
    for vertex in &mut mesh.vertices {
        *vertex = scale * (*vertex - center);
    }
    let half = 0.5 * scale * extent;
    let mut place = wanted.clamp(filled.min + half, (filled.max - half).max(filled.min + half));
    // Above everything that it could fall onto. A body that contains the particles is around it, not below.
    let footprint = |aabb: &Aabb| {
        let near = (aabb.center() - place).abs().cmple(0.5 * aabb.extent() + half + GAP * size);
        near.x && near.z
    };
    let boxes = frame.bodies.iter().map(|body| Aabb::around(body.mesh.vertices.iter().map(|&vertex| body.pose.transform_point(vertex))));
    let holds = |aabb: &Aabb| aabb.min.cmple(filled.min).all() && aabb.max.with_y(filled.max.y).cmpge(filled.max).all();
    let top = boxes.filter(|aabb| footprint(aabb) && !holds(aabb)).map(|aabb| aabb.max.y).fold(filled.max.y, f64::max);
    place.y = top + half.y + GAP * size;
    let name = path.file_stem().context("a mesh file has a name")?.to_string_lossy();
    let name = format!("{name} {}", frame.bodies.len() + 1);
    Ok(NewBody { name, mesh, pose: Pose::from_translation(place), density })
}
