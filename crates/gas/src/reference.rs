//! The method from the literature, without cells or queue: the test oracle for the fast version.
//!
//! Every sphere stores its nearest impact. All spheres move to the earliest of these impacts, and the spheres involved change velocity.
//! Their next impacts, and those of partners that lost theirs ("disturbed" spheres), are searched again among all spheres. If an impact of
//! A with B is earlier than the impact of B with D, it replaces that impact, and D is disturbed in turn. The work per impact grows with the
//! number of spheres (Kim, Guibas & Shin 1998).
//!
//! With periodic axes, a sphere is tested against the images of another sphere up to one period from the nearest. It searches again before
//! it could have reached an image farther away. SI units.

use glam::DVec3;
use plimsoll_base::math::Domain;

use super::{
    contact::{MIN_SEPARATION, impulse, time_to_contact},
    counters::ImpactCounters,
    error::GasError,
    state::{Collision, GasSetup, Partner, SphereState},
};

/// The next event of a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Coming {
    time: f64,
    /// `None` means that the sphere only has to search again.
    partner: Option<Partner>,
}

const NEVER: Coming = Coming { time: f64::INFINITY, partner: None };

/// Event-driven hard spheres that all move together.
#[derive(Clone, Debug)]
pub struct ReferenceGas {
    setup: GasSetup,
    domain: Domain,
    time: f64,
    coming: Vec<Coming>,
    counters: ImpactCounters,
    /// Minimum separation speed after an inelastic impact, m/s.
    separation: f64,
}

impl ReferenceGas {
    /// Creates the gas that `setup` describes. The spheres must not overlap.
    pub fn new(setup: GasSetup) -> Self {
        let fastest = setup.spheres.iter().map(|sphere| sphere.velocity.length()).fold(setup.container.fastest_wall(), f64::max);
        let mut gas = Self {
            separation: MIN_SEPARATION * fastest,
            coming: vec![NEVER; setup.spheres.len()],
            time: 0.0,
            counters: ImpactCounters::default(),
            domain: setup.container.domain_at(0.0),
            setup,
        };
        gas.setup.container.change_velocities_at(0.0, 0.0);
        gas.look_again((0..gas.coming.len()).collect());
        gas
    }

    /// Seconds from time zero.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// All spheres at the current time.
    pub fn states(&self) -> &[SphereState] {
        &self.setup.spheres
    }

    /// Impact counts and sums since time zero.
    pub fn counters(&self) -> &ImpactCounters {
        &self.counters
    }

    /// Advances to the next impact, or to `until` (s) if there is none before.
    ///
    /// # Errors
    /// [`GasError::Squeezed`] if too many impacts take place at one instant.
    pub fn next_collision(&mut self, until: f64) -> Result<Option<Collision>, GasError> {
        let mut idle = 0;
        loop {
            let change = self.setup.container.next_change();
            let (first, coming) = self.earliest();
            if coming.time > until.min(change) {
                self.advance(until.min(change));
                if change > until {
                    return Ok(None);
                }
                self.setup.container.change_velocities_at(change, self.time);
                self.look_again((0..self.coming.len()).collect());
                continue;
            }
            self.advance(coming.time);
            if let Some(collision) = self.meet(first, coming.partner) {
                return Ok(Some(collision));
            }
            idle += 1;
            if idle > 1000 * self.coming.len() {
                return Err(GasError::Squeezed { time: self.time, sphere: first as u32, position: self.setup.spheres[first].position });
            }
        }
    }

    /// The sphere with the earliest impact; the first of them if several are equal.
    fn earliest(&self) -> (usize, Coming) {
        let mut first = (0, NEVER);
        for (index, coming) in self.coming.iter().enumerate() {
            if coming.time < first.1.time {
                first = (index, *coming);
            }
        }
        first
    }

    fn advance(&mut self, time: f64) {
        if time.is_finite() && time > self.time {
            for sphere in &mut self.setup.spheres {
                sphere.position += sphere.velocity * (time - self.time);
            }
            self.time = time;
        }
    }

    fn mass(&self, index: usize) -> f64 {
        self.setup.species[self.setup.spheres[index].species as usize].mass
    }

    fn meet(&mut self, first: usize, partner: Option<Partner>) -> Option<Collision> {
        let collision = partner.and_then(|partner| self.exchange(first, partner));
        let mut changed = vec![first];
        if let Some(Partner::Sphere(second)) = partner {
            changed.push(second as usize);
        }
        // Spheres whose predicted partner is one of these are disturbed.
        let lost = |coming: &Coming| matches!(coming.partner, Some(Partner::Sphere(other)) if changed.contains(&(other as usize)));
        let disturbed: Vec<usize> = (0..self.coming.len()).filter(|index| !changed.contains(index) && lost(&self.coming[*index])).collect();
        changed.extend(disturbed);
        self.look_again(changed);
        collision
    }

    fn exchange(&mut self, first: usize, partner: Partner) -> Option<Collision> {
        match partner {
            Partner::Wall(number) => {
                let before = self.setup.spheres[first].velocity;
                let after = self.setup.container.rebound(number, before, self.setup.impact, self.separation);
                let impulse = self.mass(first) * (after - before)[number as usize / 2];
                self.counters.wall(number, impulse, self.setup.container.wall(number).velocity);
                self.setup.spheres[first].velocity = after;
            }
            Partner::Sphere(second) => {
                let second = second as usize;
                let masses = [self.mass(first), self.mass(second)];
                let [a, b] = [self.setup.spheres[first], self.setup.spheres[second]];
                let r = self.domain.nearest_image(b.position - a.position);
                let given = impulse(r, b.velocity - a.velocity, masses, self.setup.impact, self.separation);
                if given == DVec3::ZERO {
                    return None;
                }
                self.counters.pair(r.dot(given));
                self.setup.spheres[first].velocity -= given / masses[0];
                self.setup.spheres[second].velocity += given / masses[1];
            }
        }
        Some(Collision::new(self.time, first as u32, partner))
    }

    /// Searches the next impacts of some spheres again, and of all spheres disturbed by that.
    fn look_again(&mut self, mut pending: Vec<usize>) {
        pending.iter().for_each(|&index| self.coming[index] = NEVER);
        while let Some(index) = pending.pop() {
            let found = self.find(index);
            self.coming[index] = found;
            let Some(Partner::Sphere(other)) = found.partner else { continue };
            let before = std::mem::replace(
                &mut self.coming[other as usize],
                Coming { time: found.time, partner: Some(Partner::Sphere(index as u32)) },
            );
            if let Some(Partner::Sphere(disturbed)) = before.partner.filter(|&partner| partner != Partner::Sphere(index as u32)) {
                self.coming[disturbed as usize] = NEVER;
                pending.push(disturbed as usize);
            }
        }
    }

    /// The nearest impact of a sphere, with a partner that has no earlier impact.
    fn find(&self, index: usize) -> Coming {
        let sphere = self.setup.spheres[index];
        let radius = self.setup.species[sphere.species as usize].radius;
        let mut nearest = NEVER;
        if let Some((time, wall)) = self.setup.container.next_wall(sphere.position, sphere.velocity, radius, self.time) {
            nearest = Coming { time, partner: Some(Partner::Wall(wall)) };
        }
        for (other, state) in self.setup.spheres.iter().enumerate().filter(|&(other, _)| other != index) {
            let sigma = radius + self.setup.species[state.species as usize].radius;
            let (contact, blind) = self.contact(state.position - sphere.position, state.velocity - sphere.velocity, sigma);
            if contact < nearest.time && contact < self.coming[other].time {
                nearest = Coming { time: contact, partner: Some(Partner::Sphere(other as u32)) };
            }
            if blind < nearest.time {
                nearest = Coming { time: blind, partner: None };
            }
        }
        nearest
    }

    /// Time of the first contact with any image at relative position `r` and relative velocity `v`, and the time up to which it is valid;
    /// both on the clock.
    fn contact(&self, r: DVec3, v: DVec3, sigma: f64) -> (f64, f64) {
        let periods = self.setup.container.periods();
        let nearest = self.domain.nearest_image(r);
        let images = periods.to_array().map(|period| if period > 0.0 { [-period, 0.0, period] } else { [0.0; 3] });
        let mut contact = f64::INFINITY;
        for x in images[0] {
            for y in images[1] {
                for z in images[2] {
                    if let Some(time) = time_to_contact(nearest + DVec3::new(x, y, z), v, sigma) {
                        contact = contact.min(self.time + time);
                    }
                }
            }
        }
        let reach = (0..3).filter(|&axis| periods[axis] > 0.0 && v[axis] != 0.0);
        let blind = reach.map(|axis| (1.5 * periods[axis] - sigma) / v[axis].abs()).fold(f64::INFINITY, f64::min);
        (contact, self.time + blind)
    }
}
