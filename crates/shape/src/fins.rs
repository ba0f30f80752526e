//! Fins: surfaces with a rim that share edges with a closed surface, each of which has one triangle more than the closed surface has there.
//!
//! What is left when triangles with an open edge are removed until there are none is closed. What was removed are fins on it: walls without a share in
//! its volume. A surface that only has a hole is not a fin of what it shares edges with: it goes on across these edges. Neither is a flap that lies on the
//! surface, which is a defect of it, nor what continues a surface at its rim.

use glam::DVec3;

use super::{
    TriangleMesh,
    extract::extract,
    topology::{DisjointSets, EdgeTable, EdgeUse},
};

/// Sine of the angle within which two triangles at an edge lie on each other; coordinates of single precision are more exact.
const LYING: f64 = 1e-4;

/// Takes the fins out of `mesh`.
pub fn take(mesh: &mut TriangleMesh) -> TriangleMesh {
    let is_fin = find(mesh, &EdgeTable::of(mesh), |_| true);
    if !is_fin.contains(&true) {
        return TriangleMesh::default();
    }
    let mut places = vec![u32::MAX; mesh.vertices.len()];
    let [rest, fins] = [false, true].map(|side| {
        let triangles: Vec<usize> = (0..is_fin.len()).filter(|&index| is_fin[index] == side).collect();
        extract(mesh, &triangles, &mut places)
    });
    *mesh = rest;
    fins
}

/// For each triangle of `mesh`, whether it belongs to a fin, of triangles that `may_be` in one. `edges` are those of the mesh.
pub fn find(mesh: &TriangleMesh, edges: &EdgeTable, may_be: impl Fn(usize) -> bool) -> Vec<bool> {
    let removed = removed(mesh, edges, may_be);
    let count = removed.len();
    if !removed.contains(&true) || !removed.contains(&false) {
        return vec![false; count];
    }
    // Removed triangles that are connected, and triangles between which the surface goes on.
    let (mut parts, mut layers) = (DisjointSets::new(count), DisjointSets::new(count));
    for sides in edges.edges() {
        if let [first, second] = sides {
            layers.join(first.triangle, second.triangle);
        }
        let mut of_parts = sides.iter().map(|side| side.triangle).filter(|&triangle| removed[triangle as usize]);
        if let Some(first) = of_parts.next() {
            of_parts.for_each(|other| parts.join(first, other));
        }
    }
    let (mut is_attached, mut is_other) = (vec![false; count], vec![false; count]);
    for sides in edges.edges() {
        let (own, rest): (Vec<&EdgeUse>, Vec<&EdgeUse>) = sides.iter().partition(|side| removed[side.triangle as usize]);
        if own.is_empty() || rest.is_empty() {
            continue;
        }
        let part = parts.root(own[0].triangle) as usize;
        is_attached[part] = true;
        let mut roots: Vec<u32> = own.iter().map(|side| layers.root(side.triangle)).collect();
        roots.sort_unstable();
        let goes_on = roots.windows(2).any(|pair| pair[0] == pair[1]);
        let is_rim = rest.len() == 1;
        is_other[part] |= goes_on || is_rim || own.iter().any(|side| rest.iter().any(|other| lie_on_each_other(mesh, side, other)));
    }
    let is_fin = |index: usize| {
        let part = parts.root(index as u32) as usize;
        removed[index] && is_attached[part] && !is_other[part]
    };
    (0..count).map(is_fin).collect()
}

/// For each triangle, whether it goes if those that `may_go` and have an edge of their own are removed until there are none.
fn removed(mesh: &TriangleMesh, edges: &EdgeTable, may_go: impl Fn(usize) -> bool) -> Vec<bool> {
    let count = mesh.triangles.len();
    let mut edges_of = vec![[0; 3]; count];
    // For each edge the number of its triangles, and their indices combined: that of the last one when the others are gone.
    let mut left: Vec<(usize, u32)> = Vec::new();
    for sides in edges.edges() {
        for side in sides {
            edges_of[side.triangle as usize][usize::from(side.corner)] = left.len();
        }
        left.push((sides.len(), sides.iter().fold(0, |combined, side| combined ^ side.triangle)));
    }
    let mut removed = vec![false; count];
    let mut pending: Vec<u32> = left.iter().filter(|(count, _)| *count == 1).map(|&(_, last)| last).collect();
    while let Some(triangle) = pending.pop() {
        let index = triangle as usize;
        if removed[index] || !may_go(index) {
            continue;
        }
        removed[index] = true;
        for edge in edges_of[index] {
            let (count, combined) = &mut left[edge];
            (*count, *combined) = (*count - 1, *combined ^ triangle);
            if *count == 1 {
                pending.push(*combined);
            }
        }
    }
    removed
}

/// Whether two triangles at the same edge are on the same side of it in the same plane.
fn lie_on_each_other(mesh: &TriangleMesh, one: &EdgeUse, other: &EdgeUse) -> bool {
    let [from, to] = one.edge.map(|vertex| mesh.vertices[vertex as usize]);
    let edge = (to - from).normalize_or_zero();
    let [a, b] = [one, other].map(|side| {
        let tip: DVec3 = mesh.corners(side.triangle as usize)[(usize::from(side.corner) + 2) % 3];
        (tip - from).reject_from_normalized(edge)
    });
    a.dot(b) > 0.0 && a.cross(b).length() <= LYING * a.length() * b.length()
}
