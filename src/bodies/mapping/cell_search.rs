//! The cells around a slab-cut ball.

use rayon::prelude::*;

use crate::{
    search::{CellCoordinate, CellGrid, CellRow, reuse},
    shape::SlabCutBall,
};

/// Rounding tolerance, in cells.
const ROUNDING: f64 = 1e-9;

/// Input of the search for a ball's cells.
pub(super) struct CellSearch<'a> {
    pub grid: &'a CellGrid,
    /// m
    pub distance: f64,
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
        kept.par_iter_mut().zip(balls).for_each(|(kept, ball)| self.keep_cells(ball, kept));
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
