//! Pairs of nearby grains: contact forces, and contact histories, which persist from step to step and from one pair list to the next.

use std::ops::AddAssign;

use glam::DVec3;
use plimsoll_base::math::{
    Domain, OffsetLists,
    parallel::{InTasks, max, sum},
};
use plimsoll_search::Sphere;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    law::{ContactKinematics, History, Law},
    overlaps::Overlaps,
    state::Grains,
};

/// Number of pairs, and of grains with their pairs, per task. They are fixed, although sums do not depend on them.
const PAIRS_PER_TASK: usize = 8192;
const GRAINS_PER_TASK: usize = 1024;

/// All pairs closer than the skin, sorted by the first grain.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Contacts {
    /// Indices of the two grains.
    pub pairs: Vec<[u32; 2]>,
    /// Index of the first pair of each first grain; the number of pairs at the end.
    pub starts: Vec<u32>,
    /// Which pairs touch.
    touching: Vec<bool>,
    /// Action of each touching pair on its second grain; unspecified for other pairs.
    actions: Vec<Action>,
    /// History of each pair; zero unless it touches.
    histories: Vec<History>,
    /// Pairs by second grain.
    #[serde(skip)]
    incoming: OffsetLists,
    #[serde(skip)]
    spare: Vec<History>,
}

/// Action on the second grain of a pair.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Action {
    /// Force, N; the first grain gets the opposite.
    force: DVec3,
    /// Torque about the grain's center, N m.
    torque: DVec3,
}

/// A contiguous range of grains, with the pairs in which they are the first.
struct Task<'a> {
    first: usize,
    /// Index of the first pair of each grain, counted over all tasks, and the end of the last grain's pairs.
    starts: &'a [u32],
    pairs: &'a [[u32; 2]],
    touching: &'a mut [bool],
    actions: &'a mut [Action],
    histories: &'a mut [History],
    forces: &'a mut [DVec3],
    torques: &'a mut [DVec3],
}

/// Totals over all contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactTotals {
    pub contacts: u64,
    /// Elastic energy of the springs, J.
    pub energy: f64,
}

impl AddAssign for ContactTotals {
    fn add_assign(&mut self, other: Self) {
        self.contacts += other.contacts;
        self.energy += other.energy;
    }
}

/// Input of a step, apart from the grains.
#[derive(Clone, Copy)]
pub struct PairContext<'a> {
    pub law: &'a Law,
    pub domain: &'a Domain,
    /// Whether the domain has periodic axes, so that nearest images are needed.
    pub periodic: bool,
    /// Time step, s; zero leaves histories unchanged.
    pub dt: f64,
}

impl PairContext<'_> {
    /// Vector from the first to the second grain, nearest image.
    #[inline]
    fn offset(&self, first: &Sphere, second: &Sphere) -> DVec3 {
        let offset = second.center - first.center;
        if self.periodic { self.domain.nearest_image(offset) } else { offset }
    }
}

impl Contacts {
    /// Replaces the list of pairs. `order[i]` is the previous index of grain `i`; pairs that touched before keep their history.
    /// [`Contacts::react`] computes the forces.
    pub fn replace(&mut self, pairs: &[[u32; 2]], starts: &[u32], order: &[u32]) {
        let mut histories = std::mem::take(&mut self.spare);
        let mut touching = Vec::with_capacity(pairs.len());
        if self.pairs.is_empty() {
            histories.clear();
            histories.resize(pairs.len(), History::default());
            touching.resize(pairs.len(), false);
        } else {
            let carry = |&[first, second]: &[u32; 2]| {
                let (first, second) = (order[first as usize], order[second as usize]);
                match self.touching_pair(first, second) {
                    Some(pair) => (self.histories[pair], true),
                    None => self
                        .touching_pair(second, first)
                        .map_or((History::default(), false), |pair| (self.histories[pair].reversed(), true)),
                }
            };
            pairs.par_iter().with_min_len(PAIRS_PER_TASK).map(carry).unzip_into_vecs(&mut histories, &mut touching);
        }
        self.spare = std::mem::replace(&mut self.histories, histories);
        self.touching = touching;
        self.actions.resize(pairs.len(), Action::default());
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.starts.clear();
        self.starts.extend_from_slice(starts);
        self.index();
    }

    /// Index of the pair of these two grains, in this order, if they touch.
    #[inline]
    fn touching_pair(&self, first: u32, second: u32) -> Option<usize> {
        let own = self.starts[first as usize] as usize..self.starts[first as usize + 1] as usize;
        let pair = own.start + self.pairs[own].iter().position(|pair| pair[1] == second)?;
        self.touching[pair].then_some(pair)
    }

    /// Rebuilds the lists of pairs by second grain.
    pub fn index(&mut self) {
        let count = self.starts.len().saturating_sub(1);
        self.incoming.rebuild(count, self.pairs.iter().map(|pair| pair[1]).zip(0..));
    }

    /// Computes the forces of all pairs at the current positions and sums them for each grain. Returns the maximum overlaps.
    pub fn react(&mut self, grains: &mut Grains, context: PairContext) -> Overlaps {
        let (mut forces, mut torques) = (std::mem::take(&mut grains.forces), std::mem::take(&mut grains.torques));
        let overlaps = self.tasks(&mut forces, &mut torques).into_par_iter().map(|task| task.react(grains, context));
        let max_overlap = overlaps.reduce(Overlaps::default, Overlaps::max);
        let targets = forces.par_iter_mut().zip(&mut torques).enumerate().in_tasks(4 * GRAINS_PER_TASK);
        targets.for_each(|(grain, (force, torque))| {
            for &pair in self.incoming.of(grain) {
                if self.touching[pair as usize] {
                    let action = &self.actions[pair as usize];
                    *force += action.force;
                    *torque += action.torque;
                }
            }
        });
        (grains.forces, grains.torques) = (forces, torques);
        max_overlap
    }

    /// Divides all arrays into tasks of contiguous grains.
    fn tasks<'a>(&'a mut self, mut forces: &'a mut [DVec3], mut torques: &'a mut [DVec3]) -> Vec<Task<'a>> {
        let count = forces.len();
        let mut pairs = self.pairs.as_slice();
        let (mut touching, mut actions, mut histories) = (&mut self.touching[..], &mut self.actions[..], &mut self.histories[..]);
        let cut = |first: usize| {
            let end = (first + GRAINS_PER_TASK).min(count);
            let own = (self.starts[end] - self.starts[first]) as usize;
            Task {
                first,
                starts: &self.starts[first..=end],
                pairs: pairs.split_off(..own).expect("starts within the pairs"),
                touching: touching.split_off_mut(..own).expect("one per pair"),
                actions: actions.split_off_mut(..own).expect("one per pair"),
                histories: histories.split_off_mut(..own).expect("one per pair"),
                forces: forces.split_off_mut(..end - first).expect("one per grain"),
                torques: torques.split_off_mut(..end - first).expect("one per grain"),
            }
        };
        (0..count).step_by(GRAINS_PER_TASK).map(cut).collect()
    }

    /// Number of contacts of grain `grain`, and the sum of their normal forces (N).
    pub fn load(&self, grains: &Grains, grain: usize, context: PairContext) -> (u32, f64) {
        let own = (self.starts[grain]..self.starts[grain + 1]).chain(self.incoming.of(grain).iter().copied());
        let mut load = (0, 0.0);
        for pair in own.map(|pair| pair as usize).filter(|&pair| self.touching[pair]) {
            let [first, second] = self.pairs[pair].map(|place| &grains.spheres[place as usize]);
            let normal = context.offset(first, second).normalize();
            load = (load.0 + 1, load.1 + self.actions[pair].force.dot(normal).abs());
        }
        load
    }

    /// All touching pairs: indices, vector from the first to the second grain (m), force on the first (N).
    pub fn touching(&self, grains: &Grains, context: PairContext) -> impl Iterator<Item = ([usize; 2], DVec3, DVec3)> {
        let all = self.pairs.iter().zip(&self.actions).zip(&self.touching);
        all.filter(|(_, touching)| **touching).map(move |((pair, action), _)| {
            let [first, second] = pair.map(|place| place as usize);
            ([first, second], context.offset(&grains.spheres[first], &grains.spheres[second]), -action.force)
        })
    }

    /// Maximum speed of two listed grains relative to each other, in radii of the smaller one per second.
    pub fn max_approach(&self, grains: &Grains, context: PairContext) -> f64 {
        let rate = |index: usize| {
            let [first, second] = self.pairs[index].map(|place| place as usize);
            let (a, b) = (&grains.spheres[first], &grains.spheres[second]);
            let (velocity, gap) = (grains.velocities[second] - grains.velocities[first], context.offset(a, b));
            // Grains that separate meet nothing here, unless they already touch.
            let parts = velocity.dot(gap) > 0.0 && !self.touching[index];
            if parts { 0.0 } else { velocity.length() / a.radius.min(b.radius) }
        };
        max(self.pairs.len(), rate)
    }

    /// Totals over all contacts.
    pub fn totals(&self, grains: &Grains, context: PairContext) -> ContactTotals {
        let pair = |index: usize| {
            if !self.touching[index] {
                return ContactTotals::default();
            }
            let [first, second] = self.pairs[index].map(|place| place as usize);
            let (a, b) = (&grains.spheres[first], &grains.spheres[second]);
            let offset = context.offset(a, b);
            let touch = touch(grains, [first, second], offset, offset.length());
            let energy = context.law.elastic_energy(&touch, &self.histories[index]);
            ContactTotals { contacts: 1, energy }
        };
        sum(self.pairs.len(), pair)
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        let states =
            size_of::<Action>() * self.actions.capacity() + size_of::<History>() * (self.histories.capacity() + self.spare.capacity());
        let lists = 4 * self.starts.capacity() + self.incoming.memory();
        9 * self.pairs.capacity() + lists + states
    }
}

impl Task<'_> {
    /// Computes the forces of the pairs. The first grains get theirs immediately; those on the second grains are stored. Returns the maximum
    /// overlaps.
    fn react(self, grains: &Grains, context: PairContext) -> Overlaps {
        let turns = context.law.turns();
        let mut max_overlap = Overlaps::default();
        let begin = self.starts[0];
        for (index, range) in self.starts.windows(2).enumerate() {
            let first = self.first + index;
            let own = &grains.spheres[first];
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            for pair in (range[0] - begin) as usize..(range[1] - begin) as usize {
                let second = self.pairs[pair][1] as usize;
                let other = &grains.spheres[second];
                let offset = context.offset(own, other);
                let (reach, squared) = (own.radius + other.radius, offset.length_squared());
                if squared >= reach * reach {
                    if self.touching[pair] {
                        (self.touching[pair], self.histories[pair]) = (false, History::default());
                    }
                    continue;
                }
                let touch = touch(grains, [first, second], offset, squared.sqrt());
                max_overlap = max_overlap.max(Overlaps::of_pair(touch.overlap, own.radius, other.radius));
                let reaction = context.law.react(&touch, &mut self.histories[pair], context.dt);
                let mut action = Action { force: -reaction.force, torque: DVec3::ZERO };
                force += reaction.force;
                if turns {
                    // The contact point divides the line of centers in the ratio of the radii.
                    let moment = offset.cross(reaction.force) / reach;
                    torque += own.radius * moment + reaction.couple;
                    action.torque = other.radius * moment - reaction.couple;
                }
                (self.touching[pair], self.actions[pair]) = (true, action);
            }
            (self.forces[index], self.torques[index]) = (force, torque);
        }
        max_overlap
    }
}

/// Kinematics of two touching grains at `distance` (m).
#[inline]
fn touch(grains: &Grains, [first, second]: [usize; 2], offset: DVec3, distance: f64) -> ContactKinematics {
    let (a, b) = (grains.spheres[first].radius, grains.spheres[second].radius);
    let (mass_a, mass_b) = (grains.masses[first], grains.masses[second]);
    // Two coincident centers have no normal; any direction separates them.
    let normal = if distance > 0.0 { offset * distance.recip() } else { DVec3::X };
    let (spin_a, spin_b) = (grains.angular_velocities[first], grains.angular_velocities[second]);
    let share = (a + b).recip();
    let turning = (a * spin_a + b * spin_b).cross(normal) * (distance * share);
    ContactKinematics {
        materials: [grains.materials[first], grains.materials[second]],
        overlap: a + b - distance,
        normal,
        velocity: grains.velocities[first] - grains.velocities[second] + turning,
        spin: spin_a - spin_b,
        radius: a * b * share,
        mass: mass_a * mass_b / (mass_a + mass_b),
    }
}
