//! Brings what the next few dozen events will need from memory into the caches, all at once.
//!
//! In a large gas an event finds almost nothing of what it needs in the caches, and each address follows from the one before: it
//! waits for memory several times over. Events of one day do not depend on one another in that, so here they are gone through together,
//! step by step: many loads are under way at once. Nothing is computed, so results do not depend on it.

use std::hint::black_box;

use super::{
    queue::{BATCH, Entry},
    sphere::{Agenda, Sphere},
};
use crate::search::brick_grid::{BrickGrid, NONE, Place};

/// Fewer spheres are in the caches anyway.
const LEAST_SPHERES: usize = 16_384;
/// Cells around a sphere.
const AROUND: usize = 27;

pub struct Prefetch<'g> {
    pub spheres: &'g [Sphere],
    pub agendas: &'g [Agenda],
    pub cells: &'g BrickGrid,
}

impl Prefetch<'_> {
    /// Looks at all that the events of `batch` will look at.
    #[inline]
    pub fn of(&self, batch: &[Entry]) {
        if self.spheres.len() >= LEAST_SPHERES {
            self.of_many(batch);
        }
    }

    fn of_many(&self, batch: &[Entry]) {
        let mut searches = [[&[] as &[Place]; 3]; 2 * BATCH];
        let found = self.searches(batch, &mut searches);
        let mut firsts = [NONE; 2 * BATCH * AROUND];
        let count = self.firsts(&searches[..found], &mut firsts);
        let mut seen = 0;
        for &first in &firsts[..count] {
            seen ^= self.spheres[first as usize].next;
        }
        black_box(seen);
    }

    /// Where the spheres due will search; how many searches these are.
    fn searches<'s>(&'s self, batch: &[Entry], searches: &mut [[&'s [Place]; 3]; 2 * BATCH]) -> usize {
        let (mut found, mut pairs) = (0, 0);
        let mut partners = [(0, [0; 3]); BATCH];
        for entry in batch {
            let agenda = &self.agendas[entry.sphere as usize];
            // What was superseded needs nothing.
            if agenda.due() != entry.time {
                continue;
            }
            searches[found] = if agenda.leaves() {
                let axis = agenda.axis as usize;
                let mut entered = agenda.cell;
                entered[axis] = self.cells.beyond(entered[axis], axis, agenda.upwards).0;
                self.cells.new_around(entered, axis, agenda.upwards)
            } else {
                partners[pairs] = (agenda.partner, agenda.cell);
                pairs += 1;
                self.cells.all_around(agenda.cell)
            };
            found += 1;
        }
        // Both spheres of an impact look around.
        for &(partner, cell) in &partners[..pairs] {
            if let Some(agenda) = self.agendas.get(partner as usize) {
                searches[found] = self.cells.all_around(agenda.cell);
                found += usize::from(agenda.cell != cell);
            }
        }
        found
    }

    /// The first spheres of all cells searched; how many these are.
    fn firsts(&self, searches: &[[&[Place]; 3]], firsts: &mut [u32; 2 * BATCH * AROUND]) -> usize {
        let mut seen = 0;
        // A brick of cells is at least two wide: the corners of a search lie in all bricks that it reaches.
        for [columns, rows, layers] in searches {
            for layer in ends(layers) {
                for row in ends(rows) {
                    for column in ends(columns) {
                        seen ^= self.cells.first(layer + row + column);
                    }
                }
            }
        }
        black_box(seen);
        let mut count = 0;
        for [columns, rows, layers] in searches {
            for &(layer, _) in *layers {
                for &(row, _) in *rows {
                    for &(column, _) in *columns {
                        firsts[count] = self.cells.first(layer + row + column);
                        count += usize::from(firsts[count] != NONE);
                    }
                }
            }
        }
        count
    }
}

/// The first and the last.
#[inline]
fn ends(places: &[Place]) -> [u32; 2] {
    [places.first().map_or(0, |place| place.0), places.last().map_or(0, |place| place.0)]
}
