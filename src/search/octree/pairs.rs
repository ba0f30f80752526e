//! All pairs of spheres near each other, each once: every sphere looks forwards on its own level and all around on each coarser one.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::{
    cells::{Cells, Level},
    space::Sphere,
};
use crate::search::concatenate;

/// Spheres that one task handles; fixed, so that the order of pairs does not depend on the number of threads.
const SPHERES_PER_TASK: usize = 2048;

/// Pairs of places, sorted by the first, and what it took to find them.
#[derive(Clone, Debug, Default)]
pub struct PairList {
    /// First and second sphere, as places in the order of the cells. The second is on the same level or a coarser one.
    pub pairs: Vec<[u32; 2]>,
    /// Where the pairs of each first sphere begin, and their number at the end.
    pub starts: Vec<u32>,
    /// Cells looked at.
    pub searches: u64,
    /// Pairs whose distance was tested.
    pub tests: u64,
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    pairs: Vec<[u32; 2]>,
    counts: Vec<u32>,
    searches: u64,
    tests: u64,
    /// Of each coarser level.
    near: Vec<Surroundings>,
}

/// The spheres of a coarser level around the coarse cell that a sphere is in: the same for several fine spheres in a row.
#[derive(Clone, Debug, Default)]
struct Surroundings {
    cell: Option<[i32; 3]>,
    spheres: Vec<(Sphere, u32)>,
    cells: u64,
}

impl PairList {
    /// Finds all pairs nearer than the sum of their radii and `skin` (metres) among `spheres`, which are in the order of `cells`.
    pub fn rebuild(&mut self, cells: &Cells, spheres: &[Sphere], skin: f64) {
        let levels: Vec<Range<usize>> = (0..cells.levels.len()).map(|level| cells.places(level)).collect();
        let chunks = |range: &Range<usize>| (range.start..range.end).step_by(SPHERES_PER_TASK);
        let ranges: Vec<(usize, Range<usize>)> = levels
            .iter()
            .enumerate()
            .flat_map(|(level, range)| chunks(range).map(move |start| (level, start..(start + SPHERES_PER_TASK).min(range.end))))
            .collect();
        self.tasks.resize_with(ranges.len(), Task::default);
        let finder = Finder { cells, spheres, skin };
        self.tasks.par_iter_mut().zip(&ranges).for_each(|(task, (level, range))| finder.fill(task, *level, range.clone()));
        self.gather(spheres.len());
    }

    fn gather(&mut self, count: usize) {
        self.starts.clear();
        self.starts.reserve(count + 1);
        self.starts.push(0);
        let mut total = 0;
        (self.searches, self.tests) = (0, 0);
        for task in &self.tasks {
            self.searches += task.searches;
            self.tests += task.tests;
            for &pairs in &task.counts {
                total += pairs;
                self.starts.push(total);
            }
        }
        concatenate(self.tasks.iter().map(|task| task.pairs.as_slice()), &mut self.pairs);
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let tasks: usize = self.tasks.iter().map(|task| 8 * task.pairs.capacity() + 4 * task.counts.capacity()).sum();
        8 * self.pairs.capacity() + 4 * self.starts.capacity() + tasks
    }
}

struct Finder<'a> {
    cells: &'a Cells,
    spheres: &'a [Sphere],
    skin: f64,
}

/// A row of up to three cells along x that wraps round at most once.
struct Row {
    y: i32,
    z: i32,
    from: i32,
    to: i32,
    /// What is to be added to the positions of the spheres in it, apart from a turn along x.
    shift: DVec3,
}

impl Finder<'_> {
    fn fill(&self, task: &mut Task, level: usize, range: Range<usize>) {
        task.pairs.clear();
        task.counts.clear();
        (task.searches, task.tests) = (0, 0);
        task.near.resize_with(level, Surroundings::default);
        task.near.iter_mut().for_each(|near| near.cell = None);
        let regular = self.cells.levels[..=level].iter().all(|level| level.regular);
        for place in range {
            let before = task.pairs.len();
            if regular {
                self.look_forwards(task, level, place);
                if level > 0 {
                    self.look_up(task, level, place);
                }
            } else {
                self.look_everywhere(task, level, place);
            }
            task.counts.push((task.pairs.len() - before) as u32);
        }
    }

    /// Pairs with spheres of the same level in the same and the following cells.
    #[inline]
    fn look_forwards(&self, task: &mut Task, number: usize, place: usize) {
        let level = &self.cells.levels[number];
        let sphere = self.spheres[place];
        let [x, y, z] = level.coordinates(sphere.center - self.cells.low);
        if level.is_inside([x, y, z]) {
            self.look_forwards_inside(task, level, place, level.first + level.cell(x, y, z));
            return;
        }
        // The rest of the own cell, and the next along x.
        let row = level.first + level.cell(0, y, z);
        if x + 1 < level.size[0] {
            let end = self.cells.starts[row + x as usize + 2] as usize;
            self.test(task, place, sphere, place + 1..end);
            task.searches += 2;
        } else {
            let end = self.cells.starts[row + x as usize + 1] as usize;
            self.test(task, place, sphere, place + 1..end);
            task.searches += 1;
            if self.cells.space.periodic[0] {
                let moved = Sphere { center: sphere.center - DVec3::X * self.cells.space.size.x, ..sphere };
                self.test(task, place, moved, self.cells.stretch(row, 0, 0));
                task.searches += 1;
            }
        }
        let around = |y: i32, z: i32, shift: DVec3| Row { y, z, from: x - 1, to: x + 1, shift };
        if let Some((next, shift)) = self.neighbour(level, 1, y + 1) {
            self.look_along(task, level, place, &around(next, z, shift));
        }
        let Some((next_z, shift_z)) = (level.size[2] > 1).then(|| self.neighbour(level, 2, z + 1)).flatten() else { return };
        for dy in -1..=1 {
            if let Some((next_y, shift)) = self.neighbour(level, 1, y + dy) {
                self.look_along(task, level, place, &around(next_y, next_z, shift + shift_z));
            }
        }
    }

    /// The same from `cell` of the table, all around which there are others.
    #[inline]
    fn look_forwards_inside(&self, task: &mut Task, level: &Level, place: usize, cell: usize) {
        let (sphere, starts) = (self.spheres[place], &self.cells.starts);
        self.test(task, place, sphere, place + 1..starts[cell + 2] as usize);
        let (row, layer) = (level.size[0] as usize, level.size[0] as usize * level.size[1] as usize);
        let rows: &[usize] = if level.size[2] > 1 { &[row, layer - row, layer, layer + row] } else { &[row] };
        for row in rows {
            self.test(task, place, sphere, starts[cell + row - 1] as usize..starts[cell + row + 2] as usize);
        }
        task.searches += 2 + 3 * rows.len() as u64;
    }

    /// The row or layer `cell` along `axis`, wrapped round, and the shift of what is in it; nothing beyond a border.
    #[inline]
    fn neighbour(&self, level: &Level, axis: usize, cell: i32) -> Option<(i32, DVec3)> {
        let size = level.size[axis];
        if (0..size).contains(&cell) {
            return Some((cell, DVec3::ZERO));
        }
        if !self.cells.space.periodic[axis] {
            return None;
        }
        let mut shift = DVec3::ZERO;
        let turn = if cell < 0 { -1.0 } else { 1.0 };
        shift[axis] = turn * self.cells.space.size[axis];
        Some((cell - turn as i32 * size, shift))
    }

    /// Tests the sphere against those in a row of cells.
    #[inline]
    fn look_along(&self, task: &mut Task, level: &Level, place: usize, row: &Row) {
        let own = self.spheres[place];
        self.along(level, row, |range, shift, cells| {
            task.searches += cells;
            self.test(task, place, Sphere { center: own.center - shift, ..own }, range);
        });
    }

    /// The stretches of spheres that make up a row, with their shifts and numbers of cells.
    #[inline]
    fn along(&self, level: &Level, row: &Row, mut visit: impl FnMut(Range<usize>, DVec3, u64)) {
        let first = level.first + level.cell(0, row.y, row.z);
        let last = level.size[0] - 1;
        let (from, to) = (row.from.max(0), row.to.min(last));
        visit(self.cells.stretch(first, from, to), row.shift, (to - from + 1) as u64);
        if self.cells.space.periodic[0] {
            let length = DVec3::X * self.cells.space.size.x;
            if row.from < 0 {
                visit(self.cells.stretch(first, last, last), row.shift - length, 1);
            }
            if row.to > last {
                visit(self.cells.stretch(first, 0, 0), row.shift + length, 1);
            }
        }
    }

    #[inline]
    fn test(&self, task: &mut Task, place: usize, sphere: Sphere, range: Range<usize>) {
        task.tests += range.len() as u64;
        let reach = sphere.radius + self.skin;
        let first = range.start;
        for (offset, other) in self.spheres[range].iter().enumerate() {
            let limit = reach + other.radius;
            if sphere.center.distance_squared(other.center) < limit * limit {
                task.pairs.push([place as u32, (first + offset) as u32]);
            }
        }
    }

    /// Pairs with spheres of coarser levels.
    fn look_up(&self, task: &mut Task, number: usize, place: usize) {
        let sphere = self.spheres[place];
        let (offset, reach) = (sphere.center - self.cells.low, sphere.radius + self.skin);
        for (level, near) in self.cells.levels[..number].iter().zip(&mut task.near) {
            let at = level.coordinates(offset);
            if near.cell != Some(at) {
                self.gather(near, level, at);
            }
            task.searches += near.cells;
            task.tests += near.spheres.len() as u64;
            for (other, index) in &near.spheres {
                let limit = reach + other.radius;
                if sphere.center.distance_squared(other.center) < limit * limit {
                    task.pairs.push([place as u32, *index]);
                }
            }
        }
    }

    /// The rows of cells around a cell.
    #[inline]
    fn rows_around(&self, level: &Level, [x, y, z]: [i32; 3], mut visit: impl FnMut(&Row)) {
        let flat = level.size[2] == 1 && !self.cells.space.periodic[2];
        for dz in if flat { 0..=0 } else { -1..=1 } {
            let Some((next_z, shift_z)) = self.neighbour(level, 2, z + dz) else { continue };
            for dy in -1..=1 {
                let Some((next_y, shift_y)) = self.neighbour(level, 1, y + dy) else { continue };
                visit(&Row { y: next_y, z: next_z, from: x - 1, to: x + 1, shift: shift_y + shift_z });
            }
        }
    }

    /// Gathers the spheres around cell `at` of a level.
    fn gather(&self, near: &mut Surroundings, level: &Level, at: [i32; 3]) {
        near.cell = Some(at);
        near.spheres.clear();
        near.cells = 0;
        self.rows_around(level, at, |row| {
            self.along(level, row, |range, shift, cells| {
                near.cells += cells;
                let moved = |index: usize| {
                    let Sphere { center, radius } = self.spheres[index];
                    (Sphere { center: center + shift, radius }, index as u32)
                };
                near.spheres.extend(range.map(moved));
            });
        });
    }

    /// As the others together, where cells are few along a periodic axis: each different cell is looked at once, and of images the nearest counts.
    fn look_everywhere(&self, task: &mut Task, number: usize, place: usize) {
        let sphere = self.spheres[place];
        let offset = sphere.center - self.cells.low;
        for (index, level) in self.cells.levels[..=number].iter().enumerate() {
            let [xs, ys, zs] = self.different_cells(level, level.coordinates(offset));
            for &z in zs.iter().flatten() {
                for &y in ys.iter().flatten() {
                    for &x in xs.iter().flatten() {
                        task.searches += 1;
                        for other in self.cells.stretch(level.first + level.cell(0, y, z), x, x) {
                            if index < number || other > place {
                                task.tests += 1;
                                self.test_nearest_image(task, place, sphere, other);
                            }
                        }
                    }
                }
            }
        }
    }

    fn test_nearest_image(&self, task: &mut Task, place: usize, sphere: Sphere, other: usize) {
        let Sphere { center, radius } = self.spheres[other];
        let limit = sphere.radius + radius + self.skin;
        if self.cells.space.nearest_image(center - sphere.center).length_squared() < limit * limit {
            task.pairs.push([place as u32, other as u32]);
        }
    }

    /// The cell, the one before and the one after along each axis, each once.
    fn different_cells(&self, level: &Level, at: [i32; 3]) -> [[Option<i32>; 3]; 3] {
        [0, 1, 2].map(|axis| {
            let mut found = [None; 3];
            for (slot, step) in [-1, 0, 1].into_iter().enumerate() {
                let cell = self.neighbour(level, axis, at[axis] + step).map(|(cell, _)| cell);
                if !found.contains(&cell) {
                    found[slot] = cell;
                }
            }
            found
        })
    }
}
