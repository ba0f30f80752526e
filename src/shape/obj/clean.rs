//! Conversion of the polygons of a file to triangles with shared vertices: welding, triangulation, removal of degenerate and duplicate
//! triangles.

use std::collections::{HashMap, HashSet};

use glam::{DVec3, I64Vec3};

use super::summary::ImportSummary;
use crate::{
    math::Aabb,
    shape::{TriangleMesh, polygon},
};

/// Vertices closer than this fraction of the mesh's diagonal are merged.
const WELD: f64 = 1e-9;
/// A triangle is degenerate if its height is below this fraction of its longest edge.
const FLAT: f64 = 1e-10;

pub(super) struct Cleaner<'a> {
    summary: &'a mut ImportSummary,
}

impl<'a> Cleaner<'a> {
    /// Counts repairs in `summary`.
    pub(super) fn new(summary: &'a mut ImportSummary) -> Self {
        Self { summary }
    }

    pub(super) fn clean(mut self, positions: &[DVec3], polygons: &[Vec<u32>]) -> TriangleMesh {
        let (vertices, welded) = self.weld(positions);
        let mut triangles = self.triangulate(&vertices, &welded, polygons);
        self.split_beside_flat_triangles(&vertices, &mut triangles);
        self.drop_duplicates(&mut triangles);
        keep_used(&vertices, triangles)
    }

    /// Merges each vertex that is within the weld distance of an earlier one. Returns the vertices kept and the new index of each position.
    fn weld(&mut self, positions: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
        let distance = WELD * Aabb::around(positions.iter().copied()).extent().length();
        let cell_size = if distance > 0.0 { 4.0 * distance } else { 1.0 };
        let cell_of = |point: DVec3| (point / cell_size).floor().as_i64vec3();
        let mut cells: HashMap<I64Vec3, Vec<u32>> = HashMap::with_capacity(positions.len());
        let mut vertices: Vec<DVec3> = Vec::with_capacity(positions.len());
        let mut indices = Vec::with_capacity(positions.len());
        for &position in positions {
            let (low, high) = (cell_of(position - distance), cell_of(position + distance));
            let mut found: Option<u32> = None;
            for x in low.x..=high.x {
                for y in low.y..=high.y {
                    for z in low.z..=high.z {
                        let near = cells.get(&I64Vec3::new(x, y, z)).into_iter().flatten().copied();
                        let close = near.filter(|&vertex| vertices[vertex as usize].distance(position) <= distance);
                        found = close.chain(found).min();
                    }
                }
            }
            indices.push(found.unwrap_or_else(|| {
                let index = vertices.len() as u32;
                vertices.push(position);
                cells.entry(cell_of(position)).or_default().push(index);
                index
            }));
        }
        self.summary.vertices_welded = positions.len() - vertices.len();
        (vertices, indices)
    }

    fn triangulate(&mut self, vertices: &[DVec3], welded: &[u32], polygons: &[Vec<u32>]) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(polygons.len());
        for polygon in polygons {
            let mut corners: Vec<u32> = polygon.iter().map(|&corner| welded[corner as usize]).collect();
            corners.dedup();
            while corners.len() > 1 && corners.first() == corners.last() {
                corners.pop();
            }
            match corners[..] {
                [a, b, c] if a != c => triangles.push([a, b, c]),
                [_, _, _, _, ..] => {
                    let points: Vec<DVec3> = corners.iter().map(|&corner| vertices[corner as usize]).collect();
                    let pieces = polygon::triangulate(&points);
                    *(if pieces.is_empty() { &mut self.summary.degenerate_dropped } else { &mut self.summary.polygons_triangulated }) += 1;
                    triangles.extend(pieces.iter().map(|piece| piece.map(|corner| corners[corner])));
                }
                _ => self.summary.degenerate_dropped += 1,
            }
        }
        triangles
    }

    /// Removes triangles of zero area. If the middle vertex of such a triangle is on an edge of a neighbour, the neighbour is split there,
    /// so that a closed mesh stays closed.
    fn split_beside_flat_triangles(&mut self, vertices: &[DVec3], triangles: &mut Vec<[u32; 3]>) {
        // A split can create another flat triangle, rarely more than once. The bound only prevents an endless loop.
        let flat_at_first = triangles.iter().filter(|&&triangle| is_flat(vertices, triangle)).count();
        for _ in 0..8 * flat_at_first {
            let Some(flat) = triangles.iter().position(|&triangle| is_flat(vertices, triangle)) else { return };
            let [a, b, middle] = longest_edge_first(vertices, triangles.remove(flat));
            self.summary.degenerate_dropped += 1;
            if middle == a || middle == b {
                continue;
            }
            let across = triangles.iter().position(|triangle| (0..3).any(|k| triangle[k] == b && triangle[(k + 1) % 3] == a));
            let Some(neighbour) = across else { continue };
            let Some(&apex) = triangles[neighbour].iter().find(|&&corner| corner != a && corner != b) else { continue };
            if apex == middle {
                // Two coincident flat triangles: both are removed.
                triangles.remove(neighbour);
                self.summary.degenerate_dropped += 1;
            } else {
                triangles[neighbour] = [b, middle, apex];
                triangles.insert(neighbour + 1, [middle, a, apex]);
            }
        }
        triangles.retain(|&triangle| !is_flat(vertices, triangle));
    }

    fn drop_duplicates(&mut self, triangles: &mut Vec<[u32; 3]>) {
        let before = triangles.len();
        let mut seen = HashSet::with_capacity(before);
        triangles.retain(|&(mut triangle)| {
            triangle.sort_unstable();
            seen.insert(triangle)
        });
        self.summary.duplicates_dropped += before - triangles.len();
    }
}

/// Whether the height over the longest edge is only a rounding error.
fn is_flat(vertices: &[DVec3], triangle: [u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
    let longest_squared = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
    (b - a).cross(c - a).length() <= FLAT * longest_squared
}

/// The same triangle with its corners rotated so that its longest edge is from the first to the second corner.
fn longest_edge_first(vertices: &[DVec3], [a, b, c]: [u32; 3]) -> [u32; 3] {
    let length = |from: u32, to: u32| vertices[from as usize].distance_squared(vertices[to as usize]);
    let (ab, bc, ca) = (length(a, b), length(b, c), length(c, a));
    if ab >= bc && ab >= ca {
        [a, b, c]
    } else if bc >= ca {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// The mesh without unused vertices; the others keep their order.
fn keep_used(vertices: &[DVec3], mut triangles: Vec<[u32; 3]>) -> TriangleMesh {
    let mut used = vec![false; vertices.len()];
    triangles.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let mut new_index = vec![0; vertices.len()];
    let mut kept = Vec::with_capacity(vertices.len());
    for (vertex, &position) in vertices.iter().enumerate().filter(|&(vertex, _)| used[vertex]) {
        new_index[vertex] = kept.len() as u32;
        kept.push(position);
    }
    triangles.iter_mut().flatten().for_each(|vertex| *vertex = new_index[*vertex as usize]);
    TriangleMesh { vertices: kept, triangles }
}
