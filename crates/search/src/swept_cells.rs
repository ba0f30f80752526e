//! Swept cells: cells of the periodic box, each with the clusters whose paths during a step cross it.
//!
//! A cluster is entered into every cell that overlaps the box around its swept bounding sphere, from now to the end of the step. Two
//! clusters that may collide therefore share a cell, whatever their sizes and speeds. Entries of clusters that have changed remain; an age
//! counter marks them as stale.

use glam::{DVec3, I64Vec3, UVec3};
use plimsoll_base::math::round_down;

/// End of a linked list.
const NONE: u32 = u32::MAX;

/// Maximum number of cells along an axis.
const MAX_CELLS: f64 = 256.0;

/// The cells of a periodic box and the clusters in each.
#[derive(Clone, Debug, Default)]
pub struct SweptCells {
    /// Number of cells along each axis.
    count: u32,
    /// Reciprocal of the cell width, 1/m.
    inverse: f64,
    heads: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    cluster: u32,
    age: u32,
    next: u32,
}

/// The cells that overlap an axis-aligned box: the first cell, and the number along each axis.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    first: UVec3,
    counts: UVec3,
}

impl SweptCells {
    /// Empties the cells and makes them at least `width` (m) wide, in a box with edges of `side` (m).
    pub fn clear(&mut self, side: f64, width: f64) {
        self.count = (side / width).floor().clamp(1.0, MAX_CELLS) as u32;
        self.inverse = f64::from(self.count) / side;
        self.heads.clear();
        self.heads.resize((self.count as usize).pow(3), NONE);
        self.entries.clear();
    }

    /// Enters `cluster`, which has changed `age` times, into all cells that overlap the box from `low` to `high` (m).
    pub fn insert(&mut self, cluster: u32, age: u32, low: DVec3, high: DVec3) {
        self.meet(cluster, age, low, high, |_| {});
    }

    /// Enters `cluster` like [`Self::insert`], and calls `met` for each cluster already in its cells, once for each shared cell.
    #[inline]
    pub fn meet(&mut self, cluster: u32, age: u32, low: DVec3, high: DVec3, mut met: impl FnMut(u32)) {
        let Stretch { first, counts } = self.stretch(low, high);
        let (heads, entries) = (&mut self.heads, &mut self.entries);
        walk(self.count, first, counts, |cell| {
            let mut place = heads[cell];
            let entry = Entry { cluster, age, next: place };
            heads[cell] = entries.len() as u32;
            entries.push(entry);
            while place != NONE {
                let entry = entries[place as usize];
                met(entry.cluster);
                place = entry.next;
            }
        });
    }

    /// Sets `found` to all clusters in cells that overlap the box from `low` to `high` (m), without duplicates, sorted. `ages` determines
    /// which entries are still valid.
    pub fn collect(&self, low: DVec3, high: DVec3, ages: &[u32], found: &mut Vec<u32>) {
        found.clear();
        let Stretch { first, counts } = self.stretch(low, high);
        walk(self.count, first, counts, |cell| {
            let mut place = self.heads[cell];
            while place != NONE {
                let entry = self.entries[place as usize];
                if ages[entry.cluster as usize] == entry.age {
                    found.push(entry.cluster);
                }
                place = entry.next;
            }
        });
        found.sort_unstable();
        found.dedup();
    }

    fn stretch(&self, low: DVec3, high: DVec3) -> Stretch {
        let (first, last) = (round_down(low * self.inverse), round_down(high * self.inverse));
        let count = i64::from(self.count);
        let wrap = |cell: i64| if (0..count).contains(&cell) { cell } else { cell.rem_euclid(count) };
        let first_inside = I64Vec3::new(wrap(first.x), wrap(first.y), wrap(first.z));
        Stretch { first: first_inside.as_uvec3(), counts: (last - first + 1).min(I64Vec3::splat(count)).as_uvec3() }
    }
}

/// Visits `counts` cells from `first` along each axis, in a periodic grid with `count` cells per axis.
#[inline]
fn walk(count: u32, first: UVec3, counts: UVec3, mut visit: impl FnMut(usize)) {
    let wrap = |place: u32| if place >= count { place - count } else { place };
    for z in 0..counts.z {
        let layer = wrap(first.z + z) * count;
        for y in 0..counts.y {
            let row = (layer + wrap(first.y + y)) * count;
            for x in 0..counts.x {
                visit((row + wrap(first.x + x)) as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::Random;

    use super::*;

    #[test]
    fn boxes_that_touch_have_a_cell_in_common() {
        let side = 7.0;
        let mut random = Random::new(5);
        let mut boxes = Vec::new();
        for _ in 0..150 {
            let low = random.point() * side - 0.5;
            boxes.push((low, low + random.point() * if boxes.len() % 20 == 0 { 9.0 } else { 1.5 }));
        }
        for width in [0.3, 1.0, 3.0, 8.0] {
            let mut cells = SweptCells::default();
            cells.clear(side, width);
            let ages = vec![0; boxes.len()];
            let (mut met, mut found) = (vec![Vec::new(); boxes.len()], Vec::new());
            for (index, &(low, high)) in (0..).zip(&boxes) {
                cells.meet(index, 0, low, high, |other| met[other as usize].push(index));
            }
            for (index, &(low, high)) in boxes.iter().enumerate() {
                cells.collect(low, high, &ages, &mut found);
                met[index].dedup();
                assert!(found.iter().copied().filter(|&other| other as usize > index).eq(met[index].iter().copied()));
                for (other, &(other_low, other_high)) in boxes.iter().enumerate() {
                    let touches = |axis: usize| {
                        (-3..=3).any(|k| {
                            let shift = f64::from(k) * side;
                            other_low[axis] + shift <= high[axis] && low[axis] <= other_high[axis] + shift
                        })
                    };
                    assert!(!(0..3).all(touches) || found.contains(&(other as u32)), "{index} {other} {width}");
                }
            }
        }
    }
}
