//! Welding: vertices that coincide up to rounding become one.

use glam::{DVec3, I64Vec3};
use plimsoll_base::math::Aabb;

/// Vertices closer than this fraction of the mesh's diagonal are merged.
const WELD: f64 = 1e-9;
/// In repaired meshes also vertices closer than this fraction of the largest coordinate: twice the distance of two neighbouring numbers of single
/// precision, in which most programs write coordinates. Parts that were moved before they were written differ by that at their seams.
const SINGLE: f64 = 2.4e-7;

/// The distance up to which vertices are merged, m.
pub fn distance(positions: &[DVec3], repair: bool) -> f64 {
    let aabb = Aabb::around(positions.iter().copied());
    let diagonal = aabb.extent().length();
    let largest = aabb.min.abs().max(aabb.max.abs()).max_element();
    // A mesh far from the origin for its size must not become a point.
    let rounding = if repair { (SINGLE * largest).min(1e-3 * diagonal) } else { 0.0 };
    let distance = rounding.max(WELD * diagonal);
    if distance.is_finite() { distance } else { 0.0 }
}

/// Merges each vertex that is within `distance` (m) of an earlier one. Returns the vertices kept and the new index of each position.
pub fn weld(positions: &[DVec3], distance: f64) -> (Vec<DVec3>, Vec<u32>) {
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
    (vertices, indices)
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

#[cfg(test)]
mod tests {
    use plimsoll_base::math::Random;

    use super::*;

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
        let distance = distance(&positions, false);
        let (mut expected, mut indices) = (Vec::<DVec3>::new(), Vec::new());
        for &position in &positions {
            let first = expected.iter().position(|other| other.distance(position) <= distance);
            indices.push(first.unwrap_or(expected.len()) as u32);
            if first.is_none() {
                expected.push(position);
            }
        }
        assert!(expected.len() < positions.len() - 50, "{}", expected.len());
        assert_eq!(weld(&positions, distance), (expected, indices));
    }
}
