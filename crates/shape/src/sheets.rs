//! Meshes with a solid and sheets: walls without thickness, which have no share in the volume.
//!
//! The solid of a mesh is bounded by its closed components (triangles connected by shared edges, each edge used as often in one direction as in the
//! other) without the [`fins`] on them. Near a sheet, the side of the closest triangle says nothing about the inside of the solid, so inside tests leave
//! sheets out.

use std::borrow::Cow;

use super::{
    TriangleMesh,
    extract::extract,
    fins,
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

/// For each triangle, whether its component is closed without the fins on it; `None` if all are closed and there are no fins.
fn of_solid(mesh: &TriangleMesh) -> Option<Vec<bool>> {
    let edges = EdgeTable::of(mesh);
    if edges.edges().all(is_balanced) {
        return None;
    }
    let is_fin = fins::find(mesh, &edges, |_| true);
    if is_fin.contains(&true) {
        return Some(of_solid_without(mesh, &is_fin));
    }
    let (labels, count) = components(mesh, &edges);
    let mut is_closed = vec![true; count];
    for side in edges.edges().filter(|sides| !is_balanced(sides)).flatten() {
        is_closed[labels[side.triangle as usize] as usize] = false;
    }
    Some(labels.iter().map(|&label| is_closed[label as usize]).collect())
}

/// The same for a mesh with fins, which are not part of the solid.
fn of_solid_without(mesh: &TriangleMesh, is_fin: &[bool]) -> Vec<bool> {
    let rest: Vec<usize> = (0..is_fin.len()).filter(|&index| !is_fin[index]).collect();
    let of_rest = of_solid(&extract(mesh, &rest, &mut vec![u32::MAX; mesh.vertices.len()]));
    let mut of_solid = vec![false; is_fin.len()];
    for (place, &index) in rest.iter().enumerate() {
        of_solid[index] = of_rest.as_ref().is_none_or(|of_rest| of_rest[place]);
    }
    of_solid
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
