//! Cracks: open edges of two parts of a surface that meet up to a small gap, or whose vertices are on edges of the other part (T-junctions).
//! Vertices across a gap are merged, and triangles are split at vertices on their edges.

use glam::DVec3;
use rstar::{AABB, RTree, primitives::GeomWithData};

use super::flat::is_flat;
use crate::{
    TriangleMesh,
    topology::{DisjointSets, EdgeTable, EdgeUse, is_balanced},
};

/// Widest gap that is closed, as a share of the shortest edge at it. Wider ones may be meant.
const GAP: f64 = 0.05;
/// A triangle that is split may have to be split again, once for each of its edges, and rarely more often.
const PASSES: usize = 8;

/// What was closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closed {
    /// Vertices merged with one across a gap.
    pub merged: usize,
    /// Vertices at which an edge of the other part was split.
    pub split: usize,
}

type Point = GeomWithData<[f64; 3], u32>;

/// Closes the cracks of `mesh`.
pub fn close(mesh: &mut TriangleMesh) -> Closed {
    let mut closed = Closed { merged: merge(mesh), split: 0 };
    for _ in 0..PASSES {
        match split(mesh) {
            0 => break,
            count => closed.split += count,
        }
    }
    closed
}

/// The rims of a surface.
struct Rims {
    /// Sides of triangles at edges that are not used equally often in both directions.
    sides: Vec<EdgeUse>,
    /// The ends of these edges.
    tree: RTree<Point>,
    /// For each vertex of the mesh, the length of the shortest edge at it, m; infinite for those that are not on a rim.
    shortest: Vec<f64>,
}

impl Rims {
    fn of(mesh: &TriangleMesh) -> Self {
        let edges = EdgeTable::of(mesh);
        let sides: Vec<EdgeUse> = edges.edges().filter(|sides| !is_balanced(sides)).flatten().copied().collect();
        let mut on_rim = vec![false; mesh.vertices.len()];
        sides.iter().flat_map(|side| side.edge).for_each(|vertex| on_rim[vertex as usize] = true);
        let mut shortest = vec![f64::INFINITY; mesh.vertices.len()];
        for sides in edges.edges() {
            let [a, b] = sides[0].edge.map(|vertex| vertex as usize);
            let length = mesh.vertices[a].distance(mesh.vertices[b]);
            for end in [a, b].into_iter().filter(|&end| on_rim[end]) {
                shortest[end] = shortest[end].min(length);
            }
        }
        let points = (0..mesh.vertices.len()).filter(|&vertex| on_rim[vertex]);
        let tree = RTree::bulk_load(points.map(|vertex| Point::new(mesh.vertices[vertex].to_array(), vertex as u32)).collect());
        Self { sides, tree, shortest }
    }

    /// The vertices on rims in the box from `low` to `high`, ascending.
    fn within(&self, low: DVec3, high: DVec3) -> Vec<u32> {
        let envelope = AABB::from_corners(low.to_array(), high.to_array());
        let mut found: Vec<u32> = self.tree.locate_in_envelope(envelope).map(|point| point.data).collect();
        found.sort_unstable();
        found
    }
}

/// Merges vertices across gaps; returns the number of those that vanish.
fn merge(mesh: &mut TriangleMesh) -> usize {
    let rims = Rims::of(mesh);
    if rims.sides.is_empty() {
        return 0;
    }
    let mut sets = DisjointSets::new(mesh.vertices.len());
    let mut merged = 0;
    for &Point { data: vertex, .. } in &rims.tree {
        let (at, reach) = (mesh.vertices[vertex as usize], GAP * rims.shortest[vertex as usize]);
        for other in rims.within(at - reach, at + reach) {
            let reach = reach.min(GAP * rims.shortest[other as usize]);
            if at.distance(mesh.vertices[other as usize]) <= reach && sets.root(vertex) != sets.root(other) {
                sets.join(vertex, other);
                merged += 1;
            }
        }
    }
    mesh.triangles.iter_mut().flatten().for_each(|vertex| *vertex = sets.root(*vertex));
    merged
}

/// Splits triangles at vertices on their open edges; returns the number of these vertices.
fn split(mesh: &mut TriangleMesh) -> usize {
    let rims = Rims::of(mesh);
    let mut done = vec![false; mesh.triangles.len()];
    let mut count = 0;
    for side in &rims.sides {
        let triangle = side.triangle as usize;
        if done[triangle] {
            continue;
        }
        let corners = mesh.triangles[triangle];
        let [a, b, apex] = [0, 1, 2].map(|offset| corners[(usize::from(side.corner) + offset) % 3]);
        let between = vertices_between(mesh, &rims, [a, b], apex);
        let fan: Vec<[u32; 3]> =
            std::iter::once(&a).chain(&between).zip(between.iter().chain([&b])).map(|(&from, &to)| [from, to, apex]).collect();
        if between.is_empty() || fan.iter().any(|&part| is_flat(&mesh.vertices, part)) {
            continue;
        }
        done[triangle] = true;
        count += between.len();
        mesh.triangles[triangle] = fan[0];
        mesh.triangles.extend(&fan[1..]);
    }
    count
}

/// The vertices on rims that are on the edge from `a` to `b`, in this order.
fn vertices_between(mesh: &TriangleMesh, rims: &Rims, [a, b]: [u32; 2], apex: u32) -> Vec<u32> {
    let [from, to] = [a, b].map(|vertex| mesh.vertices[vertex as usize]);
    let (along, reach) = (to - from, GAP * from.distance(to));
    let mut found: Vec<(f64, u32)> = Vec::new();
    for vertex in rims.within(from.min(to) - reach, from.max(to) + reach) {
        let offset = mesh.vertices[vertex as usize] - from;
        let share = offset.dot(along) / along.length_squared();
        let distance = (offset - share * along).length();
        let near = distance <= reach.min(GAP * rims.shortest[vertex as usize]);
        if near && share > 0.0 && share < 1.0 && ![a, b, apex].contains(&vertex) {
            found.push((share, vertex));
        }
    }
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    found.into_iter().map(|(_, vertex)| vertex).collect()
}
