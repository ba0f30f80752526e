//! The cells around a slab-cut ball.

use plimsoll_base::math::parallel::{InTasks, TASK};
use plimsoll_search::{CellCoordinate, CellGrid, CellRow, reuse};
use plimsoll_shape::SlabCutBall;
use rayon::prelude::*;

/// Rounding tolerance, in cells.
const ROUNDING: f64 = 1e-9;

/// Cells added to each side of the region of static bodies when it grows.
const MARGIN: i32 = 8;

/// The search for the cells of one ball is too short for a task of its own.
const BALLS_PER_TASK: usize = 16;

/// Input of the search for a ball's cells.
pub(super) struct CellSearch<'a> {
    pub grid: &'a CellGrid,
    /// m
    pub distance: f64,
    /// Other cells are left out; they have no particles.
    pub region: CellBox,
}

/// The cells between two corners, which are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellBox {
    first: CellCoordinate,
    last: CellCoordinate,
}

impl CellBox {
    const NONE: Self = Self { first: CellCoordinate::MAX, last: CellCoordinate::MIN };
    const ALL: Self = Self { first: CellCoordinate::MIN, last: CellCoordinate::MAX };

    /// The box around the occupied cells; everything in a periodic domain, where particles are also near the images of bodies.
    pub fn occupied(grid: &CellGrid) -> Self {
        if grid.layout().is_periodic() {
            return Self::ALL;
        }
        let at = |cell| Self { first: grid.coordinate(cell), last: grid.coordinate(cell) };
        (0..grid.cell_count()).into_par_iter().with_min_len(TASK).map(at).reduce(|| Self::NONE, Self::union)
    }

    fn union(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    pub fn contains(&self, other: &Self) -> bool {
        self.union(*other) == *self
    }

    /// Whether any of the cells from `first` to `last` is in the box.
    pub fn meets(&self, first: CellCoordinate, last: CellCoordinate) -> bool {
        first.cmple(self.last).all() && last.cmpge(self.first).all()
    }

    /// The box with half its size, and at least [`MARGIN`] cells, more on each side.
    pub fn grown(self) -> Self {
        let more = (self.last.saturating_sub(self.first) / 2).max(CellCoordinate::splat(MARGIN));
        Self { first: self.first.saturating_sub(more), last: self.last.saturating_add(more) }
    }
}

/// Cells stored for a ball, as ranges along x.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptCells {
    pub rows: Vec<CellRow>,
    /// Number of cells in the ball's index range.
    pub visited: u64,
}

impl CellSearch<'_> {
    /// Finds the cells of each ball.
    pub fn find_cells<'k>(&self, balls: &[SlabCutBall], buffers: &'k mut Vec<KeptCells>) -> &'k [KeptCells] {
        let kept = reuse(buffers, balls.len());
        kept.par_iter_mut().zip(balls).in_tasks(BALLS_PER_TASK).for_each(|(kept, ball)| self.keep_cells(ball, kept));
        kept
    }

    /// Finds the cells around `ball` within its widened sphere and planes.
    fn keep_cells(&self, ball: &SlabCutBall, kept: &mut KeptCells) {
        let layout = self.grid.layout();
        let widening = self.distance + 0.5 * layout.size.length();
        let (first, last) = layout.cells_around(ball.center, ball.radius + self.distance);
        let visited = (last - first + 1).as_u64vec3();
        kept.visited = visited.x * visited.y * visited.z;
        kept.rows.clear();
        let (first, last) = (first.max(self.region.first), last.min(self.region.last));
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                let [offset, across, up] = (layout.center(CellCoordinate::new(0, y, z)) - ball.center).to_array();
                let Some((from, to)) = ball.chord(across, up, widening) else { continue };
                // All cells of the row with centers on the chord. Rounding may add one at either end but never removes one.
                let cell = |x: f64| (x - offset) / layout.size.x;
                let from = ((cell(from) - ROUNDING).ceil() as i32).max(first.x);
                let to = ((cell(to) + ROUNDING).floor() as i32).min(last.x);
                if from <= to {
                    kept.rows.push(CellRow { first: CellCoordinate::new(from, y, z), length: to - from + 1 });
                }
            }
        }
    }
}
