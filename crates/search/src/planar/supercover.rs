//! The supercover of a segment: every grid cell that it touches, including at edges and corners.
//!
//! A traversal from crossing to crossing (Amanatides & Woo 1987) misses a segment inside one cell, along a grid line or through a corner.
//! Here the range of `y` of the segment is computed for each column of cells, which covers all of these cases.

use glam::{DVec2, IVec2};

/// Calls `visit` with the coordinates of every cell of side `size` (m; cell (0, 0) begins at `origin`) whose closed square touches the
/// segment from `a` to `b`, widened by `cutoff` on all sides. Due to rounding, it may also visit a cell that the segment narrowly misses.
/// Cells are visited column by column, each once.
pub fn cells_of_segment(ends: [DVec2; 2], cutoff: f64, origin: DVec2, size: f64, mut visit: impl FnMut(IVec2)) {
    let [a, b] = if ends[0].x <= ends[1].x { ends } else { [ends[1], ends[0]] };
    // Slightly more than the cutoff, so that a segment touching a grid line is in both cells regardless of rounding.
    let cutoff = cutoff + 1e-9 * size;
    let cell = |coordinate: f64, origin: f64| ((coordinate - origin) / size).floor() as i32;
    let (first, last) = (cell(a.x - cutoff, origin.x), cell(b.x + cutoff, origin.x));
    let slope = if b.x > a.x { (b.y - a.y) / (b.x - a.x) } else { 0.0 };
    for column in first..=last {
        // The part of the segment within the cutoff of this column.
        let left = origin.x + f64::from(column) * size - cutoff;
        let right = left + size + 2.0 * cutoff;
        let (low, high) = if b.x - a.x > 1e-12 * size {
            let height = |x: f64| a.y + slope * (x.clamp(a.x, b.x) - a.x);
            let (one, other) = (height(left), height(right));
            (one.min(other), one.max(other))
        } else {
            (a.y.min(b.y), a.y.max(b.y))
        };
        for row in cell(low - cutoff, origin.y)..=cell(high + cutoff, origin.y) {
            visit(IVec2::new(column, row));
        }
    }
}
