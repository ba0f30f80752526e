//! Winding correction: makes the winding consistent within each component, and flips closed components so that their normals point out of
//! the solid.
//!
//! A closed component inside another one is the wall of a cavity, and its normals point into the cavity. A component inside a cavity is
//! solid again. A component enclosed by an odd number of others therefore gets a negative volume, and by an even number a positive one.

use std::{cell::OnceCell, fmt};

use glam::DVec3;
use plimsoll_base::math::Aabb;

use super::{
    InsideTest, MassProperties, TriangleMesh,
    box_tree::BoxTree,
    topology::{DisjointSets, EdgeTable, consistent, is_closed},
    touching::separate_touching,
};

/// A component counts as enclosed even if it touches the other from inside within this fraction of its size.
const TOUCHING: f64 = 1e-9;

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

    let closed: Vec<ClosedPatch> = closed_patches(mesh, &edges, &patches);
    for (patch, depth) in closed.iter().zip(depths(&closed)) {
        let is_cavity = depth % 2 == 1;
        report.cavities += usize::from(is_cavity);
        if (patch.volume < 0.0) != is_cavity {
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

/// For each triangle, whether it belongs to a closed component within another one: the wall of a cavity, or a solid in a cavity.
pub(super) fn enclosed_triangles(mesh: &TriangleMesh) -> Vec<bool> {
    let mut enclosed = vec![false; mesh.triangles.len()];
    let edges = EdgeTable::of(mesh);
    let patches = patches(mesh, &edges);
    if patches.len() < 2 {
        return enclosed;
    }
    let closed = closed_patches(mesh, &edges, &patches);
    for (patch, depth) in closed.iter().zip(depths(&closed)) {
        if depth > 0 {
            patch.triangles.iter().for_each(|&triangle| enclosed[triangle] = true);
        }
    }
    enclosed
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

/// A component without boundary, consistently wound.
struct ClosedPatch {
    triangles: Vec<usize>,
    surface: TriangleMesh,
    aabb: Aabb,
    volume: f64,
    /// Built for the first component that may be enclosed.
    inside: OnceCell<InsideTest>,
}

impl ClosedPatch {
    /// Whether the solid inside this component, for either winding, contains all of `other`.
    fn encloses(&self, other: &Self) -> bool {
        if !self.aabb.contains(other.aabb.min) || !self.aabb.contains(other.aabb.max) {
            return false;
        }
        let touching = TOUCHING * self.aabb.extent().length();
        let inside = self.inside.get_or_init(|| InsideTest::new(&self.surface));
        let depth = |&vertex: &DVec3| -inside.signed_distance(vertex) * self.volume.signum();
        let mut deepest = f64::NEG_INFINITY;
        for vertex in &other.surface.vertices {
            let depth = depth(vertex);
            if depth < -touching {
                return false;
            }
            deepest = deepest.max(depth);
        }
        deepest > touching
    }
}

/// For each component, the number of others that enclose it.
fn depths(closed: &[ClosedPatch]) -> Vec<usize> {
    let tree = BoxTree::new(closed.iter().map(|patch| patch.aabb));
    let depth = |(number, patch): (usize, &ClosedPatch)| {
        let mut depth = 0;
        tree.for_each_overlapping(&patch.aabb, |other| depth += usize::from(other != number && closed[other].encloses(patch)));
        depth
    };
    closed.iter().enumerate().map(depth).collect()
}

fn closed_patches(mesh: &TriangleMesh, edges: &EdgeTable, patches: &[Vec<usize>]) -> Vec<ClosedPatch> {
    let mut places = vec![u32::MAX; mesh.vertices.len()];
    let mut closed = Vec::new();
    for triangles in patches {
        let whole = triangles.len() == mesh.triangles.len();
        let surface = if whole { mesh.clone() } else { extract(mesh, triangles, &mut places) };
        if !(if whole { is_closed(edges) } else { is_closed(&EdgeTable::of(&surface)) }) {
            continue;
        }
        let volume = MassProperties::of(&surface).volume;
        closed.push(ClosedPatch { triangles: triangles.clone(), aabb: surface.aabb(), volume, inside: OnceCell::new(), surface });
    }
    closed
}

/// The given triangles as a separate mesh. `places` is a buffer with one entry per vertex; all entries are `u32::MAX` before and after.
pub(super) fn extract(mesh: &TriangleMesh, triangles: &[usize], places: &mut [u32]) -> TriangleMesh {
    let mut surface = TriangleMesh::default();
    for &triangle in triangles {
        surface.triangles.push(mesh.triangles[triangle].map(|vertex| {
            let place = &mut places[vertex as usize];
            if *place == u32::MAX {
                *place = surface.vertices.len() as u32;
                surface.vertices.push(mesh.vertices[vertex as usize]);
            }
            *place
        }));
    }
    triangles.iter().flat_map(|&triangle| mesh.triangles[triangle]).for_each(|vertex| places[vertex as usize] = u32::MAX);
    surface
}
