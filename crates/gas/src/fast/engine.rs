//! The fast version: the work per impact does not grow with the number of spheres.
//!
//! Each sphere has its own clock: `position` is its position at `time`, when its velocity last changed. Its agenda holds its next predicted
//! impact and the time at which it leaves its cell; the earlier of the two is in the queue. An impact changes the velocities of its spheres
//! and invalidates the impacts that other spheres predicted with them. The other spheres detect this by an impact counter when their event
//! is due, and search again then. This is early enough, because the changed sphere has itself searched among all its neighbours. A sphere
//! that enters a cell searches the cells that became its neighbours (Alder & Wainwright 1959; Rapaport 1980; Lubachevsky 1991).
//!
//! Spheres much larger than all others would require large cells. A few such giants are kept out of the cells. Every sphere is tested
//! against each giant, and each giant against every sphere.
//!
//! From time to time the clock is reset to zero, and all spheres are advanced to it and sorted by cell. This preserves the precision of
//! times and keeps neighbours close in memory. SI units.

use glam::DVec3;
use plimsoll_search::brick_grid::{BrickGrid, NONE, Place};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    order::morton_code,
    prefetch::Prefetch,
    queue::{Entry, EventQueue},
    sphere::{Agenda, Sphere},
    validate,
};
use crate::{
    contact::{MIN_SEPARATION, impulse, time_to_contact},
    container::{Container, WALL_NAMES},
    counters::ImpactCounters,
    error::GasError,
    state::{Collision, GasSetup, Partner, SphereState},
};

/// Length of the ring of spheres to be tested: more than the number of cells around one cell.
const RING: usize = 32;
/// Partner numbers from here on denote walls.
const FIRST_WALL: u32 = u32::MAX - 16;
/// Events per sphere between two clock resets; fewer before the first reset.
const EVENTS_PER_SPHERE: u64 = 32;
const FIRST_EVENTS_PER_SPHERE: u64 = 3;
const MIN_EVENTS: u64 = 4096;
/// If the fastest sphere has moved less than this fraction of the smallest radius since the last reset, time has stopped advancing.
const STANDSTILL: f64 = 1e-5;
/// Fraction of the thermal speed: impacts slower than this stay elastic when the restitution is lowered during a run. Advised after an
/// inelastic collapse.
const ELASTIC_SHARE: f64 = 1e-3;
/// Mean free path, as a fraction of the mean diameter, below which spheres cannot change places, and the share of the box that they fill then
/// at least: inelastic spheres have short paths in clusters, too. At 0.01 the pressure is 50 times that of an ideal gas.
const JAMMED_PATH: f64 = 0.01;
const JAMMED_PACKING: f64 = 0.4;
/// How many times as far as the room left a wall has to move.
const JAMMED_TRAVEL: f64 = 3.0;
/// Free space that walls must leave for a sphere, as a fraction of its diameter.
const MIN_PLAY: f64 = 1e-4;

/// Whether any place on an axis is a shifted image; only the first and the last can be.
#[inline]
fn is_shifted(places: &[Place]) -> bool {
    [places.first(), places.last()].into_iter().flatten().any(|place| place.1 != 0.0)
}

/// The earliest impact found so far.
#[derive(Clone, Copy)]
struct Earliest {
    time: f64,
    partner: u32,
}

impl Earliest {
    #[inline]
    fn offer(&mut self, time: f64, partner: u32) {
        if time < self.time || time == self.time && partner < self.partner {
            (self.time, self.partner) = (time, partner);
        }
    }
}

/// A sphere that searches for its next impact, at its current position.
#[derive(Clone, Copy)]
struct Seeker {
    index: u32,
    position: DVec3,
    velocity: DVec3,
    radius: f64,
}

/// Event-driven hard spheres or discs. The serialized form is a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Gas {
    setup: GasSetup,
    spheres: Vec<Sphere>,
    agendas: Vec<Agenda>,
    /// Impacts of each sphere before the last clock reset, in the order of the setup.
    earlier_impacts: Vec<u32>,
    /// Index in the setup of each sphere.
    ids: Vec<u32>,
    cells: BrickGrid,
    giants: Vec<u32>,
    /// Time at which two walls come too close to each other, seconds from time zero.
    jam: f64,
    /// Time of the next wall event (`jam` or a velocity change), seconds from time zero.
    change: f64,
    /// Time of the last clock reset.
    base: f64,
    clock: f64,
    /// Number of events since the last clock reset.
    events: u64,
    events_limit: u64,
    counters: ImpactCounters,
    /// Minimum separation speed after an inelastic impact, m/s.
    #[serde(default)]
    separation: f64,
    #[serde(skip)]
    queue: EventQueue,
}

impl Serialize for Gas {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// Rebuilds what is not saved, so that a deserialized value is ready to use.
impl<'de> Deserialize<'de> for Gas {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut saved = Self::deserialize(deserializer)?;
        saved.fill_cells();
        saved.fill_queue();
        Ok(saved)
    }
}

impl Gas {
    /// Creates the gas that `setup` describes.
    ///
    /// # Errors
    /// If spheres overlap one another or walls, or periods are too short for the spheres.
    pub fn new(setup: GasSetup) -> Result<Self, GasError> {
        let spheres = setup.spheres.iter();
        let spheres = spheres.map(|sphere| Sphere {
            position: sphere.position,
            velocity: sphere.velocity,
            time: 0.0,
            next: NONE,
            count: 0,
            species: sphere.species,
        });
        let count = setup.spheres.len();
        let mut gas = Self {
            spheres: spheres.collect(),
            agendas: vec![Agenda::EMPTY; count],
            earlier_impacts: vec![0; count],
            ids: (0..count as u32).collect(),
            cells: BrickGrid::default(),
            giants: Vec::new(),
            jam: f64::INFINITY,
            change: f64::INFINITY,
            base: 0.0,
            clock: 0.0,
            events: 0,
            events_limit: MIN_EVENTS.max(FIRST_EVENTS_PER_SPHERE * count as u64),
            counters: ImpactCounters::default(),
            separation: 0.0,
            queue: EventQueue::default(),
            setup,
        };
        gas.setup.container.change_velocities_at(0.0, 0.0);
        gas.arrange();
        validate::check(&gas.setup, &gas.cells, gas.largest_giant())?;
        Ok(gas)
    }

    /// Seconds from time zero.
    pub fn time(&self) -> f64 {
        self.base + self.clock
    }

    /// Number of spheres.
    pub fn len(&self) -> usize {
        self.spheres.len()
    }

    /// Whether there are no spheres.
    pub fn is_empty(&self) -> bool {
        self.spheres.is_empty()
    }

    /// Changes the restitution of all future impacts. If it was 1, slow impacts stay elastic, which avoids spheres coming to rest by
    /// infinitely many impacts.
    pub fn set_restitution(&mut self, restitution: f64) {
        if restitution < 1.0 && self.setup.impact.elastic_below == 0.0 {
            self.setup.impact.elastic_below = ELASTIC_SHARE * self.thermal_speed();
        }
        self.setup.impact.restitution = restitution;
    }

    /// Maximum speed of a sphere, m/s.
    fn fastest(&self) -> f64 {
        self.spheres.iter().map(|sphere| sphere.velocity.length()).fold(0.0, f64::max)
    }

    /// Root mean square speed relative to the mean velocity, m/s.
    fn thermal_speed(&self) -> f64 {
        let count = self.len().max(1) as f64;
        let mean = self.spheres.iter().map(|sphere| sphere.velocity).sum::<DVec3>() / count;
        (self.spheres.iter().map(|sphere| sphere.velocity.distance_squared(mean)).sum::<f64>() / count).sqrt()
    }

    /// Species, impact law and box as of the last clock reset.
    pub fn setup(&self) -> &GasSetup {
        &self.setup
    }

    /// The box and its clock.
    pub fn container(&self) -> (&Container, f64) {
        (&self.setup.container, self.clock)
    }

    /// Impact counts and sums since time zero.
    pub fn counters(&self) -> &ImpactCounters {
        &self.counters
    }

    /// All spheres at the current time, in the order of the setup; wrapped into the box on periodic axes.
    pub fn states(&self) -> Vec<SphereState> {
        let mut states = vec![SphereState { position: DVec3::ZERO, velocity: DVec3::ZERO, species: 0 }; self.spheres.len()];
        for (sphere, &id) in self.spheres.iter().zip(&self.ids) {
            let mut position = sphere.position + sphere.velocity * (self.clock - sphere.time);
            self.cells.locate(&mut position);
            states[id as usize] = SphereState { position, velocity: sphere.velocity, species: sphere.species };
        }
        states
    }

    /// One sphere at the current time, by its index in the setup, and its number of impacts. The work grows with the number of spheres.
    pub fn state(&self, id: u32) -> (SphereState, u32) {
        let index = self.ids.iter().position(|&other| other == id).expect("a sphere of the setup");
        let Seeker { mut position, velocity, .. } = self.seeker(index as u32);
        self.cells.locate(&mut position);
        (SphereState { position, velocity, species: self.spheres[index].species }, self.impacts(index))
    }

    /// Impacts of each sphere, in the order of the setup.
    pub fn impact_counts(&self) -> Vec<u32> {
        let mut counts = self.earlier_impacts.clone();
        for (sphere, &id) in self.spheres.iter().zip(&self.ids) {
            counts[id as usize] = counts[id as usize].wrapping_add(sphere.count.into());
        }
        counts
    }

    fn impacts(&self, index: usize) -> u32 {
        self.earlier_impacts[self.ids[index] as usize].wrapping_add(self.spheres[index].count.into())
    }

    /// Advances to `until` (s), or by at most `most` events. Returns whether it reached `until`.
    ///
    /// # Errors
    /// [`GasError::Squeezed`] or [`GasError::Collapse`] if time no longer advances.
    pub fn advance(&mut self, until: f64, most: u64) -> Result<bool, GasError> {
        for _ in 0..most {
            if !self.step::<false>(until)?.0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Advances to the next impact, or to `until` (s) if there is none before.
    ///
    /// # Errors
    /// As [`Gas::advance`].
    pub fn next_collision(&mut self, until: f64) -> Result<Option<Collision>, GasError> {
        loop {
            let (goes_on, collision) = self.next_event(until)?;
            if collision.is_some() || !goes_on {
                return Ok(collision);
            }
        }
    }

    /// Processes one event, if one is left before `until` (s). Returns whether there may be more events, and the impact if the event was one.
    ///
    /// # Errors
    /// As [`Gas::advance`].
    pub fn next_event(&mut self, until: f64) -> Result<(bool, Option<Collision>), GasError> {
        self.step::<true>(until)
    }

    /// Processes one event, if one is left before `until`. Returns whether there may be more events, and the impact if the event was one
    /// and `REPORTED` is set.
    fn step<const REPORTED: bool>(&mut self, until: f64) -> Result<(bool, Option<Collision>), GasError> {
        let change = self.change;
        let limit = until.min(change) - self.base;
        let prefetch = Prefetch { spheres: &self.spheres, agendas: &self.agendas, cells: &self.cells };
        let due = |sphere: u32| self.agendas[sphere as usize].due();
        while let Some(entry) = self.queue.pop(limit, due, |batch| prefetch.of(batch)) {
            let agenda = self.agendas[entry.sphere as usize];
            if agenda.due() != entry.time {
                continue;
            }
            self.clock = self.clock.max(entry.time);
            let collision = if agenda.leaves() {
                self.cross(entry.sphere, agenda);
                None
            } else {
                self.meet::<REPORTED>(entry.sphere, agenda)
            };
            self.events += 1;
            // The reset happens at an event and never at a requested time, so results do not depend on the requested times.
            if self.events >= self.events_limit {
                self.check_progress()?;
                self.set_back(self.time());
                self.events_limit = MIN_EVENTS.max(EVENTS_PER_SPHERE * self.spheres.len() as u64);
            }
            return Ok((true, collision));
        }
        if limit.is_finite() {
            self.clock = self.clock.max(limit);
        }
        if change > until {
            return Ok((false, None));
        }
        if change == self.jam {
            return Err(self.squeezed());
        }
        self.setup.container.change_velocities_at(change, self.clock);
        self.set_back(change);
        Ok((true, None))
    }

    fn radius(&self, sphere: &Sphere) -> f64 {
        self.setup.species[sphere.species as usize].radius
    }

    #[inline]
    fn seeker(&self, index: u32) -> Seeker {
        let sphere = &self.spheres[index as usize];
        let position = sphere.position + sphere.velocity * (self.clock - sphere.time);
        Seeker { index, position, velocity: sphere.velocity, radius: self.radius(sphere) }
    }

    /// Processes the impact on the agenda of `index`, unless the partner has had another impact since.
    fn meet<const REPORTED: bool>(&mut self, index: u32, agenda: Agenda) -> Option<Collision> {
        if (FIRST_WALL..NONE).contains(&agenda.partner) {
            let number = agenda.partner - FIRST_WALL;
            self.meet_wall(index, number);
            return REPORTED.then(|| self.report(index, Partner::Wall(number)));
        }
        let met = self.spheres.get(agenda.partner as usize).is_some_and(|partner| partner.count == agenda.partner_count)
            && self.meet_sphere(index, agenda.partner);
        if !met {
            self.look_around(index);
            self.enter(index);
            return None;
        }
        REPORTED.then(|| self.report(index, Partner::Sphere(self.ids[agenda.partner as usize])))
    }

    /// The impact of `index` at the current time. The ids are in a separate array, because they are rarely needed.
    fn report(&self, index: u32, partner: Partner) -> Collision {
        Collision::new(self.time(), self.ids[index as usize], partner)
    }

    fn meet_wall(&mut self, index: u32, number: u32) {
        self.bring(index);
        let before = self.spheres[index as usize].velocity;
        let after = self.setup.container.rebound(number, before, self.setup.impact, self.separation);
        let mass = self.setup.species[self.spheres[index as usize].species as usize].mass;
        let velocity = self.setup.container.wall(number).velocity;
        self.counters.wall(number, mass * (after - before)[number as usize / 2], velocity);
        self.spheres[index as usize].velocity = after;
        self.count_impact(index);
        self.set_out(index);
    }

    /// Returns false if, due to rounding, the spheres do not approach.
    fn meet_sphere(&mut self, i: u32, j: u32) -> bool {
        self.bring(i);
        self.bring(j);
        let (first, second) = (self.spheres[i as usize], self.spheres[j as usize]);
        let r = self.cells.domain.nearest_image(second.position - first.position);
        let masses = [first, second].map(|sphere| self.setup.species[sphere.species as usize].mass);
        let given = impulse(r, second.velocity - first.velocity, masses, self.setup.impact, self.separation);
        if given == DVec3::ZERO {
            return false;
        }
        self.counters.pair(r.dot(given));
        self.spheres[i as usize].velocity -= given / masses[0];
        self.spheres[j as usize].velocity += given / masses[1];
        self.count_impact(i);
        self.count_impact(j);
        self.set_out(i);
        self.set_out(j);
        true
    }

    /// Invalidates the impacts that other spheres have predicted with this one.
    #[inline]
    fn count_impact(&mut self, index: u32) {
        let sphere = &mut self.spheres[index as usize];
        sphere.count = sphere.count.wrapping_add(1);
        if sphere.count == 0 {
            self.begin_count(index);
        }
    }

    /// Handles the overflow of a sphere's counter: new counts must not be mistaken for old ones.
    #[cold]
    fn begin_count(&mut self, index: u32) {
        let total = &mut self.earlier_impacts[self.ids[index as usize] as usize];
        *total = total.wrapping_add(1 << u16::BITS);
        self.agendas.iter_mut().filter(|agenda| agenda.partner == index).for_each(|agenda| agenda.partner = NONE);
    }

    /// Advances a sphere to the clock.
    #[inline]
    fn bring(&mut self, index: u32) {
        let sphere = &mut self.spheres[index as usize];
        sphere.position += sphere.velocity * (self.clock - sphere.time);
        sphere.time = self.clock;
    }

    /// Plans the next events of a sphere, already advanced to the clock with its new velocity, and adds it to the queue.
    #[inline]
    fn set_out(&mut self, index: u32) {
        self.plan(index);
        self.enter(index);
    }

    #[inline]
    fn plan(&mut self, index: u32) {
        let (sphere, agenda) = (&self.spheres[index as usize], &mut self.agendas[index as usize]);
        let (time, axis, upwards) = self.cells.leaving(sphere.position, sphere.velocity, sphere.time, agenda.cell);
        (agenda.leaving, agenda.axis, agenda.upwards) = (time.max(self.clock), axis, upwards);
        self.look_around(index);
    }

    /// Finds the next impact of a sphere among all possible partners.
    fn look_around(&mut self, index: u32) {
        let seeker = self.seeker(index);
        let mut earliest = Earliest { time: f64::INFINITY, partner: NONE };
        if let Some((time, wall)) = self.setup.container.next_wall(seeker.position, seeker.velocity, seeker.radius, self.clock) {
            earliest.offer(time, FIRST_WALL + wall);
        }
        self.look_at_giants(&seeker, &mut earliest);
        if self.giants.contains(&index) {
            (0..self.spheres.len() as u32).for_each(|other| self.look_at_image(&seeker, other, &mut earliest));
        } else {
            let cell = self.agendas[index as usize].cell;
            self.look_into(&seeker, self.cells.all_around(cell), &mut earliest);
        }
        let partner_count = self.spheres.get(earliest.partner as usize).map_or(0, |partner| partner.count);
        let agenda = &mut self.agendas[index as usize];
        (agenda.impact, agenda.partner, agenda.partner_count) = (earliest.time, earliest.partner, partner_count);
    }

    #[inline]
    fn enter(&mut self, index: u32) {
        let time = self.agendas[index as usize].due();
        if time < f64::INFINITY {
            self.queue.push(Entry { time, sphere: index });
        }
    }

    /// Searches some cells for impacts.
    ///
    /// The first spheres of all cells are put in a ring. After a sphere is tested, the next sphere of its cell is appended. This almost
    /// avoids mispredicted branches and keeps many memory loads in flight.
    #[inline]
    fn look_into(&self, seeker: &Seeker, places: [&[Place]; 3], earliest: &mut Earliest) {
        let mut ring = [(NONE, 0_u8); RING];
        let mut origins = [seeker.position; RING];
        let shifted = places.iter().any(|places| is_shifted(places));
        let (mut end, mut slot) = (0, 0_u8);
        for &(layer, shift_z) in places[2] {
            for &(row, shift_y) in places[1] {
                for &(column, shift_x) in places[0] {
                    let first = self.cells.first(layer + row + column);
                    ring[end % RING] = (first, slot);
                    end += usize::from(first != NONE);
                    if shifted {
                        origins[slot as usize % RING] = seeker.position - DVec3::new(shift_x, shift_y, shift_z);
                        slot += 1;
                    }
                }
            }
        }
        let mut at = 0;
        while at < end {
            let (other, slot) = ring[at % RING];
            at += 1;
            let sphere = &self.spheres[other as usize];
            ring[end % RING] = (sphere.next, slot);
            end += usize::from(sphere.next != NONE);
            let r = sphere.position + sphere.velocity * (self.clock - sphere.time) - origins[slot as usize % RING];
            if other != seeker.index {
                self.look_at(seeker, other, r, earliest);
            }
        }
    }

    /// Tests for an impact with the sphere `other`, at position `r` relative to the seeker.
    #[inline]
    fn look_at(&self, seeker: &Seeker, other: u32, r: DVec3, earliest: &mut Earliest) {
        let sphere = &self.spheres[other as usize];
        if let Some(time) = time_to_contact(r, sphere.velocity - seeker.velocity, seeker.radius + self.radius(sphere)) {
            earliest.offer(self.clock + time, other);
        }
    }

    /// Same as [`Self::look_at`], for the nearest image of the other sphere.
    fn look_at_image(&self, seeker: &Seeker, other: u32, earliest: &mut Earliest) {
        if other != seeker.index {
            let r = self.seeker(other).position - seeker.position;
            self.look_at(seeker, other, self.cells.domain.nearest_image(r), earliest);
        }
    }

    #[inline]
    fn look_at_giants(&self, seeker: &Seeker, earliest: &mut Earliest) {
        self.giants.iter().for_each(|&giant| self.look_at_image(seeker, giant, earliest));
    }

    /// Moves a sphere from its cell to the next.
    fn cross(&mut self, index: u32, agenda: Agenda) {
        let axis = agenda.axis as usize;
        let (sphere, entry) = (&mut self.spheres[index as usize], &mut self.agendas[index as usize]);
        let old = entry.cell;
        let (cell, shift) = self.cells.beyond(old[axis], axis, agenda.upwards);
        entry.cell[axis] = cell;
        sphere.position[axis] += shift;
        let cell = entry.cell;
        let (time, next_axis, upwards) = self.cells.leaving(sphere.position, sphere.velocity, sphere.time, cell);
        (entry.leaving, entry.axis, entry.upwards) = (time.max(self.clock), next_axis, upwards);
        if !self.giants.is_empty() && self.giants.contains(&index) {
            self.look_around(index);
            return self.enter(index);
        }
        self.remove(index, old);
        self.insert(index, cell);
        let mut earliest = Earliest { time: agenda.impact, partner: agenda.partner };
        let seeker = self.seeker(index);
        self.look_into(&seeker, self.cells.new_around(cell, axis, agenda.upwards), &mut earliest);
        self.look_at_giants(&seeker, &mut earliest);
        if earliest.time < agenda.impact {
            let partner_count = self.spheres[earliest.partner as usize].count;
            let entry = &mut self.agendas[index as usize];
            (entry.impact, entry.partner, entry.partner_count) = (earliest.time, earliest.partner, partner_count);
        }
        self.enter(index);
    }

    /// Resets the clock to zero, which now corresponds to `time`.
    fn set_back(&mut self, time: f64) {
        self.setup.container.set_back(self.clock);
        for sphere in &mut self.spheres {
            sphere.position += sphere.velocity * (self.clock - sphere.time);
            sphere.time = 0.0;
        }
        (self.base, self.clock) = (time, 0.0);
        self.arrange();
    }

    /// Returns an error if time has hardly advanced since the last clock reset.
    fn check_progress(&self) -> Result<(), GasError> {
        let fastest = self.fastest();
        let smallest = self.setup.species.iter().map(|species| species.radius).fold(f64::INFINITY, f64::min);
        if self.clock * fastest > STANDSTILL * smallest && fastest.is_finite() {
            return self.check_travel();
        }
        Err(if self.setup.impact.restitution < 1.0 { self.collapsed() } else { self.squeezed() })
    }

    /// Returns an error if a wall will move farther than the spheres leave room for.
    ///
    /// The logarithm of the volume of all positions of `N` jammed spheres in `d` dimensions grows with `d N` times that of the room left to the
    /// wall: `p V / (N T) = d w / room` with the width `w`. Together with the free path `λ` of spheres of diameter `σ`,
    /// `p V / (N T) ≈ σ / (2 λ)`, the room is `2 d w λ / σ`.
    fn check_travel(&self) -> Result<(), GasError> {
        let container = &self.setup.container;
        let Some((axis, wall, speed)) = container.approach() else { return Ok(()) };
        let impacts = self.spheres.iter().map(|sphere| u64::from(sphere.count)).sum::<u64>().max(1) as f64;
        let count = self.len() as f64;
        let path = self.thermal_speed() * self.clock * count / impacts;
        let diameter = 2.0 * self.spheres.iter().map(|sphere| self.radius(sphere)).sum::<f64>() / count;
        if path > JAMMED_PATH * diameter {
            return Ok(());
        }
        let dimension = container.dimension();
        let filled = self.spheres.iter().map(|sphere| dimension.ball(self.radius(sphere))).sum::<f64>();
        let packing = filled / container.volume_at(self.clock);
        let width = container.extent_at(self.clock).1[axis];
        let room = 2.0 * dimension.count() as f64 * width * path / diameter;
        let travel = (speed * (container.next_change() - self.time())).min(width);
        if packing < JAMMED_PACKING || travel < JAMMED_TRAVEL * room {
            return Ok(());
        }
        Err(GasError::Jammed { time: self.time(), wall: WALL_NAMES[wall as usize], travel, room, packing })
    }

    /// Reports the sphere that is probably squeezed most: the one with the most impacts among the largest.
    fn squeezed(&self) -> GasError {
        let rank = |&index: &usize| (self.radius(&self.spheres[index]).to_bits(), self.impacts(index), index);
        let worst = (0..self.spheres.len()).max_by_key(rank).unwrap_or(0);
        GasError::Squeezed { time: self.time(), sphere: self.ids[worst], position: self.seeker(worst as u32).position }
    }

    /// Reports the sphere with the most impacts since the last clock reset.
    fn collapsed(&self) -> GasError {
        let rank = |&index: &usize| (self.spheres[index].count, self.ids[index]);
        let worst = (0..self.spheres.len()).max_by_key(rank).unwrap_or(0);
        let advised = (ELASTIC_SHARE * self.thermal_speed()).max(10.0 * self.setup.impact.elastic_below);
        let mut position = self.seeker(worst as u32).position;
        self.cells.locate(&mut position);
        GasError::Collapse { time: self.time(), sphere: self.ids[worst], position, advised }
    }

    /// Sorts the spheres by new cells and recomputes all events; the clock is at zero.
    fn arrange(&mut self) {
        let (side, limit) = validate::cell_side(&self.setup);
        self.cells = BrickGrid::new(self.setup.container.domain_at(0.0), side, self.spheres.len());
        for (sphere, agenda) in self.spheres.iter_mut().zip(&mut self.agendas) {
            agenda.cell = self.cells.locate(&mut sphere.position);
        }
        for (sphere, &id) in self.spheres.iter_mut().zip(&self.ids) {
            let total = &mut self.earlier_impacts[id as usize];
            *total = total.wrapping_add(std::mem::take(&mut sphere.count).into());
        }
        let mut order: Vec<(u64, u32)> = self.agendas.iter().zip(0..).map(|(agenda, index)| (morton_code(agenda.cell), index)).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, index)| index as usize).collect();
        self.spheres = order.iter().map(|&index| self.spheres[index]).collect();
        self.agendas = order.iter().map(|&index| self.agendas[index]).collect();
        self.ids = order.iter().map(|&index| self.ids[index]).collect();
        self.giants = (0..self.spheres.len() as u32).filter(|&index| self.radius(&self.spheres[index as usize]) > limit).collect();
        self.fill_cells();
        self.events = 0;
        self.separation = MIN_SEPARATION * self.fastest().max(self.setup.container.fastest_wall());
        let largest = self.spheres.iter().map(|sphere| self.radius(sphere)).fold(0.0, f64::max);
        self.jam = self.base + self.setup.container.time_to_narrow(2.0 * largest * (1.0 + MIN_PLAY));
        self.change = self.setup.container.next_change().min(self.jam);
        (0..self.spheres.len() as u32).for_each(|index| self.plan(index));
        self.fill_queue();
    }

    /// Links the spheres of each cell, except giants.
    fn fill_cells(&mut self) {
        self.cells.clear();
        for index in 0..self.spheres.len() as u32 {
            if !self.giants.contains(&index) {
                self.insert(index, self.agendas[index as usize].cell);
            }
        }
    }

    #[inline]
    fn insert(&mut self, index: u32, cell: [u16; 3]) {
        self.spheres[index as usize].next = std::mem::replace(self.cells.first_mut(cell), index);
    }

    #[inline]
    fn remove(&mut self, index: u32, cell: [u16; 3]) {
        let after = self.spheres[index as usize].next;
        let first = self.cells.first_mut(cell);
        if *first == index {
            *first = after;
            return;
        }
        let mut before = *first;
        while self.spheres[before as usize].next != index {
            before = self.spheres[before as usize].next;
        }
        self.spheres[before as usize].next = after;
    }

    /// Fills the queue from the agendas, with a suitable width of a day.
    fn fill_queue(&mut self) {
        let mut ahead: Vec<f64> = self.agendas.iter().map(|agenda| agenda.due() - self.clock).filter(|ahead| ahead.is_finite()).collect();
        let middle = ahead.len() / 2;
        let median = if ahead.is_empty() { 0.0 } else { *ahead.select_nth_unstable_by(middle, f64::total_cmp).1 };
        self.queue = EventQueue::new(self.spheres.len(), self.clock, median);
        (0..self.spheres.len() as u32).for_each(|index| self.enter(index));
    }

    fn largest_giant(&self) -> f64 {
        self.giants.iter().map(|&giant| self.radius(&self.spheres[giant as usize])).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dimension, GasSettings, Group, Impact, Species, SpeedDistribution};

    fn gas() -> Gas {
        let group = Group {
            count: 60,
            species: Species { radius: 0.5, mass: 1.0 },
            temperature: 1.0,
            velocity: DVec3::ZERO,
            speeds: SpeedDistribution::Maxwell,
            region: None,
        };
        let container = Container::periodic(Dimension::Three, DVec3::ZERO, DVec3::splat(5.0));
        let settings = GasSettings { container, impact: Impact::ELASTIC, groups: vec![group], placed: Vec::new(), seed: 3 };
        Gas::new(settings.set_up().expect("room for all")).expect("a sound setup")
    }

    #[test]
    fn a_count_that_begins_anew_is_not_taken_for_that_of_before() {
        let mut gas = gas();
        let partner = gas.agendas.iter().map(|agenda| agenda.partner).find(|&partner| partner < FIRST_WALL).expect("an impact");
        let before = (gas.spheres[partner as usize].count, gas.impacts(partner as usize));
        (0..1 << u16::BITS).for_each(|_| gas.count_impact(partner));
        assert_eq!((gas.spheres[partner as usize].count, gas.impacts(partner as usize)), (before.0, before.1 + (1 << u16::BITS)));
        assert!(gas.agendas.iter().all(|agenda| agenda.partner != partner));
    }

    #[test]
    fn counts_that_begin_anew_leave_the_impacts_as_they_are() {
        let (mut gas, mut other) = (gas(), gas());
        other.spheres.iter_mut().for_each(|sphere| sphere.count = u16::MAX - 2);
        other.agendas.iter_mut().for_each(|agenda| agenda.partner_count = u16::MAX - 2);
        for _ in 0..300 {
            let [first, second] = [&mut gas, &mut other].map(|gas| gas.next_collision(f64::INFINITY).expect("room").expect("an impact"));
            assert_eq!((first.sphere, first.partner), (second.sphere, second.partner));
            assert!((first.time - second.time).abs() < 1e-9);
        }
        let more = gas.impact_counts().into_iter().zip(other.impact_counts()).all(|(first, second)| first + 65_533 == second);
        assert!(more);
    }
}
