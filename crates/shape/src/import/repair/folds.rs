//! Triangles with the same three vertices. Of those with the same winding one stays; two of opposite winding are a fold of the surface without
//! thickness, and cancel: every edge that they leave keeps as many triangles in one direction as in the other.
//!
//! A sheet whose triangles are all given from both sides is no fold, nor is a fin. One side of it stays; beside other faces, it is set aside.

use crate::{
    TriangleMesh,
    extract::extract,
    fins,
    topology::{EdgeTable, components, is_closed},
};

/// Numbers of triangles removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Repetitions of another one, from the same side or, in sheets, from the other.
    pub duplicates: usize,
    /// Members of folds.
    pub folded: usize,
}

/// Triangles with the same vertices, by index.
struct Group {
    /// Those with the winding of the first, and those with the other winding.
    same: Vec<u32>,
    opposite: Vec<u32>,
}

/// Removes duplicates and folds from `mesh`. Duplicates stay if the mesh is closed with them, but not without: they are sides that parts which
/// overlap have in common.
pub fn remove(mesh: &mut TriangleMesh) -> Removed {
    let groups = groups(&mesh.triangles);
    if groups.is_empty() {
        return Removed::default();
    }
    let is_sheet = sheets(mesh, &groups);
    let (mut reduced, mut removed) = without(mesh, &groups, &is_sheet, true);
    if removed.duplicates > 0 && is_closed(&EdgeTable::of(mesh)) && !is_closed(&EdgeTable::of(&reduced)) {
        (reduced, removed) = without(mesh, &groups, &is_sheet, false);
    }
    *mesh = reduced;
    removed
}

/// Takes the sheets out of `mesh`, one side of each, unless nothing else is there.
pub fn take_sheets(mesh: &mut TriangleMesh) -> TriangleMesh {
    let groups = groups(&mesh.triangles);
    if groups.is_empty() {
        return TriangleMesh::default();
    }
    let is_sheet = sheets(mesh, &groups);
    let rest: Vec<usize> = (0..is_sheet.len()).filter(|&index| !is_sheet[index]).collect();
    if rest.is_empty() || rest.len() == is_sheet.len() {
        return TriangleMesh::default();
    }
    let first_sides: Vec<usize> = firsts(&groups, is_sheet.len()).into_iter().filter(|&index| is_sheet[index]).collect();
    let mut places = vec![u32::MAX; mesh.vertices.len()];
    let sheets = extract(mesh, &first_sides, &mut places);
    *mesh = extract(mesh, &rest, &mut places);
    sheets
}

/// The mesh without folds, and without duplicates if those are to be dropped.
fn without(mesh: &TriangleMesh, groups: &[Group], is_sheet: &[bool], duplicates_dropped: bool) -> (TriangleMesh, Removed) {
    let mut removed = Removed::default();
    let mut stays = vec![true; mesh.triangles.len()];
    for Group { same, opposite } in groups {
        let is_sheet = is_sheet[same[0] as usize];
        let folds = same.len().min(opposite.len());
        let (more, surplus) = if same.len() < opposite.len() { (opposite, opposite.len() - folds) } else { (same, same.len() - folds) };
        let kept = match surplus {
            0 => usize::from(is_sheet),
            _ if duplicates_dropped => 1,
            _ => surplus,
        };
        let of_folds = if is_sheet { 0 } else { 2 * folds };
        removed.folded += of_folds;
        removed.duplicates += same.len() + opposite.len() - of_folds - kept;
        same.iter().chain(opposite).for_each(|&index| stays[index as usize] = false);
        more[..kept].iter().for_each(|&index| stays[index as usize] = true);
    }
    let triangles = mesh.triangles.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(&corners, _)| corners).collect();
    (TriangleMesh { vertices: mesh.vertices.clone(), triangles }, removed)
}

/// The groups of more than one triangle.
fn groups(triangles: &[[u32; 3]]) -> Vec<Group> {
    let mut sorted: Vec<([u32; 3], u32)> = triangles.iter().zip(0..).map(|(&corners, index)| (ascending(corners), index)).collect();
    sorted.sort_unstable();
    let several = sorted.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
    let split = |group: &[([u32; 3], u32)]| {
        let indices = group.iter().map(|&(_, index)| index);
        let (same, opposite) = indices.partition(|&index| is_even(triangles[index as usize]) == is_even(triangles[group[0].1 as usize]));
        Group { same, opposite }
    };
    several.map(split).collect()
}

/// For each triangle, whether it is given as often from one side as from the other, and so are all triangles that are connected with it by edges, or
/// it belongs to a fin.
fn sheets(mesh: &TriangleMesh, groups: &[Group]) -> Vec<bool> {
    let (labels, count) = components(mesh, &EdgeTable::of(mesh));
    let mut paired = vec![false; mesh.triangles.len()];
    for Group { same, opposite } in groups.iter().filter(|group| group.same.len() == group.opposite.len()) {
        same.iter().chain(opposite).for_each(|&index| paired[index as usize] = true);
    }
    let mut is_sheet = vec![true; count];
    labels.iter().zip(&paired).filter(|(_, paired)| !**paired).for_each(|(&label, _)| is_sheet[label as usize] = false);
    let mut is_sheet: Vec<bool> = labels.iter().map(|&label| is_sheet[label as usize]).collect();
    mark_fins(mesh, groups, &paired, &mut is_sheet);
    is_sheet
}

/// Marks the fins: those on a closed surface, and those of `paired` triangles, which are given as often from one side as from the other, on any surface.
fn mark_fins(mesh: &TriangleMesh, groups: &[Group], paired: &[bool], is_sheet: &mut [bool]) {
    let firsts = firsts(groups, paired.len());
    let triangles = firsts.iter().map(|&index| mesh.triangles[index]).collect();
    let layers = TriangleMesh { vertices: mesh.vertices.clone(), triangles };
    let edges = EdgeTable::of(&layers);
    let of_closed = fins::find(&layers, &edges, |_| true);
    let of_any = fins::find(&layers, &edges, |layer| paired[firsts[layer]]);
    for (layer, &index) in firsts.iter().enumerate() {
        is_sheet[index] |= of_closed[layer] || of_any[layer];
    }
    for Group { same, opposite } in groups {
        let is_first_sheet = is_sheet[same[0] as usize];
        same.iter().chain(opposite).for_each(|&index| is_sheet[index as usize] = is_first_sheet);
    }
}

/// The triangles without those whose vertices an earlier one has.
fn firsts(groups: &[Group], count: usize) -> Vec<usize> {
    let mut is_first = vec![true; count];
    for Group { same, opposite } in groups {
        same[1..].iter().chain(opposite).for_each(|&index| is_first[index as usize] = false);
    }
    (0..count).filter(|&index| is_first[index]).collect()
}

fn ascending(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

/// Whether the corners are an even permutation of their ascending order.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    [[a, b, c], [b, c, a], [c, a, b]].iter().any(|corners| corners.is_sorted())
}
