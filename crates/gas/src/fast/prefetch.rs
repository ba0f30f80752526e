//! Loads the memory that the next few dozen events will need into the caches, all at once.
//!
//! In a large gas almost all data of an event are cache misses, and each address depends on the previous load, so an event waits for memory
//! several times in sequence. The addresses of events of one day do not depend on one another. Here these events are processed together,
//! stage by stage, so that many loads are in flight at once. Nothing is computed, so results do not depend on it.

use std::hint::black_box;

use plimsoll_search::brick_grid::{BrickGrid, NONE, Place};

use super::{
    queue::{BATCH, Entry},
    sphere::{Agenda, Sphere},
};

/// Fewer spheres fit in the caches anyway.
const MIN_SPHERES: usize = 16_384;
/// Cells around a sphere, including its own.
const AROUND: usize = 27;

pub struct Prefetch<'g> {
    pub spheres: &'g [Sphere],
    pub agendas: &'g [Agenda],
    pub cells: &'g BrickGrid,
}

impl Prefetch<'_> {
    /// Reads everything that the events of `batch` will read.
    #[inline]
    pub fn of(&self, batch: &[Entry]) {
        if self.spheres.len() >= MIN_SPHERES {
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

    /// Collects the cells that the due spheres will search; returns the number of searches.
    fn searches<'s>(&'s self, batch: &[Entry], searches: &mut [[&'s [Place]; 3]; 2 * BATCH]) -> usize {
        let (mut found, mut pairs) = (0, 0);
        let mut partners = [(0, [0; 3]); BATCH];
        for entry in batch {
            let agenda = &self.agendas[entry.sphere as usize];
            // Superseded events need no data.
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
        // Both spheres of an impact search for their next one.
        for &(partner, cell) in &partners[..pairs] {
            if let Some(agenda) = self.agendas.get(partner as usize) {
                searches[found] = self.cells.all_around(agenda.cell);
                found += usize::from(agenda.cell != cell);
            }
        }
        found
    }

    /// Collects the first spheres of all searched cells; returns their number.
    fn firsts(&self, searches: &[[&[Place]; 3]], firsts: &mut [u32; 2 * BATCH * AROUND]) -> usize {
        let mut seen = 0;
        // A brick is at least two cells wide, so the corner cells of a search touch every brick that it overlaps.
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

/// The first and the last place.
#[inline]
fn ends(places: &[Place]) -> [u32; 2] {
    [places.first().map_or(0, |place| place.0), places.last().map_or(0, |place| place.0)]
}
