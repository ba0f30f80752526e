//! Search for nearby pairs of outlines in the plane: four broad-phase searches with the same result, pairs of indices.
//!
//! Every search finds at least the pairs whose outlines are within the cutoff, by which box tests are inflated. [`VoxelGrid`] also uses the
//! outlines themselves if their boxes fit badly.

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

/// Method of the pair search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchMethod {
    /// All pairs of boxes.
    Enumeration,
    /// Boxes sorted by their ends along one axis.
    DoubleEndedSort,
    /// A quadtree updated as the boxes move.
    Quadtree,
    /// A voxel grid that stores boxes, or the edges of complex outlines.
    #[default]
    VoxelGrid,
}

impl SearchMethod {
    /// All methods.
    pub const ALL: [Self; 4] = [Self::Enumeration, Self::DoubleEndedSort, Self::Quadtree, Self::VoxelGrid];

    /// Name as used in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enumeration => "enumeration",
            Self::DoubleEndedSort => "double_ended_sort",
            Self::Quadtree => "quadtree",
            Self::VoxelGrid => "voxel_grid",
        }
    }
}

/// One of the four searches, with the state that it keeps between calls. The state affects the time and the number of tests of a call, never
/// its pairs.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// `cell_size` (m) is the side of a voxel; if absent, it is derived from the median block.
    pub fn new(method: SearchMethod, cell_size: Option<f64>) -> Self {
        match method {
            SearchMethod::Enumeration => Self::Enumeration(Enumeration::default()),
            SearchMethod::DoubleEndedSort => Self::DoubleEndedSort(DoubleEndedSort::default()),
            SearchMethod::Quadtree => Self::Quadtree(DynamicQuadtree::default()),
            SearchMethod::VoxelGrid => Self::VoxelGrid(Box::new(VoxelGrid::new(cell_size))),
        }
    }

    /// Fills `pairs` with the candidates `[i, j]`, `i < j`, each once, in unspecified order; returns the number of box tests. The
    /// candidates include all outlines within `cutoff` (m) of each other.
    pub fn find(&mut self, outlines: &Outlines, cutoff: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        pairs.clear();
        match self {
            Self::Enumeration(search) => search.find(outlines, cutoff, pairs),
            Self::DoubleEndedSort(search) => search.find(outlines, cutoff, pairs),
            Self::Quadtree(search) => search.find(outlines, cutoff, pairs),
            Self::VoxelGrid(search) => search.find(outlines, cutoff, pairs),
        }
    }
}
