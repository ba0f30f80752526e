//! Meshes with a solid and sheets: walls without thickness, which have no share in the volume.
//!
//! The solid of a mesh is bounded by its closed components (triangles connected by shared edges, each edge used as often in one direction as in the
//! other). Near a sheet, the side of the closest triangle says nothing about the inside of the solid, so inside tests leave sheets out.

use std::borrow::Cow;

use super::{
    TriangleMesh,
    extract::extract,
    topology::{EdgeTable, components, is_balanced},
};

/// Whether any component of `mesh` is closed, so that it has an inside.
pub fn has_inside(mesh: &TriangleMesh) -> bool {
    of_solid(mesh).is_none_or(|of_solid| of_solid.contains(&true))
}

/// The closed components of `mesh`; `None` if there are none.
pub fn solid_part(mesh: &TriangleMesh) -> Option<Cow<'_, TriangleMesh>> {
    divide(mesh).0
}

/// The closed components of `mesh`, and the others, which are sheets.
pub(super) fn divide(mesh: &TriangleMesh) -> (Option<Cow<'_, TriangleMesh>>, Option<Cow<'_, TriangleMesh>>) {
    let whole = || Some(Cow::Borrowed(mesh));
    match of_solid(mesh) {
        None => (whole(), None),
        Some(of_solid) if !of_solid.contains(&true) => (None, whole()),
        Some(of_solid) => {
            let mut places = vec![u32::MAX; mesh.vertices.len()];
            let [solid, sheets] = [true, false].map(|side| {
                let triangles: Vec<usize> = (0..of_solid.len()).filter(|&index| of_solid[index] == side).collect();
                Some(Cow::Owned(extract(mesh, &triangles, &mut places)))
            });
            (solid, sheets)
        }
    }
}

/// For each triangle, whether its component is closed; `None` if all are.
fn of_solid(mesh: &TriangleMesh) -> Option<Vec<bool>> {
    let edges = EdgeTable::of(mesh);
    if edges.edges().all(is_balanced) {
        return None;
    }
    let (labels, count) = components(mesh, &edges);
    let mut is_closed = vec![true; count];
    for side in edges.edges().filter(|sides| !is_balanced(sides)).flatten() {
        is_closed[labels[side.triangle as usize] as usize] = false;
    }
    Some(labels.iter().map(|&label| is_closed[label as usize]).collect())
}

/// Does `work` with `mesh` without its last `sheets` triangles, which are the last ones again afterwards.
pub(super) fn without_sheets<T>(mesh: &mut TriangleMesh, sheets: usize, work: impl FnOnce(&mut TriangleMesh) -> T) -> T {
    let count = mesh.triangles.len();
    if sheets == 0 || sheets >= count {
        return work(mesh);
    }
    let mut places = vec![u32::MAX; mesh.vertices.len()];
    let [mut solid, sheets] =
        [0..count - sheets, count - sheets..count].map(|range| extract(mesh, &range.collect::<Vec<_>>(), &mut places));
    let result = work(&mut solid);
    *mesh = solid;
    append(mesh, &sheets);
    result
}

/// Adds the triangles of `other`, with vertices of their own.
pub(super) fn append(mesh: &mut TriangleMesh, other: &TriangleMesh) {
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend_from_slice(&other.vertices);
    mesh.triangles.extend(other.triangles.iter().map(|corners| corners.map(|vertex| first + vertex)));
}
