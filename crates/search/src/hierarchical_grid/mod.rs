//! Hierarchical grid for spheres of very different sizes: as many levels as reduce the cost, with each sphere on the finest level whose
//! cells can contain it.
//!
//! A sphere is tested against spheres on its own level, in its own cell and the neighbouring cells that follow it ([`same_level`]), and
//! against spheres in the cells within its cutoff on each finer level ([`cross_level`]). Each pair is therefore found once. The adjacent
//! cells are sufficient because `(d1 + d2)/2` is at most the edge of a cell. The levels are those of Lu, Zhou, Feng & Gu (2008, J. Xi'an
//! Jiaotong Univ. 42, 304-307), where small spheres search coarser levels instead. Cell edges follow the maximum diameter on each level and
//! are not powers of two: slightly too large cells cost more than a division saves.

mod cross_level;
mod level_cells;
mod level_plan;
mod pair_finder;
mod pair_list;
mod same_level;

use crate::Sphere;
use plimsoll_base::math::Domain;
use rayon::prelude::*;

pub use level_cells::LevelCells;
pub use level_plan::{LevelChoice, LevelPlan, MAX_LEVELS, SearchCost};
pub use pair_list::PairList;

/// Cells and pairs, reused from search to search.
#[derive(Clone, Debug)]
pub struct HierarchicalGrid {
    /// The levels.
    pub plan: LevelPlan,
    /// Spheres sorted by level and cell.
    pub cells: LevelCells,
    /// The pairs found last.
    pub list: PairList,
}

impl HierarchicalGrid {
    /// Creates an empty grid.
    pub fn new(plan: LevelPlan, domain: Domain) -> Self {
        Self { plan, cells: LevelCells::new(domain), list: PairList::default() }
    }

    /// Sorts `spheres` by level and cell; [`HierarchicalGrid::order`] then returns their order. Along periodic axes, they must be inside
    /// the box.
    pub fn sort(&mut self, spheres: &[Sphere]) {
        self.cells.sort(spheres, &self.plan);
    }

    /// The index of the sphere at each position in the order, among the last sorted spheres.
    pub fn order(&self) -> &[u32] {
        self.cells.order()
    }

    /// Finds all pairs closer than the sum of their radii and the plan's skin. `spheres` must be in the order of the last sort.
    pub fn find_pairs(&mut self, spheres: &[Sphere]) {
        self.list.rebuild(&self.cells, spheres, self.plan.skin);
    }

    /// Finds all overlapping pairs among `padded`: the spheres in the order of the last sort, with radii enlarged by up to half of the
    /// plan's skin.
    pub fn find_overlaps(&mut self, padded: &[Sphere]) {
        self.list.rebuild(&self.cells, padded, 0.0);
    }

    /// Whether the last sorted spheres were already in order.
    pub fn is_in_order(&self) -> bool {
        self.cells.in_order
    }

    /// Reorders `values`, one per sphere.
    pub fn reorder<T: Copy + Send + Sync>(&self, values: &mut Vec<T>, scratch: &mut Vec<T>) {
        assert_eq!(values.len(), self.cells.order().len(), "one value per sphere");
        let source: &[T] = values;
        self.cells.order().par_iter().with_min_len(8192).map(|&sphere| source[sphere as usize]).collect_into_vec(scratch);
        std::mem::swap(values, scratch);
    }

    /// Searches and tests that the cost model predicts for `spheres` with the cells of the last sort, if they were uniformly distributed.
    pub fn expected(&self, spheres: &[Sphere]) -> SearchCost {
        let size = self.cells.levels.first().map_or(self.cells.domain.size, |level| level.extent());
        self.plan.expected(spheres, &Domain { size, ..self.cells.domain }, &self.cells.edges())
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.cells.memory() + self.list.memory()
    }
}
