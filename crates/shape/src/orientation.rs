//! Winding correction: makes the winding consistent within each component, and flips closed components so that their normals point out of
//! the solid.
//!
//! A closed component inside another one is the wall of a cavity if it is wound against it, and its normals point into the cavity. If it is wound
//! like it, it is a part of the solid within another part. A component inside a cavity is solid again.

use std::fmt;

use super::{
    TriangleMesh,
    extract::extract,
    nesting::{Nesting, closed_patches, nestings},
    topology::{DisjointSets, EdgeTable, consistent},
    touching::separate_touching,
};

/// Counters of [`orient_outwards`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrientationReport {
    /// Triangles flipped to match the rest of their component.
    pub triangles_turned: usize,
    /// Closed components that were inside out and were flipped as a whole.
    pub components_turned: usize,
    /// Closed components that are the wall of a cavity in another one.
    pub cavities: usize,
    /// Components with an edge or a twist that prevents a consistent winding (a Möbius strip); left unchanged.
    pub unorientable: usize,
    /// Edges where parts of the solid touch: of four or more triangles, divided among pairs of them.
    pub edges_divided: usize,
}

impl OrientationReport {
    /// Whether any triangle was flipped.
    pub fn changed(&self) -> bool {
        self.triangles_turned + self.components_turned > 0
    }
}

impl fmt::Display for OrientationReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "triangles flipped      {:>10}", self.triangles_turned)?;
        writeln!(formatter, "components flipped     {:>10}", self.components_turned)?;
        writeln!(formatter, "cavities               {:>10}", self.cavities)?;
        writeln!(formatter, "unorientable           {:>10}", self.unorientable)?;
        write!(formatter, "touching edges divided {:>10}", self.edges_divided)
    }
}

/// Makes the winding of neighbours consistent, makes closed components face outward, and divides edges where parts of a solid touch.
///
/// A component here is a set of triangles connected by edges of exactly two triangles; at an edge of more triangles, the pairing is
/// undefined. An open component has no outside; it follows the majority of its triangles.
pub fn orient_outwards(mesh: &mut TriangleMesh) -> OrientationReport {
    let mut report = OrientationReport::default();
    let mut edges = EdgeTable::of(mesh);
    let patches = patches(mesh, &edges);
    if edges.edges().any(|sides| matches!(sides, [first, second] if !consistent(first, second))) {
        let turned = turned_against_majority(mesh, &edges, &patches, &mut report);
        turned.iter().enumerate().filter(|&(_, &turned)| turned).for_each(|(triangle, _)| turn(mesh, triangle));
        edges = EdgeTable::of(mesh);
    }

    let closed = closed_patches(mesh, &edges, &patches);
    for (patch, nesting) in closed.iter().zip(nestings(&closed)) {
        report.cavities += usize::from(nesting.is_cavity());
        if (patch.volume < 0.0) == nesting.faces_outward() {
            patch.triangles.iter().for_each(|&triangle| turn(mesh, triangle));
            report.components_turned += 1;
        }
    }
    // Triangles that were flipped share the same edges.
    if edges.edges().any(|sides| sides.len() > 2) {
        report.edges_divided = separate_touching(mesh);
    }
    report
}

/// For each triangle, whether it belongs to a closed component within another one: the wall of a cavity, a solid in a cavity, or a part within
/// another part.
pub(super) fn enclosed_triangles(mesh: &TriangleMesh) -> Vec<bool> {
    triangles_of(mesh, Nesting::is_enclosed)
}

/// Removes the closed components of `mesh` that are parts of the solid within other parts, and returns whether there were any.
pub(super) fn remove_inner_parts(mesh: &mut TriangleMesh) -> bool {
    let inner = triangles_of(mesh, Nesting::is_inner_part);
    if !inner.contains(&true) {
        return false;
    }
    let kept: Vec<usize> = (0..inner.len()).filter(|&index| !inner[index]).collect();
    let mut places = vec![u32::MAX; mesh.vertices.len()];
    *mesh = extract(mesh, &kept, &mut places);
    true
}

/// For each triangle, whether `wanted` is true for its closed component.
fn triangles_of(mesh: &TriangleMesh, wanted: impl Fn(&Nesting) -> bool) -> Vec<bool> {
    let mut found = vec![false; mesh.triangles.len()];
    let edges = EdgeTable::of(mesh);
    let patches = patches(mesh, &edges);
    if patches.len() < 2 {
        return found;
    }
    let closed = closed_patches(mesh, &edges, &patches);
    for (patch, nesting) in closed.iter().zip(nestings(&closed)) {
        if wanted(&nesting) {
            patch.triangles.iter().for_each(|&triangle| found[triangle] = true);
        }
    }
    found
}

fn turn(mesh: &mut TriangleMesh, triangle: usize) {
    mesh.triangles[triangle].swap(1, 2);
}

/// The triangles of each component connected by edges of exactly two triangles.
fn patches(mesh: &TriangleMesh, edges: &EdgeTable) -> Vec<Vec<usize>> {
    let mut sets = DisjointSets::new(mesh.triangles.len());
    for sides in edges.edges() {
        if let [first, second] = sides {
            sets.join(first.triangle, second.triangle);
        }
    }
    let (labels, count) = sets.numbered();
    let mut patches = vec![Vec::new(); count];
    labels.iter().enumerate().for_each(|(triangle, &label)| patches[label as usize].push(triangle));
    patches
}

/// The triangles to flip for each patch to be consistent; of the two possible choices, the one with fewer triangles.
fn turned_against_majority(mesh: &TriangleMesh, edges: &EdgeTable, patches: &[Vec<usize>], report: &mut OrientationReport) -> Vec<bool> {
    // Across each edge, the neighbour and whether its winding is opposed.
    let mut neighbours = vec![[None; 3]; mesh.triangles.len()];
    for sides in edges.edges() {
        if let [first, second] = sides {
            let opposed = !consistent(first, second);
            neighbours[first.triangle as usize][usize::from(first.corner)] = Some((second.triangle as usize, opposed));
            neighbours[second.triangle as usize][usize::from(second.corner)] = Some((first.triangle as usize, opposed));
        }
    }
    let mut turned = vec![false; mesh.triangles.len()];
    let mut visited = vec![false; mesh.triangles.len()];
    for patch in patches {
        let mut front = vec![patch[0]];
        visited[patch[0]] = true;
        let mut orientable = true;
        while let Some(triangle) = front.pop() {
            for &(neighbour, opposed) in neighbours[triangle].iter().flatten() {
                let wanted = turned[triangle] != opposed;
                if !visited[neighbour] {
                    visited[neighbour] = true;
                    turned[neighbour] = wanted;
                    front.push(neighbour);
                } else if turned[neighbour] != wanted {
                    orientable = false;
                }
            }
        }
        let count = patch.iter().filter(|&&triangle| turned[triangle]).count();
        if !orientable {
            report.unorientable += 1;
            patch.iter().for_each(|&triangle| turned[triangle] = false);
        } else if 2 * count > patch.len() {
            report.triangles_turned += patch.len() - count;
            patch.iter().for_each(|&triangle| turned[triangle] = !turned[triangle]);
        } else {
            report.triangles_turned += count;
        }
    }
    turned
}
