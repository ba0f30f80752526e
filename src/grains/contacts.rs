//! Pairs of grains near each other: forces, and what each contact remembers from step to step and from list to list.

use std::ops::AddAssign;

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    ensemble::Grains,
    law::{History, Law, Touch},
};
use crate::{
    math::parallel::sum,
    search::octree::{Space, Sphere},
};

/// Pairs that one task handles.
const PAIRS_PER_TASK: usize = 8192;

/// All pairs within the skin, sorted by the first grain.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Contacts {
    /// Places of the two grains.
    pub pairs: Vec<[u32; 2]>,
    /// Where the pairs of each first grain begin, and their number at the end.
    pub starts: Vec<u32>,
    pub states: Vec<PairState>,
    /// Pairs by second grain: where each grain's begin, and the pairs.
    #[serde(skip)]
    incoming_starts: Vec<u32>,
    #[serde(skip)]
    incoming: Vec<u32>,
    #[serde(skip)]
    spare: Vec<PairState>,
}

/// A pair at the end of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairState {
    /// On the first grain, N; the second gets the opposite. Zero if they do not touch.
    pub force: DVec3,
    /// On the first grain beside the moment of the force, N m; the second gets the opposite.
    pub couple: DVec3,
    pub history: History,
}

impl PairState {
    fn reversed(self) -> Self {
        Self { force: -self.force, couple: -self.couple, history: self.history.reversed() }
    }
}

/// What is told of all contacts together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Survey {
    pub contacts: u64,
    /// In radii of the smaller grain.
    pub greatest_overlap: f64,
    /// Of the springs, J.
    pub energy: f64,
}

impl AddAssign for Survey {
    fn add_assign(&mut self, other: Self) {
        self.contacts += other.contacts;
        self.greatest_overlap = self.greatest_overlap.max(other.greatest_overlap);
        self.energy += other.energy;
    }
}

/// What a step needs to know besides the grains.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    pub law: &'a Law,
    pub space: &'a Space,
    /// Whether periodic images must be looked for.
    pub periodic: bool,
    /// Seconds; zero leaves histories as they are.
    pub dt: f64,
}

impl Surroundings<'_> {
    /// From the first to the second, the nearest image.
    #[inline]
    fn offset(&self, first: &Sphere, second: &Sphere) -> DVec3 {
        let offset = second.center - first.center;
        if self.periodic { self.space.nearest_image(offset) } else { offset }
    }
}

impl Contacts {
    /// Takes a new list of pairs. Grains have been brought into the order `order` (for each place the place before); pairs that were in
    /// touch before remember it.
    pub fn replace(&mut self, pairs: &[[u32; 2]], starts: &[u32], order: &[u32]) {
        let mut states = std::mem::take(&mut self.spare);
        if self.states.is_empty() {
            states.clear();
            states.resize(pairs.len(), PairState::default());
        } else {
            let (old_pairs, old_starts, old_states) = (&self.pairs, &self.starts, &self.states);
            let find = |first: u32, second: u32| {
                let range = old_starts[first as usize] as usize..old_starts[first as usize + 1] as usize;
                old_pairs[range.clone()].iter().position(|pair| pair[1] == second).map(|offset| old_states[range.start + offset])
            };
            let carry = |&[first, second]: &[u32; 2]| {
                let (first, second) = (order[first as usize], order[second as usize]);
                find(first, second).or_else(|| find(second, first).map(PairState::reversed)).unwrap_or_default()
            };
            pairs.par_iter().with_min_len(PAIRS_PER_TASK).map(carry).collect_into_vec(&mut states);
        }
        self.spare = std::mem::replace(&mut self.states, states);
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.starts.clear();
        self.starts.extend_from_slice(starts);
        self.index();
    }

    /// Lists the pairs by their second grain.
    pub fn index(&mut self) {
        let count = self.starts.len().saturating_sub(1);
        self.incoming_starts.clear();
        self.incoming_starts.resize(count + 1, 0);
        for &[_, second] in &self.pairs {
            self.incoming_starts[second as usize + 1] += 1;
        }
        for grain in 0..count {
            self.incoming_starts[grain + 1] += self.incoming_starts[grain];
        }
        self.incoming.resize(self.pairs.len(), 0);
        for (pair, &[_, second]) in self.pairs.iter().enumerate().rev() {
            let end = &mut self.incoming_starts[second as usize + 1];
            *end -= 1;
            self.incoming[*end as usize] = pair as u32;
        }
        if count > 0 {
            // What was the end of each has become its beginning.
            self.incoming_starts.remove(0);
            self.incoming_starts.push(self.pairs.len() as u32);
        }
    }

    /// Forces of all pairs at the grains' present places.
    pub fn react(&mut self, grains: &Grains, surroundings: Surroundings) {
        let chunks = self.pairs.par_chunks(PAIRS_PER_TASK);
        self.states.par_chunks_mut(PAIRS_PER_TASK).zip(chunks).for_each(|(states, pairs)| {
            for (state, &[first, second]) in states.iter_mut().zip(pairs) {
                let (first, second) = (first as usize, second as usize);
                let (a, b) = (&grains.spheres[first], &grains.spheres[second]);
                let offset = surroundings.offset(a, b);
                let (reach, squared) = (a.radius + b.radius, offset.length_squared());
                if squared >= reach * reach {
                    if state.force != DVec3::ZERO {
                        *state = PairState::default();
                    }
                    continue;
                }
                let touch = touch(grains, [first, second], offset, squared.sqrt());
                let reaction = surroundings.law.react(&touch, &mut state.history, surroundings.dt);
                (state.force, state.couple) = (reaction.force, reaction.couple);
            }
        });
    }

    /// Sums what the pairs do to each grain.
    pub fn collect(&self, grains: &mut Grains, surroundings: Surroundings) {
        let turns = surroundings.law.turns();
        let spheres = &grains.spheres;
        let targets = grains.forces.par_iter_mut().zip(&mut grains.torques).enumerate().with_min_len(4096);
        targets.for_each(|(grain, (force, torque))| {
            let (mut sum, mut moment) = (DVec3::ZERO, DVec3::ZERO);
            let own = &spheres[grain];
            // The point of contact divides the line of centres by the radii.
            let mut add = |other: u32, force: DVec3, couple: DVec3| {
                sum += force;
                if turns {
                    let other = &spheres[other as usize];
                    let lever = own.radius / (own.radius + other.radius) * surroundings.offset(own, other);
                    moment += lever.cross(force) + couple;
                }
            };
            for pair in self.starts[grain] as usize..self.starts[grain + 1] as usize {
                let state = &self.states[pair];
                if state.force != DVec3::ZERO {
                    add(self.pairs[pair][1], state.force, state.couple);
                }
            }
            for &pair in self.incoming_of(grain) {
                let state = &self.states[pair as usize];
                if state.force != DVec3::ZERO {
                    add(self.pairs[pair as usize][0], -state.force, -state.couple);
                }
            }
            (*force, *torque) = (sum, moment);
        });
    }

    fn incoming_of(&self, grain: usize) -> &[u32] {
        &self.incoming[self.incoming_starts[grain] as usize..self.incoming_starts[grain + 1] as usize]
    }

    /// For grain `grain`: number of contacts, and sum of their normal forces (N).
    pub fn load(&self, grains: &Grains, grain: usize, surroundings: Surroundings) -> (u32, f64) {
        let own = (self.starts[grain]..self.starts[grain + 1]).chain(self.incoming_of(grain).iter().copied());
        let mut load = (0, 0.0);
        for pair in own {
            let (state, [first, second]) = (&self.states[pair as usize], self.pairs[pair as usize]);
            if state.force != DVec3::ZERO {
                let offset = surroundings.offset(&grains.spheres[first as usize], &grains.spheres[second as usize]);
                load = (load.0 + 1, load.1 + state.force.dot(offset.normalize()).abs());
            }
        }
        load
    }

    /// All contacts at once.
    pub fn survey(&self, grains: &Grains, surroundings: Surroundings) -> Survey {
        let pair = |index: usize| {
            let (state, [first, second]) = (&self.states[index], self.pairs[index].map(|place| place as usize));
            if state.force == DVec3::ZERO {
                return Survey::default();
            }
            let (a, b) = (&grains.spheres[first], &grains.spheres[second]);
            let offset = surroundings.offset(a, b);
            let touch = touch(grains, [first, second], offset, offset.length());
            let energy = surroundings.law.elastic_energy(&touch, &state.history);
            Survey { contacts: 1, greatest_overlap: touch.overlap / a.radius.min(b.radius), energy }
        };
        sum(self.pairs.len(), pair)
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let states = size_of::<PairState>() * (self.states.capacity() + self.spare.capacity());
        8 * self.pairs.capacity() + 4 * (self.starts.capacity() + self.incoming.capacity() + self.incoming_starts.capacity()) + states
    }
}

/// Two grains at `distance` (m) that touch.
#[inline]
fn touch(grains: &Grains, [first, second]: [usize; 2], offset: DVec3, distance: f64) -> Touch {
    let (a, b) = (grains.spheres[first].radius, grains.spheres[second].radius);
    let (mass_a, mass_b) = (grains.masses[first], grains.masses[second]);
    // Two centres in one place have no direction; any will part them.
    let normal = if distance > 0.0 { offset / distance } else { DVec3::X };
    let (spin_a, spin_b) = (grains.angular_velocities[first], grains.angular_velocities[second]);
    let lever = distance / (a + b);
    let turning = (spin_a * (a * lever) + spin_b * (b * lever)).cross(normal);
    Touch {
        materials: [grains.materials[first], grains.materials[second]],
        overlap: a + b - distance,
        normal,
        velocity: grains.velocities[first] - grains.velocities[second] + turning,
        spin: spin_a - spin_b,
        radius: a * b / (a + b),
        mass: mass_a * mass_b / (mass_a + mass_b),
    }
}
