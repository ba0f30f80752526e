//! Which sphere is due next: a calendar of coming events with a small heap for the day at hand.
//!
//! Time is cut into days of equal width. Events of the day at hand lie in a heap, those of the days of the coming year in one list a day,
//! later ones in a list of their own, looked through once a year. So adding and taking cost the same however many spheres there are
//! (Paul 2007). Nothing is ever removed: an entry that no longer holds is told from its time by whoever takes it.
//!
//! Entries come out in the order of their times, equal times in the order of the spheres, whatever the width of a day.

use std::{cmp::Ordering, collections::BinaryHeap};

/// Events wanted in a day.
const EVENTS_A_DAY: f64 = 16.0;
/// The year lasts this many times the mean time that an event lies ahead.
const YEAR: f64 = 8.0;
const LEAST_DAYS: usize = 16;

/// A sphere and when it is due, seconds of the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub time: f64,
    pub sphere: u32,
}

impl Eq for Entry {}

impl Ord for Entry {
    /// The earlier is the greater, as a heap of the standard library gives the greatest first.
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
    /// Of the day at hand.
    today: u64,
    heap: BinaryHeap<Entry>,
    /// A ring: day `d` of the coming year is at `d` modulo the length.
    days: Vec<Vec<Entry>>,
    /// Entries in `days`.
    waiting: usize,
    later: Vec<Entry>,
}

impl EventQueue {
    /// For `count` spheres, from the time `start` on, of which half are due within `ahead` seconds.
    pub fn new(count: usize, start: f64, ahead: f64) -> Self {
        let days = (YEAR * count as f64 / EVENTS_A_DAY).ceil() as usize;
        let days = days.max(LEAST_DAYS).next_power_of_two();
        let width = EVENTS_A_DAY * ahead / count.max(1) as f64;
        let days_per_second = if width.is_finite() && width > 0.0 { 1.0 / width } else { 1.0 };
        let mut queue = Self { days_per_second, days: vec![Vec::new(); days], ..Self::default() };
        queue.today = queue.day(start);
        queue
    }

    #[inline]
    fn day(&self, time: f64) -> u64 {
        // The cast saturates, so that the end of all time has a day too.
        (time * self.days_per_second) as u64
    }

    /// Adds an event; never at a negative time.
    #[inline]
    pub fn push(&mut self, entry: Entry) {
        let day = self.day(entry.time);
        if day <= self.today {
            self.heap.push(entry);
        } else if day - self.today < self.days.len() as u64 {
            let place = day as usize & (self.days.len() - 1);
            self.days[place].push(entry);
            self.waiting += 1;
        } else {
            self.later.push(entry);
        }
    }

    /// Takes the earliest event if it is due by `limit`.
    #[inline]
    pub fn pop(&mut self, limit: f64) -> Option<Entry> {
        loop {
            if let Some(first) = self.heap.peek() {
                return if first.time <= limit { self.heap.pop() } else { None };
            }
            if self.day(limit) <= self.today || !self.turn_page() {
                return None;
            }
        }
    }

    /// Goes on to the next day that may have events; false if there is none.
    fn turn_page(&mut self) -> bool {
        if self.waiting == 0 {
            let Some(first) = self.later.iter().map(|entry| entry.time).min_by(f64::total_cmp) else { return false };
            self.today = self.day(first);
            self.sort_later();
            return true;
        }
        self.today += 1;
        let length = self.days.len();
        let place = self.today as usize & (length - 1);
        if (self.today as usize).is_multiple_of(length / 2) {
            self.sort_later();
        }
        self.waiting -= self.days[place].len();
        self.heap.extend(self.days[place].drain(..));
        true
    }

    /// Moves what has come within the year to its day.
    fn sort_later(&mut self) {
        for entry in std::mem::take(&mut self.later) {
            self.push(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_out_in_order_whatever_the_width_of_a_day() {
        for interval in [1e-6, 1e-3, 1.0, f64::INFINITY] {
            let mut queue = EventQueue::new(100, 0.0, interval);
            let mut state = 1_u64;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f64 / f64::from(1 << 24)
            };
            let mut pending: Vec<Entry> = (0..100).map(|sphere| Entry { time: next() * 1e-3, sphere }).collect();
            pending.push(Entry { time: 1e9, sphere: 7 });
            pending.push(Entry { time: 1e9, sphere: 3 });
            pending.iter().for_each(|&entry| queue.push(entry));
            for _ in 0..5000 {
                pending.sort();
                let expected = pending.pop().expect("an entry");
                assert_eq!(queue.pop(f64::INFINITY), Some(expected));
                let lead = next();
                let time = expected.time + if lead < 0.1 { 0.0 } else { lead * lead * 0.01 };
                if expected.time < 1e8 {
                    let entry = Entry { time, sphere: expected.sphere };
                    pending.push(entry);
                    queue.push(entry);
                }
            }
            assert_eq!(queue.pop(0.0), None);
        }
    }
}
