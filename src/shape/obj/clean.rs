//! Conversion of the polygons of a file to triangles with shared vertices: welding, triangulation, removal of degenerate and duplicate
//! triangles.

use glam::{DVec3, I64Vec3};
use rayon::prelude::*;

use super::{summary::ImportSummary, text::Polygons};
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

    pub(super) fn clean(mut self, positions: &[DVec3], polygons: &Polygons) -> TriangleMesh {
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
        let mut cells = Chains::new(positions.len());
        let mut vertices: Vec<DVec3> = Vec::with_capacity(positions.len());
        let mut indices = Vec::with_capacity(positions.len());
        for &position in positions {
            let (low, high) = (cell_of(position - distance), cell_of(position + distance));
            let mut found: Option<u32> = None;
            for x in low.x..=high.x {
                for y in low.y..=high.y {
                    for z in low.z..=high.z {
                        // Vertices of other cells with the same hash are farther away.
                        let near = cells.of(hash([x, y, z].map(|coordinate| coordinate as u64)));
                        let close = near.filter(|&vertex| vertices[vertex as usize].distance(position) <= distance);
                        found = close.chain(found).min();
                    }
                }
            }
            indices.push(found.unwrap_or_else(|| {
                let index = vertices.len() as u32;
                vertices.push(position);
                let I64Vec3 { x, y, z } = cell_of(position);
                cells.push(hash([x, y, z].map(|coordinate| coordinate as u64)));
                index
            }));
        }
        self.summary.vertices_welded = positions.len() - vertices.len();
        (vertices, indices)
    }

    fn triangulate(&mut self, vertices: &[DVec3], welded: &[u32], polygons: &Polygons) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(polygons.len());
        let mut corners: Vec<u32> = Vec::new();
        for polygon in polygons.iter() {
            corners.clear();
            corners.extend(polygon.iter().map(|&corner| welded[corner as usize]));
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
        let flat_at_first = triangles.par_iter().filter(|&&triangle| is_flat(vertices, triangle)).count();
        if flat_at_first == 0 {
            return;
        }
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
        let mut chains = Chains::new(before);
        let mut seen: Vec<[u32; 3]> = Vec::with_capacity(before);
        triangles.retain(|&(mut triangle)| {
            triangle.sort_unstable();
            let hash = hash(triangle.map(u64::from));
            let is_new = !chains.of(hash).any(|other| seen[other as usize] == triangle);
            if is_new {
                chains.push(hash);
                seen.push(triangle);
            }
            is_new
        });
        self.summary.duplicates_dropped += before - triangles.len();
    }
}

/// Numbers 0, 1, 2, … by the hash of what they stand for, in one table of linked lists.
struct Chains {
    /// For each hash, the last number; `NONE` if there is none.
    last: Vec<u32>,
    /// For each number, the one before it with the same place in the table.
    before: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Chains {
    /// For about `count` numbers.
    fn new(count: usize) -> Self {
        Self { last: vec![NONE; (2 * count).next_power_of_two()], before: Vec::with_capacity(count) }
    }

    fn place(&self, hash: u64) -> usize {
        hash as usize & (self.last.len() - 1)
    }

    /// Adds the next number.
    fn push(&mut self, hash: u64) {
        let (place, number) = (self.place(hash), self.before.len() as u32);
        self.before.push(self.last[place]);
        self.last[place] = number;
    }

    /// The numbers with this hash, and some others, the last first.
    fn of(&self, hash: u64) -> impl Iterator<Item = u32> {
        let known = |number: u32| (number != NONE).then_some(number);
        std::iter::successors(known(self.last[self.place(hash)]), move |&number| known(self.before[number as usize]))
    }
}

/// Mixes three numbers (the finalizer of SplitMix64 after each).
fn hash(numbers: [u64; 3]) -> u64 {
    numbers.into_iter().fold(0, |hash: u64, number| {
        let mut mixed = (hash ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn vertices_are_welded_to_the_first_one_nearby() {
        let mut random = Random::new(2);
        let mut positions: Vec<DVec3> = Vec::new();
        for index in 0..400 {
            // Some coincide with an earlier one, up to 1.7 times the distance at which vertices are merged, and some are in the corners of cells.
            let near = positions.get((random.uniform() * 2.0 * f64::from(index)) as usize).copied();
            let jitter = 2.0 * WELD * 3.0_f64.sqrt() * (random.point() - 0.5);
            positions.push(near.map_or_else(|| random.point(), |near| near + jitter));
        }
        positions.extend([DVec3::ZERO, DVec3::ONE, -1e-10 * DVec3::X]);
        let distance = WELD * Aabb::around(positions.iter().copied()).extent().length();
        let (mut expected, mut indices) = (Vec::<DVec3>::new(), Vec::new());
        for &position in &positions {
            let first = expected.iter().position(|other| other.distance(position) <= distance);
            indices.push(first.unwrap_or(expected.len()) as u32);
            if first.is_none() {
                expected.push(position);
            }
        }
        assert!(expected.len() < positions.len() - 50, "{}", expected.len());
        assert_eq!(Cleaner::new(&mut ImportSummary::default()).weld(&positions), (expected, indices));
    }
}
