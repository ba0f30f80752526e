//! Which outlines in the plane come near each other: four searches over boxes with one result, pairs of indices.
//!
//! Every search finds at least the pairs whose outlines come within the reach; box tests are inflated by it. [`VoxelGrid`] knows the outlines
//! themselves where boxes say little.

mod brute_force;
mod complexity;
mod double_ended_sort;
mod enumeration;
mod outlines;
mod quadtree;
mod supercover;
mod verlet_list;
mod voxel_grid;

use serde::{Deserialize, Serialize};

pub use brute_force::{outline_distance, pairs_within};
pub use complexity::is_complex;
pub use double_ended_sort::DoubleEndedSort;
pub use enumeration::Enumeration;
pub use outlines::Outlines;
pub use quadtree::DynamicQuadtree;
pub use supercover::cells_of_segment;
pub use voxel_grid::VoxelGrid;

/// How pairs are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchMethod {
    /// All pairs of boxes.
    Enumeration,
    /// Boxes sorted by their ends along one axis.
    DoubleEndedSort,
    /// A quadtree that follows the boxes.
    Quadtree,
    /// A grid of voxels that boxes, or the edges of complex outlines, enter.
    #[default]
    VoxelGrid,
}

impl SearchMethod {
    /// All methods.
    pub const ALL: [Self; 4] = [Self::Enumeration, Self::DoubleEndedSort, Self::Quadtree, Self::VoxelGrid];

    /// In words, as a scene has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enumeration => "enumeration",
            Self::DoubleEndedSort => "double_ended_sort",
            Self::Quadtree => "quadtree",
            Self::VoxelGrid => "voxel_grid",
        }
    }
}

/// A search of one of the four kinds, with what it keeps from one call to the next; that changes how long a call takes, never its result.
#[derive(Clone, Debug)]
pub enum PairSearch {
    /// See [`SearchMethod::Enumeration`].
    Enumeration(Enumeration),
    /// See [`SearchMethod::DoubleEndedSort`].
    DoubleEndedSort(DoubleEndedSort),
    /// See [`SearchMethod::Quadtree`].
    Quadtree(DynamicQuadtree),
    /// See [`SearchMethod::VoxelGrid`].
    VoxelGrid(Box<VoxelGrid>),
}

impl PairSearch {
    /// `cell_size` (m) is the side of a voxel; absent if it is to follow from the median block.
    pub fn new(method: SearchMethod, cell_size: Option<f64>) -> Self {
        match method {
            SearchMethod::Enumeration => Self::Enumeration(Enumeration::default()),
            SearchMethod::DoubleEndedSort => Self::DoubleEndedSort(DoubleEndedSort::default()),
            SearchMethod::Quadtree => Self::Quadtree(DynamicQuadtree::default()),
            SearchMethod::VoxelGrid => Self::VoxelGrid(Box::new(VoxelGrid::new(cell_size))),
        }
    }

    /// Fills `pairs` with the candidates `[i, j]`, `i < j`, each once, in no particular order; returns the number of box tests. No two
    /// outlines that come within `reach` (m) of each other are left out.
    pub fn find(&mut self, outlines: &Outlines, reach: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        pairs.clear();
        match self {
            Self::Enumeration(search) => search.find(outlines, reach, pairs),
            Self::DoubleEndedSort(search) => search.find(outlines, reach, pairs),
            Self::Quadtree(search) => search.find(outlines, reach, pairs),
            Self::VoxelGrid(search) => search.find(outlines, reach, pairs),
        }
    }
}
