//! Pairs of two levels: each sphere looks down at the rows of finer cells that a ball around it meets, of each row at the cells within.
//!
//! The small ones would find the same pairs by looking up at the 27 coarse cells around them (Lu, Zhou, Feng & Gu 2008). But a large sphere fills
//! most of these cells with nothing, and a thousand small ones around it would each look for it: from above, rows are fewer than small
//! spheres, and few are tested that are not near.

use std::ops::{Range, RangeInclusive};

use glam::DVec3;

use super::{
    level_cells::Level,
    pair_finder::{FoundPairs, PairFinder, Stretch},
};
use crate::search::Sphere;

/// Added to a reach, as a share of it, so that rounding does not hide what lies on the border of a cell.
const MARGIN: f64 = 1e-9;

impl PairFinder<'_> {
    /// Pairs of the spheres at `places` of level `number` with those of finer levels; of these, the radii of the largest are `widest` (meters, by
    /// level).
    pub fn find_cross_level(&self, found: &mut FoundPairs, number: usize, places: Range<usize>, widest: &[f64]) {
        found.clear();
        for place in places {
            let sphere = self.spheres[place];
            for (level, widest) in self.cells.levels.iter().zip(widest).skip(number + 1) {
                // All rows first, then all their beginnings and ends, then all spheres: so the memory is asked for many places at once.
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

    /// Lists the parts of rows of cells that are no farther from a sphere's center than `reach` (meters).
    fn list_rows(&self, found: &mut FoundPairs, level: &Level, sphere: &Sphere, reach: f64) {
        found.rows.clear();
        // In cells from the low corner, from here on.
        let center = (sphere.center - self.cells.low) * level.inverse;
        for layer in self.span(level, 2, center.z, reach) {
            let Some((z, shift_z)) = self.wrapped(level, 2, layer) else { continue };
            let (left, half) = rest(reach * reach, gap(center.z, layer) * level.edges.z);
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

    /// Cells along an axis that are no farther than `reach` (meters) from a place (in cells); those beyond a border of a periodic axis too.
    #[inline]
    fn span(&self, level: &Level, axis: usize, place: f64, reach: f64) -> RangeInclusive<i32> {
        let reach = reach * level.inverse[axis];
        let (from, to) = (floor(place - reach), floor(place + reach));
        if self.cells.domain.periodic[axis] { from..=to } else { from.max(0)..=to.min(level.size[axis] - 1) }
    }
}

/// Distance from a place to a cell along an axis, both in cells; zero within it.
#[inline]
fn gap(place: f64, cell: i32) -> f64 {
    let cell = f64::from(cell);
    (cell - place).max(place - (cell + 1.0)).max(0.0)
}

/// What a gap along one axis leaves of a squared distance for the other axes, and its root.
#[inline]
fn rest(squared: f64, gap: f64) -> (f64, f64) {
    let left = (squared - gap * gap).max(0.0);
    (left, left.sqrt())
}

/// The whole number below, of a whole one perhaps the one before it; exact below 2^31. A few times faster than `f64::floor`, which is a
/// call where the processor is not known to have an instruction for it.
#[inline]
fn floor(value: f64) -> i32 {
    // Beside this number doubles are one apart, so adding it rounds.
    const ONE_APART: f64 = 6_755_399_441_055_744.0;
    (value - 0.5 + ONE_APART).to_bits() as i32
}
