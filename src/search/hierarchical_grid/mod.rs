//! Hierarchical grid for spheres of very different sizes: as many levels as pay, each sphere on the level whose cells just hold it.
//!
//! A sphere is tested against those in the cells around it on its own level that follow its own ([`same_level`]), and against those in the
//! cells within its reach on each finer level ([`cross_level`]): so each pair is found once. As `(d1 + d2)/2` is at most the edge of a cell, the cells next to its own are enough. Levels are
//! those of Lu, Zhou, Feng & Gu (2008, J. Xi'an Jiaotong Univ. 42, 304-307), where small spheres look up instead. Edges follow the largest
//! diameter on each level, not powers of two: cells that are a little too large cost more than a division saves.

mod cross_level;
mod level_cells;
mod level_plan;
mod pair_finder;
mod pair_list;
mod same_level;

use crate::{math::Domain, search::Sphere};
use rayon::prelude::*;

pub use level_cells::LevelCells;
pub use level_plan::{LevelChoice, LevelPlan, MOST_LEVELS, SearchCost};
pub use pair_list::PairList;

/// Cells and pairs, kept from search to search.
#[derive(Clone, Debug)]
pub struct HierarchicalGrid {
    /// Which sphere belongs to which level.
    pub plan: LevelPlan,
    /// Spheres sorted by level and cell.
    pub cells: LevelCells,
    /// The pairs last found.
    pub list: PairList,
}

impl HierarchicalGrid {
    /// Nothing sorted and nothing found yet.
    pub fn new(plan: LevelPlan, domain: Domain) -> Self {
        Self { plan, cells: LevelCells::new(domain), list: PairList::default() }
    }

    /// Sorts `spheres` by level and cell; [`HierarchicalGrid::order`] says which sphere belongs at each place. Along periodic axes they are within
    /// the box.
    pub fn sort(&mut self, spheres: &[Sphere]) {
        self.cells.sort(spheres, &self.plan);
    }

    /// For each place the sphere, among those last sorted, that belongs there.
    pub fn order(&self) -> &[u32] {
        self.cells.order()
    }

    /// Finds all pairs nearer than the sum of their radii and the plan's skin; `spheres` are in the order of the last sorting.
    pub fn find_pairs(&mut self, spheres: &[Sphere]) {
        self.list.rebuild(&self.cells, spheres, self.plan.skin);
    }

    /// Finds all pairs that overlap among `padded`: the spheres in the order of the last sorting, each with a radius larger by up to half of the
    /// plan's skin.
    pub(crate) fn find_overlaps(&mut self, padded: &[Sphere]) {
        self.list.rebuild(&self.cells, padded, 0.0);
    }

    /// Whether the spheres last sorted were in order already.
    pub(crate) fn is_in_order(&self) -> bool {
        self.cells.in_order
    }

    /// Brings `values`, one a sphere, into the order.
    pub fn reorder<T: Copy + Send + Sync>(&self, values: &mut Vec<T>, scratch: &mut Vec<T>) {
        assert_eq!(values.len(), self.cells.order().len(), "one value a sphere");
        let source: &[T] = values;
        self.cells.order().par_iter().with_min_len(8192).map(|&sphere| source[sphere as usize]).collect_into_vec(scratch);
        std::mem::swap(values, scratch);
    }

    /// Searches and tests that the cost model expects of `spheres` with the cells of the last sorting, were they spread evenly over them.
    pub fn expected(&self, spheres: &[Sphere]) -> SearchCost {
        let size = self.cells.levels.first().map_or(self.cells.domain.size, |level| level.extent());
        self.plan.expected(spheres, &Domain { size, ..self.cells.domain }, &self.cells.edges())
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.cells.memory() + self.list.memory()
    }
}
