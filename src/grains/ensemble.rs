//! The grains themselves, in arrays in the order of the search's cells.

use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    math::parallel::greatest,
    search::octree::{Octree, Sphere},
};

/// Skin of a grain at rest, of the widest: what is hit starts suddenly.
const LEAST_SKIN: f64 = 0.3;

/// State of all grains.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Grains {
    pub spheres: Vec<Sphere>,
    /// m/s
    pub velocities: Vec<DVec3>,
    /// rad/s
    pub angular_velocities: Vec<DVec3>,
    /// kg
    pub masses: Vec<f64>,
    pub materials: Vec<u16>,
    /// The group of the scene that each belongs to; those placed singly come last, together.
    pub groups: Vec<u16>,
    /// Number in the order in which they were placed.
    pub ids: Vec<u32>,
    /// N, of contacts alone.
    pub forces: Vec<DVec3>,
    /// N m
    pub torques: Vec<DVec3>,
    /// Where each was when pairs were last searched, metres.
    pub anchors: Vec<DVec3>,
    /// How far each may go from there before they are searched anew, metres.
    pub skins: Vec<f64>,
}

/// A grain to be added.
#[derive(Clone, Copy, Debug)]
pub struct NewGrain {
    pub sphere: Sphere,
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
    pub material: u16,
    pub group: u16,
    /// kg/m³
    pub density: f64,
}

/// Room for bringing arrays into another order.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    spheres: Vec<Sphere>,
    vectors: Vec<DVec3>,
    numbers: Vec<f64>,
    short: Vec<u16>,
    long: Vec<u32>,
}

impl Grains {
    pub fn len(&self) -> usize {
        self.spheres.len()
    }

    pub fn is_empty(&self) -> bool {
        self.spheres.is_empty()
    }

    pub(super) fn push(&mut self, grain: &NewGrain) {
        self.ids.push(self.len() as u32);
        self.spheres.push(grain.sphere);
        self.velocities.push(grain.velocity);
        self.angular_velocities.push(grain.angular_velocity);
        self.masses.push(4.0 / 3.0 * PI * grain.sphere.radius.powi(3) * grain.density);
        self.materials.push(grain.material);
        self.groups.push(grain.group);
        self.forces.push(DVec3::ZERO);
        self.torques.push(DVec3::ZERO);
        self.anchors.push(grain.sphere.center);
        self.skins.push(0.0);
    }

    /// Brings all grains into the order of the last sorting.
    pub(super) fn reorder(&mut self, octree: &Octree, exchange: &mut Exchange) {
        octree.reorder(&mut self.spheres, &mut exchange.spheres);
        octree.reorder(&mut self.velocities, &mut exchange.vectors);
        octree.reorder(&mut self.angular_velocities, &mut exchange.vectors);
        octree.reorder(&mut self.masses, &mut exchange.numbers);
        octree.reorder(&mut self.materials, &mut exchange.short);
        octree.reorder(&mut self.groups, &mut exchange.short);
        octree.reorder(&mut self.ids, &mut exchange.long);
    }

    /// Half a step of acceleration; with gravity in m/s².
    pub(super) fn kick(&mut self, half: f64, gravity: DVec3) {
        let forces = self.forces.par_iter().zip(&self.masses).with_min_len(8192);
        self.velocities.par_iter_mut().zip(forces).for_each(|(velocity, (force, mass))| *velocity += (*force / *mass + gravity) * half);
    }

    /// Half a step of angular acceleration: a solid sphere has `2/5 m r²`.
    pub(super) fn twist(&mut self, half: f64) {
        let inertias = self.spheres.par_iter().zip(&self.masses).map(|(sphere, mass)| 0.4 * mass * sphere.radius * sphere.radius);
        let torques = self.torques.par_iter().zip(inertias).with_min_len(8192);
        self.angular_velocities.par_iter_mut().zip(torques).for_each(|(spin, (torque, inertia))| *spin += *torque * (half / inertia));
    }

    /// Moves all; returns whether one has gone farther from its anchor than its skin allows.
    pub(super) fn drift(&mut self, dt: f64) -> bool {
        let others = self.velocities.par_iter().zip(&self.anchors).zip(&self.skins).with_min_len(8192);
        let strayed = self.spheres.par_iter_mut().zip(others).map(|(sphere, ((velocity, anchor), skin))| {
            sphere.center += *velocity * dt;
            sphere.center.distance_squared(*anchor) > skin * skin
        });
        strayed.reduce(|| false, |one, other| one | other)
    }

    /// Drops the anchors, and gives each grain a skin as its speed asks for, `widest` (metres) for the fastest: so all take about as long to
    /// go through theirs, and slow ones do not keep pairs that they will not need.
    pub(super) fn anchor(&mut self, widest: f64) {
        let fastest = greatest(self.len(), |grain| self.velocities[grain].length_squared()).sqrt();
        self.anchors.clear();
        self.anchors.extend(self.spheres.iter().map(|sphere| sphere.center));
        let share = |velocity: &DVec3| if fastest > 0.0 { velocity.length() / fastest } else { 1.0 };
        self.skins.clear();
        self.skins.extend(self.velocities.iter().map(|velocity| widest * (LEAST_SKIN + (1.0 - LEAST_SKIN) * share(velocity))));
    }

    /// The grains, each as large as it is with its skin.
    pub(super) fn with_skins(&self, padded: &mut Vec<Sphere>) {
        padded.clear();
        padded.extend(self.spheres.iter().zip(&self.skins).map(|(sphere, skin)| Sphere { radius: sphere.radius + skin, ..*sphere }));
    }

    /// For each id the place of the grain.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.len()];
        for (place, &id) in self.ids.iter().enumerate() {
            places[id as usize] = place as u32;
        }
        places
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.spheres.capacity() * 32 + 24 * 5 * self.velocities.capacity() + 16 * self.masses.capacity() + 8 * self.ids.capacity()
    }
}
