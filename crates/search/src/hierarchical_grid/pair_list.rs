//! List of all nearby pairs of spheres, each once: every sphere searches forward on its own level, and down on each finer level.

use std::ops::Range;

use plimsoll_base::math::{parallel::InTasks, prefix_sum};
use rayon::prelude::*;

use super::{
    level_cells::LevelCells,
    pair_finder::{FoundPairs, PairFinder},
};
use crate::{Sphere, concatenate};

/// Number of spheres per task of the forward search. Task sizes are fixed, so that the order of pairs does not depend on the number of
/// threads.
const SPHERES_PER_TASK: usize = 2048;
/// Approximate number of cell rows per task of the downward search.
const ROWS_PER_TASK: f64 = 4096.0;

/// Pairs of places, sorted by the first, and the cost of finding them.
#[derive(Clone, Debug, Default)]
pub struct PairList {
    /// Places of the first and second sphere in the order of the cells. The second is on the same level or a coarser one.
    pub pairs: Vec<[u32; 2]>,
    /// Index of the first pair of each first sphere; the number of pairs at the end.
    pub starts: Vec<u32>,
    /// Number of cell rows searched.
    pub searches: u64,
    /// Number of pairs whose distance was tested.
    pub tests: u64,
    /// Pairs within one level, by ranges of spheres, and pairs across levels.
    level: Vec<FoundPairs>,
    across: Vec<FoundPairs>,
    ends: Vec<u32>,
}

/// A range of spheres of one level for one task.
struct Task {
    level: usize,
    places: Range<usize>,
}

impl PairList {
    /// Finds all pairs closer than the sum of their radii and `skin` (meters) among `spheres`, which must be in the order of `cells`.
    pub fn rebuild(&mut self, cells: &LevelCells, spheres: &[Sphere], skin: f64) {
        let finder = PairFinder { cells, spheres, skin };
        let tasks = tasks(cells, |_| SPHERES_PER_TASK);
        self.level.resize_with(tasks.len(), FoundPairs::default);
        self.level
            .par_iter_mut()
            .zip(&tasks)
            .in_tasks(1)
            .for_each(|(found, task)| finder.find_same_level(found, task.level, task.places.clone()));
        let mut widest = vec![0.0_f64; cells.levels.len()];
        for (found, task) in self.level.iter().zip(&tasks) {
            widest[task.level] = widest[task.level].max(found.widest);
        }
        self.across.clear();
        if widest.len() > 1 {
            let tasks = tasks_down(&finder, &widest);
            self.across.resize_with(tasks.len(), FoundPairs::default);
            self.across
                .par_iter_mut()
                .zip(&tasks)
                .for_each(|(found, task)| finder.find_cross_level(found, task.level, task.places.clone(), &widest));
        }
        let found = || self.level.iter().chain(&self.across);
        self.searches = found().map(|found| found.searches).sum();
        self.tests = found().map(|found| found.tests).sum();
        self.gather(spheres.len());
    }

    /// Combines the results of all tasks into one list; for each first sphere, pairs on its own level come first.
    fn gather(&mut self, count: usize) {
        self.starts.clear();
        self.starts.reserve(count + 1);
        self.starts.push(0);
        self.starts.extend(self.level.iter().flat_map(|found| &found.counts));
        for [first, _] in self.across.iter().flat_map(|found| &found.pairs) {
            self.starts[*first as usize + 1] += 1;
        }
        prefix_sum(&mut self.starts);
        if self.across.is_empty() {
            concatenate(&self.level, |found| &found.pairs, &mut Vec::new(), &mut self.pairs);
            return;
        }
        self.pairs.resize(self.starts[count] as usize, [0; 2]);
        self.ends.clear();
        self.ends.extend_from_slice(&self.starts[1..]);
        // Filling from the end keeps the order for each first sphere.
        for pair in self.across.iter().rev().flat_map(|found| found.pairs.iter().rev()) {
            let end = &mut self.ends[pair[0] as usize];
            *end -= 1;
            self.pairs[*end as usize] = *pair;
        }
        self.fill_level();
    }

    /// Copies the pairs within one level to the start of each sphere's range.
    fn fill_level(&mut self) {
        let (mut rest, mut starts, mut done) = (self.pairs.as_mut_slice(), self.starts.as_slice(), 0);
        let stretch = |found| {
            let FoundPairs { counts, .. }: &FoundPairs = found;
            let own = starts;
            starts = &starts[counts.len()..];
            let (begin, end) = (done, starts[0]);
            done = end;
            (found, own, begin, rest.split_off_mut(..(end - begin) as usize).expect("starts within the pairs"))
        };
        let stretches: Vec<_> = self.level.iter().map(stretch).collect();
        stretches.into_par_iter().in_tasks(1).for_each(|(found, starts, begin, target)| {
            let mut pairs = found.pairs.as_slice();
            for (count, start) in found.counts.iter().zip(starts) {
                let own = pairs.split_off(..*count as usize).expect("counts of the pairs");
                target[(start - begin) as usize..][..own.len()].copy_from_slice(own);
            }
        });
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        let found: usize = self.level.iter().chain(&self.across).map(FoundPairs::memory).sum();
        8 * self.pairs.capacity() + 4 * (self.starts.capacity() + self.ends.capacity()) + found
    }
}

/// All spheres, level by level, divided into ranges of a given length for each level.
fn tasks(cells: &LevelCells, length: impl Fn(usize) -> usize) -> Vec<Task> {
    let cut = |level: usize| {
        let (range, length) = (cells.places(level), length(level));
        let end = range.end;
        range.step_by(length).map(move |start| Task { level, places: start..(start + length).min(end) })
    };
    (0..cells.levels.len()).flat_map(cut).collect()
}

/// Tasks for the spheres on levels that have finer levels.
fn tasks_down(finder: &PairFinder, widest: &[f64]) -> Vec<Task> {
    let cells = finder.cells;
    let rows = |level: usize| (level + 1..widest.len()).map(|finer| cells.levels[finer].rows(widest[level] + widest[finer])).sum::<f64>();
    let mut tasks = tasks(cells, |level| (ROWS_PER_TASK / rows(level).max(1.0)).ceil() as usize);
    tasks.retain(|task| task.level + 1 < widest.len());
    tasks
}
