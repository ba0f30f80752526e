//! Spheres of very different sizes: a linear octree of as many levels as pay, each sphere on the level whose cells just hold it.
//!
//! A sphere looks for others among the cells around it on its own level, forwards only, and down at the cells within its reach on each finer
//! level: so each pair is found once. As `(d1 + d2)/2` is at most the edge of a cell, the cells next to its own are enough. Levels are
//! those of Lu, Zhou, Feng & Gu (2008, J. Xi'an Jiaotong Univ. 42, 304-307), where small spheres look up instead. Edges follow the largest
//! diameter on each level, not powers of two: cells that are a little too large cost more than a division saves.

mod cells;
mod down;
mod finder;
mod forwards;
mod pairs;
mod plan;
mod space;

use rayon::prelude::*;

pub use cells::Cells;
pub use pairs::PairList;
pub use plan::{LevelChoice, LevelPlan, MOST_LEVELS, SearchCost};
pub use space::{Space, Sphere};

/// Cells and pairs, kept from search to search.
#[derive(Clone, Debug)]
pub struct Octree {
    /// Which sphere belongs to which level.
    pub plan: LevelPlan,
    /// Spheres sorted by level and cell.
    pub cells: Cells,
    /// The pairs last found.
    pub list: PairList,
}

impl Octree {
    /// Nothing sorted and nothing found yet.
    pub fn new(plan: LevelPlan, space: Space) -> Self {
        Self { plan, cells: Cells::new(space), list: PairList::default() }
    }

    /// Sorts `spheres` by level and cell; [`Octree::order`] says which sphere belongs at each place. Along periodic axes they are within
    /// the box.
    pub fn sort(&mut self, spheres: &[Sphere]) {
        self.cells.sort(spheres, &self.plan);
    }

    /// For each place the sphere, among those last sorted, that belongs there.
    pub fn order(&self) -> &[u32] {
        &self.cells.order
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
        assert_eq!(values.len(), self.cells.order.len(), "one value a sphere");
        let source: &[T] = values;
        self.cells.order.par_iter().with_min_len(8192).map(|&sphere| source[sphere as usize]).collect_into_vec(scratch);
        std::mem::swap(values, scratch);
    }

    /// Searches and tests that the cost model expects of `spheres` with the cells of the last sorting, were they spread evenly over them.
    pub fn expected(&self, spheres: &[Sphere]) -> SearchCost {
        let size = self.cells.levels.first().map_or(self.cells.space.size, |level| level.extent());
        self.plan.expected(spheres, &Space { size, ..self.cells.space }, &self.cells.edges())
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.cells.memory() + self.list.memory()
    }
}
