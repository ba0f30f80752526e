//! Event queue: a calendar queue that returns the sphere that is due next.
//!
//! Time is divided into days of equal width. Events of the current day are in a sorted list, and events added to it later in a heap. For
//! the days of the coming year, only the spheres are stored, in blocks of one cache line. Later events are in a separate list, which is
//! scanned twice a year. An insertion therefore touches one entry of a small table and one entry of a block, whatever the number of
//! spheres; a removal costs a share of sorting a day (Paul 2007, with a heap for the day). Days hold at least 64 events, or half the square
//! root of the number of events if this is more, so that the table of days stays in the caches with everything else. A sphere has one due
//! time at a time. Nothing is ever removed early: if a sphere has been rescheduled to another day, the stale entry is detected by its time
//! when its day comes.
//!
//! Entries are returned in order of time, and equal times in order of sphere index, independent of the width of a day.

use std::{cmp::Ordering, collections::BinaryHeap};

/// Minimum number of events intended per day.
const MIN_EVENTS_PER_DAY: f64 = 64.0;
/// Number of upcoming events of a day that are passed to `show` at once.
pub const BATCH: usize = 64;
/// The year lasts this many times the mean time until an event.
const YEAR: f64 = 4.0;
const MIN_DAYS: usize = 16;
/// Numbers in a block: the previous block, then spheres.
const BLOCK: usize = 16;

/// A sphere and its due time, clock seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub time: f64,
    pub sphere: u32,
}

impl Eq for Entry {}

impl Ord for Entry {
    /// Reversed order: the standard library's heap returns the maximum first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(other.sphere.cmp(&self.sphere))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    days_per_second: f64,
    today: u64,
    /// Events of the current day, the earliest last.
    hours: Vec<Entry>,
    /// How many of them, counted from the end, have been passed to `show`.
    shown: usize,
    /// Events added to the current day since it began.
    added: BinaryHeap<Entry>,
    /// Ring buffer: day `d` of the coming year has index `d` modulo the length. The value is the index in `blocks` for its next sphere;
    /// zero if the day is empty, a multiple of `BLOCK` if its last block is full.
    days: Vec<u32>,
    blocks: Vec<u32>,
    /// Free blocks, by start index.
    free: Vec<u32>,
    /// Spheres in `days`.
    waiting: usize,
    later: Vec<u32>,
}

impl EventQueue {
    /// Creates a queue for `count` spheres from the time `start` on. Half of them are due within `ahead` seconds.
    pub fn new(count: usize, start: f64, ahead: f64) -> Self {
        // The length of a day and the table of days grow at the same rate.
        let events_a_day = MIN_EVENTS_PER_DAY.max(0.5 * (count as f64).sqrt());
        let days = (YEAR * count as f64 / events_a_day).ceil() as usize;
        let days = days.max(MIN_DAYS).next_power_of_two();
        let width = events_a_day * ahead / count.max(1) as f64;
        let days_per_second = if width.is_finite() && width > 0.0 { 1.0 / width } else { 1.0 };
        // The first block is never used, because zero means no block.
        let mut queue = Self { days_per_second, days: vec![0; days], blocks: vec![0; BLOCK], ..Self::default() };
        queue.today = queue.day(start);
        queue
    }

    #[inline]
    fn day(&self, time: f64) -> u64 {
        // The cast saturates, so an infinite time also has a day.
        (time * self.days_per_second) as u64
    }

    /// Adds an event. Its time must be neither negative nor NaN.
    #[inline]
    pub fn push(&mut self, entry: Entry) {
        let day = self.day(entry.time);
        if day <= self.today {
            self.added.push(entry);
        } else if day - self.today < self.days.len() as u64 {
            let place = day as usize & (self.days.len() - 1);
            let mut at = self.days[place] as usize;
            if at.is_multiple_of(BLOCK) {
                at = self.begin_block(at);
            }
            self.blocks[at] = entry.sphere;
            self.days[place] = at as u32 + 1;
            self.waiting += 1;
        } else {
            self.later.push(entry.sphere);
        }
    }

    /// Begins a block after the one that ends at `end`, or the first block of a day if `end` is zero. Returns the index for its first
    /// sphere.
    fn begin_block(&mut self, end: usize) -> usize {
        let block = self.free.pop().unwrap_or_else(|| {
            self.blocks.resize(self.blocks.len() + BLOCK, 0);
            (self.blocks.len() - BLOCK) as u32
        });
        self.blocks[block as usize] = end as u32;
        block as usize + 1
    }

    /// Removes the earliest event if it is due by `limit`. `due` returns the due time of a sphere. `show` is called with the next events of
    /// the day before they are returned.
    #[inline]
    pub fn pop(&mut self, limit: f64, due: impl Fn(u32) -> f64, show: impl Fn(&[Entry])) -> Option<Entry> {
        loop {
            let (first, added) = (self.hours.last(), self.added.peek());
            // Earlier entries compare greater, and `None` is the minimum.
            if let Some(next) = first.max(added) {
                if next.time > limit {
                    return None;
                }
                if first < added {
                    return self.added.pop();
                }
                if self.shown == 0 {
                    self.shown = self.hours.len().min(BATCH);
                    show(&self.hours[self.hours.len() - self.shown..]);
                }
                self.shown -= 1;
                return self.hours.pop();
            }
            if self.day(limit) <= self.today || !self.turn_page(&due) {
                return None;
            }
        }
    }

    /// Advances to the next day that may have events; returns false if there is none.
    fn turn_page(&mut self, due: impl Fn(u32) -> f64) -> bool {
        if self.waiting == 0 {
            let coming = self.later.iter().map(|&sphere| due(sphere)).filter(|time| time.is_finite());
            let Some(first) = coming.min_by(f64::total_cmp) else { return false };
            self.today = self.day(first);
            self.sort_later(due);
            return true;
        }
        self.today += 1;
        let length = self.days.len();
        if (self.today as usize).is_multiple_of(length / 2) {
            self.sort_later(&due);
        }
        let mut end = std::mem::take(&mut self.days[self.today as usize & (length - 1)]) as usize;
        while end > 0 {
            let block = (end - 1) / BLOCK * BLOCK;
            for at in block + 1..end {
                let entry = Entry { time: due(self.blocks[at]), sphere: self.blocks[at] };
                if self.day(entry.time) == self.today {
                    self.hours.push(entry);
                }
            }
            self.waiting -= end - block - 1;
            self.free.push(block as u32);
            end = self.blocks[block] as usize;
        }
        self.hours.sort_unstable();
        true
    }

    /// Moves the later events that are now within the year to their days.
    fn sort_later(&mut self, due: impl Fn(u32) -> f64) {
        let mut later = std::mem::take(&mut self.later);
        later.sort_unstable();
        later.dedup();
        let entries = later.into_iter().map(|sphere| Entry { time: due(sphere), sphere });
        entries.filter(|entry| entry.time.is_finite()).for_each(|entry| self.push(entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spheres_come_out_in_order_whatever_the_width_of_a_day() {
        for interval in [1e-6, 1e-3, 1.0, f64::INFINITY] {
            let mut queue = EventQueue::new(100, 0.0, interval);
            let mut state = 1_u64;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f64 / f64::from(1 << 24)
            };
            let mut due: Vec<f64> = (0..100).map(|_| next() * 1e-3).collect();
            // Two spheres that are due long after all others, at the same time.
            due.extend([1e9, 1e9]);
            let earliest = |due: &[f64]| (0..due.len()).min_by(|&a, &b| due[a].total_cmp(&due[b])).expect("a sphere");
            (0..).zip(&due).for_each(|(sphere, &time)| queue.push(Entry { time, sphere }));
            let mut taken = 0;
            while taken < 5000 {
                let Some(found) = queue.pop(f64::INFINITY, |sphere| due[sphere as usize], |_| ()) else { panic!("{taken} taken") };
                // A stale entry: the sphere has been postponed or moved forward since.
                if due[found.sphere as usize] != found.time {
                    continue;
                }
                let expected = earliest(&due);
                assert_eq!((found.sphere as usize, found.time), (expected, due[expected]));
                taken += 1;
                let mut put = |sphere: usize| {
                    let lead = next();
                    due[sphere] = found.time + if lead < 0.1 { 0.0 } else { lead * lead * 0.01 };
                    queue.push(Entry { time: due[sphere], sphere: sphere as u32 });
                    next()
                };
                let other = put(expected);
                put((other * 100.0) as usize);
            }
            assert_eq!(queue.pop(0.0, |sphere| due[sphere as usize], |_| ()), None);
            assert!(due[100..].iter().all(|&time| time == 1e9));
        }
    }

    #[test]
    fn days_far_ahead_are_reached_in_order() {
        let due = [5.0, 1e-9, 3.0, 1e9, 1e9, 2e4];
        let mut queue = EventQueue::new(6, 0.0, 1e-6);
        (0..).zip(due).for_each(|(sphere, time)| queue.push(Entry { time, sphere }));
        let taken = std::iter::from_fn(|| queue.pop(f64::INFINITY, |sphere| due[sphere as usize], |_| ()));
        assert_eq!(taken.map(|entry| entry.sphere).collect::<Vec<_>>(), [1, 2, 0, 5, 3, 4]);
    }
}
