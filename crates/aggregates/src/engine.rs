//! Event-driven search within a step, collision by collision, with cells and a queue.
//!
//! At the beginning of a step every cluster is tested against those with which it shares a cell, and possible events are queued: for two
//! spheres their contact, for others the time at which their bounding spheres begin to overlap. The narrow phase runs only when that time
//! has come. A merger, an impact, or a new velocity within the step invalidates the queued events of a cluster, which is detected by an age
//! counter; only this cluster is inserted into the cells and tested again. Events at the same time take place in the order of the clusters,
//! so results do not depend on the number of threads. SI units.

use std::{cmp::Ordering, collections::BinaryHeap};

use glam::{DVec3, I64Vec3};
use plimsoll_base::math::round_down;
use plimsoll_search::SweptCells;
use rayon::prelude::*;

use crate::{
    detect::{Contact, Encounter, FaceContact, NarrowPhase, first_face_contact, images, window},
    flight::Flight,
    state::{Merger, Population},
};

/// Up to this number of clusters, each is tested against all others.
const FEW: usize = 120;

/// Clusters predicted per task; with fewer than two tasks, the work is not parallelized.
const TASK: usize = 1024;

/// A possible event.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Bounding spheres overlap from the time of the event until `until`.
    Overlap {
        shift: DVec3,
        until: f64,
    },
    Contact {
        shift: DVec3,
        contact: Contact,
    },
    /// The first of the pair reaches a wall.
    Wall(FaceContact),
    /// The first of the pair draws a new velocity.
    Redraw,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    /// Seconds from the beginning of the step.
    time: f64,
    pair: [u32; 2],
    ages: [u32; 2],
    kind: Kind,
}

impl Event {
    /// The key that orders simultaneous events: clusters, kind and image.
    fn key(&self) -> (u32, u32, u32, [f64; 3]) {
        let (kind, shift) = match self.kind {
            Kind::Contact { shift, .. } => (0, shift),
            Kind::Overlap { shift, .. } => (1, shift),
            Kind::Wall(_) => (2, DVec3::ZERO),
            Kind::Redraw => (3, DVec3::ZERO),
        };
        (self.pair[0], self.pair[1], kind, shift.to_array())
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        let rest = || {
            let (a, b) = (self.key(), other.key());
            let shifts = a.3.iter().zip(&b.3).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
            (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)).then(shifts.unwrap_or(Ordering::Equal))
        };
        // The earliest is at the top of the heap.
        self.time.total_cmp(&other.time).then_with(rest).reverse()
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

/// What happened, with the time from the beginning of the step (s).
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// Two clusters touch. [`Engine::merge`] or [`Engine::bounce`] must follow.
    Met {
        /// The two clusters and their contact.
        encounter: Encounter,
        /// When they touch, s from the beginning of the step.
        time: f64,
    },
    /// The cluster at `place` is due for a new velocity. [`Engine::renew`] must follow.
    Due {
        /// Place of the cluster in the population.
        place: usize,
        /// When it is due, s from the beginning of the step.
        time: f64,
    },
    /// The step has ended.
    Ended,
}

/// Counters of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounters {
    /// Pairs of clusters for which windows were computed.
    pub pairs: u64,
    /// Pairs passed to the narrow phase.
    pub narrow: u64,
    /// Clusters that bounced off a wall.
    pub walls: u64,
}

/// Queue and cells of one step; empty between steps.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    /// Length of the step, s.
    length: f64,
    /// Time of the beginning of the step, s from time zero.
    start: f64,
    queue: BinaryHeap<Event>,
    cells: SweptCells,
    uses_cells: bool,
    /// Number of changes of each cluster in this step.
    ages: Vec<u32>,
    /// Time until which each cluster flies straight, at most the end of the step.
    horizons: Vec<f64>,
    found: Vec<u32>,
    /// For each cluster and axis, a bit mask of the slabs (of 64 across the box) that it passes through in the step.
    slabs: Vec<[u64; 3]>,
    /// Search counters of the current step.
    pub counters: SearchCounters,
}

impl Engine {
    /// Begins a step of `length` (s) at `start` (s from time zero). All clusters must be at its beginning. `horizons` are the times until
    /// which each cluster keeps its velocity, s from the beginning of the step; clusters whose horizon is within the step become due.
    /// Without `horizons`, all keep it to the end.
    pub fn begin(&mut self, population: &Population, start: f64, length: f64, horizons: Option<&[f64]>) {
        (self.start, self.length) = (start, length);
        self.ages.clear();
        self.ages.resize(population.len(), 0);
        self.horizons.clear();
        match horizons {
            Some(horizons) => self.horizons.extend(horizons.iter().map(|&horizon| horizon.min(length))),
            None => self.horizons.resize(population.len(), length),
        }
        self.queue.clear();
        self.uses_cells = population.len() > FEW;
        let mut events = std::mem::take(&mut self.queue).into_vec();
        if self.uses_cells {
            self.clear_cells(population);
            if population.len() <= 2 * TASK {
                self.predict_as_they_come(population, &mut events);
            } else {
                self.predict_all(population, &mut events);
            }
        } else {
            self.predict_each_with_all(population, &mut events);
        }
        if !population.domain.is_periodic() {
            events.extend((0..population.len()).filter_map(|place| self.predict_wall(population, place, 0.0)));
        }
        for (place, &horizon) in horizons.into_iter().flatten().enumerate().filter(|&(_, &horizon)| horizon < length) {
            events.push(Event { time: horizon, pair: [place as u32, u32::MAX], ages: [0; 2], kind: Kind::Redraw });
        }
        self.queue = events.into();
    }

    /// Advances to the next event.
    pub fn next(&mut self, population: &mut Population, narrow: NarrowPhase) -> Outcome {
        while let Some(event) = self.queue.pop() {
            let [a, b] = event.pair;
            let holds = |place: u32, age: u32| self.ages[place as usize] == age && !population.clusters[place as usize].is_empty();
            if !holds(a, event.ages[0]) || b != u32::MAX && !holds(b, event.ages[1]) {
                continue;
            }
            match event.kind {
                Kind::Overlap { shift, until } => {
                    self.counters.narrow += 1;
                    let motion_a = population.motion_at(a as usize, event.time);
                    let mut motion_b = population.motion_at(b as usize, event.time);
                    motion_b.center += shift;
                    let clusters = [a, b].map(|place| &population.clusters[place as usize]);
                    let limits = (0.0, until - event.time);
                    if let Some(contact) = narrow.first_contact((clusters[0], &motion_a), (clusters[1], &motion_b), limits) {
                        self.queue.push(Event { time: event.time + contact.time, kind: Kind::Contact { shift, contact }, ..event });
                    }
                }
                Kind::Contact { shift, contact } => {
                    return Outcome::Met { encounter: Encounter { pair: [a as usize, b as usize], shift, contact }, time: event.time };
                }
                Kind::Wall(contact) => {
                    self.counters.walls += 1;
                    population.rebound(a as usize, &contact, event.time);
                    self.renew(population, a as usize, event.time, self.horizons[a as usize]);
                }
                Kind::Redraw => return Outcome::Due { place: a as usize, time: event.time },
            }
        }
        Outcome::Ended
    }

    /// Merges two clusters that have met; returns the merger and the place of the new cluster. [`Engine::renew`] must follow for it.
    pub fn merge(&mut self, population: &mut Population, encounter: &Encounter, time: f64) -> (Merger, usize) {
        let [a, b] = encounter.pair;
        let merger = population.merge(encounter, time, self.start);
        let (place, gone) = if population.clusters[a].is_empty() { (b, a) } else { (a, b) };
        self.ages[gone] += 1;
        (merger, place)
    }

    /// Two clusters that have met bounce. They keep their new velocities for as long as they would have kept the old ones.
    pub fn bounce(&mut self, population: &mut Population, encounter: &Encounter, time: f64) {
        population.bounce(encounter, time);
        // Renewing the second cluster invalidates the prediction of the first with the second.
        encounter.pair.iter().for_each(|&place| self.renew(population, place, time, self.horizons[place]));
    }

    /// Registers the new velocity of the cluster at `place`, valid from `time` to `horizon`, s from the beginning of the step.
    pub fn renew(&mut self, population: &Population, place: usize, time: f64, horizon: f64) {
        self.ages[place] += 1;
        self.horizons[place] = horizon.min(self.length);
        let age = self.ages[place];
        let mut found = std::mem::take(&mut self.found);
        if self.uses_cells {
            let (low, high) = swept(&population.flights[place], time, self.horizons[place]);
            self.cells.collect(low, high, &self.ages, &mut found);
            self.cells.insert(place as u32, age, low, high);
        } else {
            found.clear();
            found.extend(0..population.len() as u32);
        }
        let mut events = Vec::new();
        for &other in found.iter().filter(|&&other| other as usize != place && !population.clusters[other as usize].is_empty()) {
            self.counters.pairs += 1;
            self.predict(population, [(place as u32).min(other), other.max(place as u32)], time, &mut events);
        }
        if !population.domain.is_periodic() {
            events.extend(self.predict_wall(population, place, time));
        }
        self.queue.extend(events);
        if horizon < self.length {
            self.queue.push(Event { time: horizon, pair: [place as u32, u32::MAX], ages: [age, 0], kind: Kind::Redraw });
        }
        self.found = found;
    }

    /// Adds possible events of two clusters from `time` (s from the beginning of the step) on.
    #[inline]
    fn predict(&self, population: &Population, pair: [u32; 2], time: f64, events: &mut Vec<Event>) {
        let [a, b] = pair.map(|place| place as usize);
        let (one, other) = (&population.flights[a], &population.flights[b]);
        let (r, v) = (other.center_at(time) - one.center_at(time), other.velocity - one.velocity);
        let (sigma, limit) = (one.radius + other.radius, self.horizons[a].min(self.horizons[b]) - time);
        images(&population.domain, r, v, sigma, limit, |shift| {
            let Some((first, last)) = window(r + shift, v, sigma, limit) else { return };
            let kind = Kind::Overlap { shift, until: time + last };
            events.push(Event { time: time + first, pair, ages: [self.ages[a], self.ages[b]], kind });
        });
    }

    /// The wall that the cluster at `place` reaches after `time` (s from the beginning of the step), if nothing happens to it before.
    fn predict_wall(&self, population: &Population, place: usize, time: f64) -> Option<Event> {
        let motion = population.motion_at(place, time);
        let limit = self.horizons[place] - time;
        let contact = first_face_contact(&population.clusters[place], &motion, population.domain.size.x, limit)?;
        let (pair, ages) = ([place as u32, u32::MAX], [self.ages[place], 0]);
        Some(Event { time: time + contact.time, pair, ages, kind: Kind::Wall(contact) })
    }

    /// Predicts all pairs at the beginning of the step; most are excluded because they pass through different slabs of the box.
    fn predict_each_with_all(&mut self, population: &Population, events: &mut Vec<Event>) {
        let mut slabs = std::mem::take(&mut self.slabs);
        let inverse = 64.0 / population.domain.size.x;
        slabs.clear();
        slabs.extend(population.flights.iter().zip(&self.horizons).map(|(flight, &horizon)| {
            let (low, high) = swept(flight, 0.0, horizon);
            slabs_between(round_down(inverse * low), round_down(inverse * high))
        }));
        for (b, one) in slabs.iter().enumerate() {
            for (a, other) in slabs[..b].iter().enumerate() {
                // Avoids one unpredictable branch per axis: the highest bit of x | −x is set if x is not zero.
                let shared = [0, 1, 2].map(|axis| one[axis] & other[axis]).map(|slabs| slabs | slabs.wrapping_neg());
                if (shared[0] & shared[1] & shared[2]) >> 63 != 0 {
                    self.predict(population, [a as u32, b as u32], 0.0, events);
                }
            }
        }
        self.counters.pairs += (slabs.len() * slabs.len().saturating_sub(1) / 2) as u64;
        self.slabs = slabs;
    }

    fn clear_cells(&mut self, population: &Population) {
        let count = population.len() as f64;
        let extent = |flight: &Flight| 2.0 * flight.radius + self.length * flight.velocity.abs().max_element();
        let mean = population.flights.iter().map(extent).sum::<f64>() / count;
        let spacing = population.domain.size.x / count.cbrt();
        self.cells.clear(population.domain.size.x, mean.max(spacing));
    }

    /// Predicts all pairs at the beginning of the step, each cluster with those inserted into its cells before.
    fn predict_as_they_come(&mut self, population: &Population, events: &mut Vec<Event>) {
        let mut cells = std::mem::take(&mut self.cells);
        let mut found = std::mem::take(&mut self.found);
        // For each cluster, the last one that met it.
        found.clear();
        found.resize(population.len(), u32::MAX);
        for (number, flight) in (0..).zip(&population.flights) {
            let (low, high) = swept(flight, 0.0, self.horizons[number as usize]);
            let mut pairs = 0;
            cells.meet(number, 0, low, high, |other| {
                if std::mem::replace(&mut found[other as usize], number) != number {
                    pairs += 1;
                    self.predict(population, [other, number], 0.0, events);
                }
            });
            self.counters.pairs += pairs;
        }
        (self.cells, self.found) = (cells, found);
    }

    /// Predicts all pairs at the beginning of the step in parallel; the order of events does not depend on the number of threads.
    fn predict_all(&mut self, population: &Population, events: &mut Vec<Event>) {
        for (place, flight) in population.flights.iter().enumerate() {
            let (low, high) = swept(flight, 0.0, self.horizons[place]);
            self.cells.insert(place as u32, 0, low, high);
        }
        let tasks = population.len().div_ceil(TASK);
        let work = |task: usize| {
            let (mut events, mut found, mut pairs) = (Vec::new(), Vec::new(), 0);
            for place in task * TASK..((task + 1) * TASK).min(population.len()) {
                let (low, high) = swept(&population.flights[place], 0.0, self.horizons[place]);
                self.cells.collect(low, high, &self.ages, &mut found);
                let later = found.partition_point(|&other| other as usize <= place);
                for &other in &found[later..] {
                    pairs += 1;
                    self.predict(population, [place as u32, other], 0.0, &mut events);
                }
            }
            (events, pairs)
        };
        let parts: Vec<(Vec<Event>, u64)> = (0..tasks).into_par_iter().map(work).collect();
        for (mut part, pairs) in parts {
            events.append(&mut part);
            self.counters.pairs += pairs;
        }
    }
}

/// The axis-aligned box that a bounding sphere sweeps from `time` to `horizon`, m.
fn swept(flight: &Flight, time: f64, horizon: f64) -> (DVec3, DVec3) {
    let (from, to) = (flight.center_at(time), flight.center_at(horizon));
    (from.min(to) - flight.radius, from.max(to) + flight.radius)
}

/// Bit masks of the slabs from `first` to `last` along each axis; the 64 slabs repeat.
fn slabs_between(first: I64Vec3, last: I64Vec3) -> [u64; 3] {
    [0, 1, 2].map(|axis| match last[axis] - first[axis] {
        63.. => u64::MAX,
        more => ((2 << more) - 1_u64).rotate_left(first[axis].rem_euclid(64) as u32),
    })
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::{Domain, Random};

    use super::*;

    #[test]
    fn all_ways_to_predict_foresee_the_same() {
        // All sizes and speeds; some pass through the box more than once.
        let (domain, mut random) = (Domain::cube(1.0, true), Random::new(2));
        let centers: Vec<DVec3> = (0..3000).map(|_| random.point()).collect();
        let radii: Vec<f64> = (0..3000).map(|_| 0.004 * (0.8 * random.normal()).exp()).collect();
        let mut population = Population::new(domain, &centers, &radii, 1.0, false);
        for flight in &mut population.flights {
            flight.velocity = 0.2 * (1.2 * random.normal()).exp() * random.normals(3);
        }
        let foreseen = |predict: fn(&mut Engine, &Population, &mut Vec<Event>)| {
            let mut engine = Engine { length: 1.0, ages: vec![0; 3000], ..Engine::default() };
            engine.horizons = (0..3000).map(|place| 1.0 - 1e-4 * f64::from(place)).collect();
            engine.clear_cells(&population);
            let mut events = Vec::new();
            predict(&mut engine, &population, &mut events);
            events.sort();
            events.iter().map(|event| (event.time, event.pair, event.key())).collect::<Vec<_>>()
        };
        let all = foreseen(Engine::predict_each_with_all);
        let brute = foreseen(|engine, population, events| {
            (0..3000).for_each(|b| (0..b).for_each(|a| engine.predict(population, [a, b], 0.0, events)));
        });
        assert!(all.len() > 1000, "{}", all.len());
        assert!(all == brute);
        assert!(foreseen(Engine::predict_all) == all && foreseen(Engine::predict_as_they_come) == all);
    }

    #[test]
    fn slabs_repeat() {
        let between = |first: i64, last: i64| slabs_between(I64Vec3::splat(first), I64Vec3::splat(last))[1];
        assert_eq!(between(0, 0), 1);
        assert_eq!(between(3, 5), 0b11_1000);
        assert_eq!(between(-1, 1), 1 << 63 | 0b11);
        assert_eq!(between(62, 65), 0b11 << 62 | 0b11);
        assert_eq!(between(5, 67), !(1 << 4));
        assert_eq!([between(0, 63), between(-70, 100)], [u64::MAX; 2]);
    }
}
