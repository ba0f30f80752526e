//! Pairs within one level: each sphere searches the neighbouring cells that follow its own, so that each pair is found once.

use std::ops::Range;

use glam::DVec3;

use super::{
    level_cells::Level,
    pair_finder::{FoundPairs, PairFinder},
};
use crate::Sphere;

impl PairFinder<'_> {
    /// Finds the pairs of the spheres at `places` with those of the same level in the same and the following cells.
    pub fn find_same_level(&self, found: &mut FoundPairs, level: usize, places: Range<usize>) {
        found.clear();
        let level = &self.cells.levels[level];
        for place in places {
            let before = found.pairs.len();
            let sphere = self.spheres[place];
            found.widest = found.widest.max(sphere.radius);
            let cell = level.coordinates(sphere.center - self.cells.low);
            if !level.regular {
                self.look_everywhere(found, level, place, cell);
            } else if level.is_inside(cell) {
                self.look_inside(found, level, place, cell);
            } else {
                self.look_at_border(found, level, place, cell);
            }
            found.counts.push((found.pairs.len() - before) as u32);
        }
    }

    /// Searches around a cell with neighbours on all sides: five ranges of spheres, two in the plane.
    #[inline]
    fn look_inside(&self, found: &mut FoundPairs, level: &Level, place: usize, [x, y, z]: [i32; 3]) {
        let (sphere, starts) = (self.spheres[place], self.cells.starts());
        let cell = level.first + level.cell(x, y, z);
        let pair = |other| [place as u32, other];
        let (row, layer) = (level.size[0] as usize, level.size[0] as usize * level.size[1] as usize);
        let following = |row: usize| starts[cell + row - 1] as usize..starts[cell + row + 2] as usize;
        let own = place + 1..starts[cell + 2] as usize;
        let mut look = |rows: &[Range<usize>]| {
            found.searches += rows.len() as u64;
            rows.iter().for_each(|range| self.test(found, sphere, range.clone(), pair));
        };
        // All starts and ends are loaded before the first test.
        if level.size[2] > 1 {
            look(&[own, following(row), following(layer - row), following(layer), following(layer + row)]);
        } else {
            look(&[own, following(row)]);
        }
    }

    /// Searches around a cell at a border, where rows end or are wrapped.
    fn look_at_border(&self, found: &mut FoundPairs, level: &Level, place: usize, [x, y, z]: [i32; 3]) {
        let sphere = self.spheres[place];
        let pair = |other| [place as u32, other];
        let row = level.first + level.cell(0, y, z);
        // The rest of this cell, then the next cell along x.
        let end = self.cells.starts()[row + x as usize + 1] as usize;
        self.test(found, sphere, place + 1..end, pair);
        let mut look = |row: usize, columns: [i32; 2], shift_y: f64, shift_z: f64| {
            found.searches += 1;
            self.along(level, row, columns, |cells, shift_x| {
                let range = self.cells.starts()[cells.start] as usize..self.cells.starts()[cells.end] as usize;
                let moved = Sphere { center: sphere.center - DVec3::new(shift_x, shift_y, shift_z), ..sphere };
                self.test(found, moved, range, pair);
            });
        };
        look(row, [x + 1, x + 1], 0.0, 0.0);
        let rows: &[(i32, i32)] = if level.size[2] > 1 { &[(1, 0), (-1, 1), (0, 1), (1, 1)] } else { &[(1, 0)] };
        for (dy, dz) in rows {
            let Some((next_y, shift_y)) = self.wrapped(level, 1, y + dy) else { continue };
            let Some((next_z, shift_z)) = self.wrapped(level, 2, z + dz) else { continue };
            look(level.first + level.cell(0, next_y, next_z), [x - 1, x + 1], shift_y, shift_z);
        }
    }

    /// Searches along periodic axes with few cells: each distinct cell is searched once, and the nearest image counts.
    fn look_everywhere(&self, found: &mut FoundPairs, level: &Level, place: usize, at: [i32; 3]) {
        let sphere = self.spheres[place];
        let [xs, ys, zs] = self.different_cells(level, at);
        for &z in zs.iter().flatten() {
            for &y in ys.iter().flatten() {
                found.searches += 1;
                for &x in xs.iter().flatten() {
                    for other in self.cells.stretch(level.first + level.cell(0, y, z), x, x).filter(|&other| other > place) {
                        found.tests += 1;
                        let Sphere { center, radius } = self.spheres[other];
                        let limit = sphere.radius + radius + self.skin;
                        if self.cells.domain.nearest_image(center - sphere.center).length_squared() < limit * limit {
                            found.pairs.push([place as u32, other as u32]);
                        }
                    }
                }
            }
        }
    }

    /// The cell, the previous and the next one along each axis, without duplicates.
    fn different_cells(&self, level: &Level, at: [i32; 3]) -> [[Option<i32>; 3]; 3] {
        [0, 1, 2].map(|axis| {
            let mut different = [None; 3];
            for (slot, step) in [-1, 0, 1].into_iter().enumerate() {
                let cell = self.wrapped(level, axis, at[axis] + step).map(|(cell, _)| cell);
                if !different.contains(&cell) {
                    different[slot] = cell;
                }
            }
            different
        })
    }
}
