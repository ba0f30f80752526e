//! Pairs across levels: each sphere searches the rows of finer cells that intersect a ball around it, and in each row only the cells within
//! the ball.
//!
//! The small spheres would find the same pairs if each searched the 27 coarse cells around it (Lu, Zhou, Feng & Gu 2008). But most of these
//! cells are empty, because one large sphere fills their space, and each of a thousand small spheres around it would search for it. Seen
//! from the large sphere, there are fewer rows than small spheres, and few of the tested spheres are not near.

use std::ops::{Range, RangeInclusive};

use glam::DVec3;

use super::{
    level_cells::Level,
    pair_finder::{FoundPairs, PairFinder, Stretch},
};
use crate::Sphere;

/// Relative enlargement of a cutoff, to avoid missing spheres on the border of a cell by rounding.
const MARGIN: f64 = 1e-9;

impl PairFinder<'_> {
    /// Finds pairs of the spheres at `places` of level `number` with those of finer levels. `widest` is the maximum radius on each level
    /// (m).
    pub fn find_cross_level(&self, found: &mut FoundPairs, number: usize, places: Range<usize>, widest: &[f64]) {
        found.clear();
        for place in places {
            let sphere = self.spheres[place];
            for (level, widest) in self.cells.levels.iter().zip(widest).skip(number + 1) {
                // First all rows, then all their starts and ends, then all spheres, so that many memory loads are in flight at once.
                self.list_rows(found, level, &sphere, (sphere.radius + self.skin + widest) * (1.0 + MARGIN));
                let mut rows = std::mem::take(&mut found.rows);
                for row in &mut rows {
                    (row.from, row.to) = (self.cells.starts()[row.from as usize], self.cells.starts()[row.to as usize]);
                }
                for row in &rows {
                    let moved = Sphere { center: sphere.center - row.shift, ..sphere };
                    self.test(found, moved, row.from as usize..row.to as usize, |other| [other, place as u32]);
                }
                found.rows = rows;
            }
        }
    }

    /// Lists the parts of cell rows no farther than `cutoff` (meters) from a sphere's center.
    fn list_rows(&self, found: &mut FoundPairs, level: &Level, sphere: &Sphere, cutoff: f64) {
        found.rows.clear();
        // From here on, coordinates are in units of cells, relative to the lowest corner.
        let center = (sphere.center - self.cells.low) * level.inverse;
        for layer in self.span(level, 2, center.z, cutoff) {
            let Some((z, shift_z)) = self.wrapped(level, 2, layer) else { continue };
            let (left, half) = rest(cutoff * cutoff, gap(center.z, layer) * level.edges.z);
            for row in self.span(level, 1, center.y, half) {
                let Some((y, shift_y)) = self.wrapped(level, 1, row) else { continue };
                let (_, half) = rest(left, gap(center.y, row) * level.edges.y);
                let columns = self.span(level, 0, center.x, half);
                found.searches += 1;
                let rows = &mut found.rows;
                self.along(level, level.first + level.cell(0, y, z), [*columns.start(), *columns.end()], |cells, shift_x| {
                    rows.push(Stretch { from: cells.start as u32, to: cells.end as u32, shift: DVec3::new(shift_x, shift_y, shift_z) });
                });
            }
        }
    }

    /// Cells along an axis no farther than `cutoff` (meters) from a coordinate (in cells), including those beyond a border of a periodic
    /// axis.
    #[inline]
    fn span(&self, level: &Level, axis: usize, place: f64, cutoff: f64) -> RangeInclusive<i32> {
        let cutoff = cutoff * level.inverse[axis];
        let (from, to) = (floor(place - cutoff), floor(place + cutoff));
        if self.cells.domain.periodic[axis] { from..=to } else { from.max(0)..=to.min(level.size[axis] - 1) }
    }
}

/// Distance from a coordinate to a cell along an axis, both in cells; zero inside the cell.
#[inline]
fn gap(place: f64, cell: i32) -> f64 {
    let cell = f64::from(cell);
    (cell - place).max(place - (cell + 1.0)).max(0.0)
}

/// Squared distance that remains for the other axes after a gap along one axis, and its square root.
#[inline]
fn rest(squared: f64, gap: f64) -> (f64, f64) {
    let left = (squared - gap * gap).max(0.0);
    (left, left.sqrt())
}

/// Floor function; for an integer it may return the integer below. Exact below 2^31. A few times faster than `f64::floor`, which is a
/// function call if the target CPU is not known to have an instruction for it.
#[inline]
fn floor(value: f64) -> i32 {
    // Around this number, the spacing of doubles is one, so the addition rounds to an integer.
    const ONE_APART: f64 = 6_755_399_441_055_744.0;
    (value - 0.5 + ONE_APART).to_bits() as i32
}
