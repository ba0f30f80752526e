//! One step of Brownian aggregation: straight flights between velocity draws, with mergers and bounces on the way.
//!
//! A cluster of mass `m` and inertia `I` flies with a velocity from the Maxwell distribution, `<v_x²> = kT/m`, and rotates with
//! `<ω ωᵀ> = kT I⁻¹`, until it draws both again, bounces, or becomes part of another cluster. SI units.

use plimsoll_contract::simulator::Simulator;

use super::{
    detect::{Algorithm, DEEPEST, first_collision},
    diagnostics::AggregateStage,
    engine::{Outcome, SearchCounters},
    medium::Medium,
    settings::{Method, MotionLaw},
    simulation::{AggregateSimulation, LastStep},
    state::{Merger, Population, retain},
};

/// A table row is due when this share of the clusters has merged.
const MERGED_SHARE: f64 = 0.01;
/// A row is also due after this number of flights, so that a large simulation can be interrupted and saved.
const MAX_MOVES: u64 = 4_000_000;
/// With individual clocks: step length divided by twice the shortest relaxation time.
const STEP_RELAXATIONS: f64 = 2.0;

impl AggregateSimulation {
    /// One step: to `until` (s), or to an earlier instant if a hundredth of the clusters has merged, the maximum number of flights is reached
    /// or the run ends. Within it clusters draw velocities as often as their law requires; if the step is cut short, they keep them.
    pub(super) fn step(&mut self, until: f64) {
        let (start, clusters, moves) = (self.time, self.population.len(), self.totals.moves);
        // A simulation that continues after its end is not stopped again.
        let finished = self.reaches_stop(clusters);
        let enough = ((MERGED_SHARE * clusters as f64) as usize).max(1);
        self.last = LastStep { clusters_before: clusters, ..LastStep::default() };
        self.times.start();
        while self.time < until
            && (finished || !self.is_finished())
            && self.last.mergers.len() < enough
            && self.totals.moves - moves < MAX_MOVES
        {
            self.fly(until);
        }
        self.last.arrived = self.time == until || !finished && self.is_finished();
        self.last.seconds = self.time - start;
        self.steps += 1;
    }

    /// Flies to the next velocity draw or to the merger that ends the run, but not past `until`.
    fn fly(&mut self, until: f64) {
        let end = match self.settings.law {
            MotionLaw::Fixed { .. } | MotionLaw::Brownian { .. } => self.step_end.min(until),
            MotionLaw::Relaxation => (self.time + STEP_RELAXATIONS * self.shortest_interval()).min(until),
        };
        // If the step is lost in rounding, it advances by the smallest possible amount.
        let end = if end > self.time { end } else { self.time.next_up().min(until) };
        self.times.finish(AggregateStage::Velocities);
        self.totals.moves += self.population.len() as u64;
        let mergers = self.last.mergers.len();
        let end = match self.settings.method {
            Method::Cells => self.fly_by_cells(end),
            Method::Rounds(algorithm) => self.fly_by_rounds(end, algorithm),
        };
        self.times.finish(AggregateStage::Search);
        self.population.advance(end - self.time);
        if self.last.mergers.len() > mergers {
            self.close_gaps();
        }
        self.time = end;
        self.times.finish(AggregateStage::Motion);
        if self.settings.law != MotionLaw::Relaxation && self.time >= self.step_end {
            self.draw_all();
        }
        self.times.finish(AggregateStage::Velocities);
    }

    /// Flies to `end`, or to the merger that ends the run; returns the time reached (s).
    fn fly_by_cells(&mut self, end: f64) -> f64 {
        let mut engine = std::mem::take(&mut self.engine);
        let own_clocks = self.settings.law == MotionLaw::Relaxation;
        let (start, mut reached) = (self.time, end);
        let mut clusters = self.population.len();
        let finished = self.reaches_stop(clusters);
        let horizons: Option<Vec<f64>> = own_clocks.then(|| self.due.iter().map(|due| (due - start).max(0.0)).collect());
        engine.begin(&self.population, start, end - start, horizons.as_deref());
        let medium = self.settings.medium;
        let keep = |population: &Population, place: usize| if own_clocks { interval(&medium, population, place) } else { f64::INFINITY };
        loop {
            match engine.next(&mut self.population, self.settings.narrow) {
                Outcome::Met { encounter, time } if self.sticks() => {
                    let (merger, place) = engine.merge(&mut self.population, &encounter, time);
                    let kept = keep(&self.population, place);
                    if own_clocks {
                        self.due[place] = merger.time + kept;
                    }
                    engine.renew(&self.population, place, time, time + kept);
                    self.note(merger);
                    clusters -= 1;
                    if !finished && self.reaches_stop(clusters) {
                        reached = (start + time).clamp(start.next_up(), end);
                        break;
                    }
                }
                Outcome::Met { encounter, time } => {
                    engine.bounce(&mut self.population, &encounter, time);
                    self.totals.bounces += 1;
                }
                Outcome::Due { place, time } => {
                    self.population.settle(place, time);
                    self.draw(place);
                    self.totals.moves += 1;
                    let horizon = time + keep(&self.population, place);
                    self.due[place] = start + horizon;
                    engine.renew(&self.population, place, time, horizon);
                }
                Outcome::Ended => break,
            }
        }
        self.totals.rounds += 1;
        let SearchCounters { pairs, narrow, walls } = std::mem::take(&mut engine.counters);
        self.totals.pairs += pairs;
        self.totals.narrow += narrow;
        self.totals.wall_bounces += walls;
        self.engine = engine;
        reached
    }

    /// Decides whether two touching clusters stick.
    fn sticks(&mut self) -> bool {
        self.settings.sticking >= 1.0 || self.random.uniform() < self.settings.sticking
    }

    /// Repeats rounds: finds the first collision and moves all clusters to it. Afterwards `self.time` is the time of the last collision. Returns
    /// `end`, or the time of the merger that ends the run (s).
    fn fly_by_rounds(&mut self, end: f64, algorithm: Algorithm) -> f64 {
        let finished = self.is_finished();
        while let Some(first) = first_collision(&self.population, end - self.time, algorithm, self.settings.narrow) {
            let merger = self.population.merge(&first, first.contact.time, self.time);
            self.note(merger);
            self.population.advance(first.contact.time);
            self.close_gaps();
            self.time = (self.time + first.contact.time).min(end);
            if !finished && self.is_finished() {
                self.totals.rounds += 1;
                return self.time;
            }
        }
        self.totals.rounds += 1;
        end
    }

    fn note(&mut self, merger: Merger) {
        self.totals.mergers += 1;
        self.totals.rounds += 1;
        self.totals.deep_contacts += u64::from(merger.epsilon < DEEPEST);
        self.last.mergers.push(merger);
    }

    fn close_gaps(&mut self) {
        let kept = self.population.close_gaps();
        if !self.due.is_empty() {
            retain(&mut self.due, &kept);
        }
    }

    /// Draws new velocities for all clusters, in order.
    pub(super) fn draw_all(&mut self) {
        (0..self.population.len()).for_each(|place| self.draw(place));
        match self.settings.law {
            MotionLaw::Fixed { time_step } | MotionLaw::Brownian { time_step } => self.step_end = self.time + time_step,
            MotionLaw::Relaxation => {
                let medium = self.settings.medium;
                let draw = |place: usize| self.time + self.random.uniform() * interval(&medium, &self.population, place);
                self.due = (0..self.population.len()).map(draw).collect();
            }
        }
    }

    /// Draws a new velocity and spin for the cluster at `place`.
    fn draw(&mut self, place: usize) {
        let cluster = &self.population.clusters[place];
        let medium = &self.settings.medium;
        let energy = medium.thermal_energy();
        let (speed, turn) = match self.settings.law {
            MotionLaw::Fixed { .. } | MotionLaw::Relaxation => ((energy / cluster.mass).sqrt(), None),
            MotionLaw::Brownian { time_step } => {
                let (translation, rotation) = medium.frictions(cluster);
                ((2.0 * energy / translation / time_step).sqrt(), Some((2.0 * energy / rotation / time_step).sqrt()))
            }
        };
        let (normal, rotation) = ([self.random.normals(3), self.random.normals(3)], self.settings.rotation.sqrt());
        self.population.flights[place].velocity = speed * normal[0];
        let turning = &mut self.population.turnings[place];
        turning.spin = match turn {
            _ if !self.population.turns => glam::DVec3::ZERO,
            Some(turn) => rotation * turn * normal[1],
            None => turning.orientation * (rotation * energy.sqrt() * (cluster.spin_factor * normal[1])),
        };
    }

    fn shortest_interval(&self) -> f64 {
        let medium = self.settings.medium;
        (0..self.population.len()).map(|place| interval(&medium, &self.population, place)).fold(f64::INFINITY, f64::min)
    }
}

/// How long a cluster keeps its velocity: twice its relaxation time, s.
fn interval(medium: &Medium, population: &Population, place: usize) -> f64 {
    2.0 * medium.relaxation_time(&population.clusters[place])
}
