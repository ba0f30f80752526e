//! Pairs of two levels: each sphere looks down at the rows of finer cells that a ball around it meets, of each row at the cells within.
//!
//! The small ones would find the same pairs by looking up at the 27 coarse cells around them (Lu, Zhou, Feng & Gu 2008). But a large sphere fills
//! most of these cells with nothing, and a thousand small ones around it would each look for it: from above, rows are fewer than small
//! spheres, and few are tested that are not near.

use std::ops::{Range, RangeInclusive};

use super::{
    cells::Level,
    finder::{Finder, Found},
    space::Sphere,
};

/// Added to a reach, as a share of it, so that rounding does not hide what lies on the border of a cell.
const MARGIN: f64 = 1e-9;

impl Finder<'_> {
    /// Pairs of the spheres at `places` of level `number` with those of finer levels; of these, the radii of the largest are `widest` (metres, by
    /// level).
    pub fn look_down(&self, found: &mut Found, number: usize, places: Range<usize>, widest: &[f64]) {
        found.clear();
        for place in places {
            let sphere = self.spheres[place];
            for (level, widest) in self.cells.levels.iter().zip(widest).skip(number + 1) {
                let reach = sphere.radius + self.skin + widest;
                self.look_at_rows(found, level, place, reach * (1.0 + MARGIN));
            }
        }
    }

    /// Tests a sphere against those in the cells of a level that are no farther than `reach` (metres). All rows first and then all their
    /// spheres, so that the processor waits for many places of the memory at once.
    fn look_at_rows(&self, found: &mut Found, level: &Level, place: usize, reach: f64) {
        let sphere = self.spheres[place];
        let mut rows = std::mem::take(&mut found.rows);
        rows.clear();
        let center = sphere.center - self.cells.low;
        for layer in self.span(level, 2, center.z, reach) {
            let Some((z, shift_z)) = self.wrapped(level, 2, layer) else { continue };
            let left = rest(reach * reach, level.gap(2, layer, center.z));
            for row in self.span(level, 1, center.y, left.sqrt()) {
                let Some((y, shift_y)) = self.wrapped(level, 1, row) else { continue };
                let columns = self.span(level, 0, center.x, rest(left, level.gap(1, row, center.y)).sqrt());
                found.searches += 1;
                let shift = shift_y + shift_z;
                self.along(level, level.first + level.cell(0, y, z), [*columns.start(), *columns.end()], |cells, turn| {
                    rows.push((cells, shift + turn));
                });
            }
        }
        for (range, _) in &mut rows {
            *range = self.cells.starts[range.start] as usize..self.cells.starts[range.end] as usize;
        }
        let near = rows.iter().map(|(range, _)| self.spheres.get(range.start).map_or(0.0, |s| s.radius)).fold(0.0, f64::max);
        std::hint::black_box(near);
        for (range, shift) in &rows {
            self.test(found, Sphere { center: sphere.center - *shift, ..sphere }, range.clone(), |other| [other, place as u32]);
        }
        found.rows = rows;
    }

    /// Cells along an axis that are no farther than `reach` (metres) from a place; those beyond a border of a periodic axis too.
    #[inline]
    fn span(&self, level: &Level, axis: usize, place: f64, reach: f64) -> RangeInclusive<i32> {
        let last = level.size[axis] - 1;
        let cell = |place: f64| {
            let scaled = place * level.inverse[axis];
            let whole = scaled as i32;
            whole - i32::from(f64::from(whole) > scaled)
        };
        let (from, to) = (cell(place - reach), cell(place + reach));
        if self.cells.space.periodic[axis] { from..=to } else { from.max(0)..=to.min(last) }
    }
}

/// What a gap along one axis leaves of a squared distance for the other axes.
#[inline]
fn rest(squared: f64, gap: f64) -> f64 {
    (squared - gap * gap).max(0.0)
}
