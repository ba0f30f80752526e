//! Brings what the events of a day will need from memory into the caches, all at once.
//!
//! In a large gas an event finds next to nothing of what it needs in the caches, and each thing it looks up tells where the next lies: it
//! waits for memory several times over. The events of a day do not depend on one another in that, so here they are gone through together,
//! step by step: many loads are under way at once. Nothing is computed, so results do not depend on it.

use std::hint::black_box;

use super::{
    cells::{Cells, NONE},
    engine::{Agenda, Sphere},
    queue::Entry,
};

/// Fewer spheres are in the caches anyway.
const LEAST_SPHERES: usize = 16_384;
/// Events gone through at once.
const BATCH: usize = 32;
/// Cells around a sphere.
const AROUND: usize = 27;

pub struct Foresight<'g> {
    pub spheres: &'g [Sphere],
    pub agendas: &'g [Agenda],
    pub cells: &'g Cells,
}

impl Foresight<'_> {
    /// Looks at all that `day` will look at.
    #[inline]
    pub fn of(&self, day: &[Entry]) {
        if self.spheres.len() >= LEAST_SPHERES {
            day.chunks(BATCH).for_each(|batch| self.of_batch(batch));
        }
    }

    fn of_batch(&self, batch: &[Entry]) {
        let mut seen = 0_u64;
        let mut due = [(Agenda::EMPTY, [0_u16; 3]); BATCH];
        let mut end = 0;
        for entry in batch {
            let (agenda, sphere) = (&self.agendas[entry.sphere as usize], &self.spheres[entry.sphere as usize]);
            due[end] = (*agenda, sphere.cell);
            // What was superseded needs nothing.
            end += usize::from(agenda.due() == entry.time);
        }
        let mut firsts = [NONE; 2 * BATCH * AROUND];
        let mut found = 0;
        // Both spheres of an impact look around.
        let mut partners = [(Agenda::EMPTY, [0_u16; 3]); BATCH];
        let mut pairs = 0;
        for &(agenda, cell) in &due[..end] {
            if let (false, Some(sphere)) = (agenda.leaves(), self.spheres.get(agenda.partner as usize)) {
                seen ^= u64::from(self.agendas[agenda.partner as usize].partner);
                partners[pairs] = (Agenda::EMPTY, sphere.cell);
                pairs += usize::from(sphere.cell != cell);
            }
        }
        for &(agenda, cell) in due[..end].iter().chain(&partners[..pairs]) {
            let around = if agenda.leaves() {
                let axis = agenda.axis as usize;
                let mut entered = cell;
                entered[axis] = self.cells.beyond(cell[axis], axis, agenda.upwards).0;
                self.cells.new_around(entered, axis, agenda.upwards)
            } else {
                self.cells.all_around(cell)
            };
            for &(layer, _) in around[2].as_slice() {
                for &(row, _) in around[1].as_slice() {
                    for &(column, _) in around[0].as_slice() {
                        firsts[found] = self.cells.first(layer + row + column);
                        found += usize::from(firsts[found] != NONE);
                    }
                }
            }
        }
        for &first in &firsts[..found] {
            seen ^= self.spheres[first as usize].time.to_bits() ^ u64::from(self.cells.after(first));
        }
        black_box(seen);
    }
}
