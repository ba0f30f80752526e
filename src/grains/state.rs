//! The grains themselves, in arrays in the order of the search's cells.

use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    math::parallel::max,
    search::{Sphere, hierarchical_grid::HierarchicalGrid},
};

/// Skin of a grain at rest, of the widest: what is hit starts suddenly.
const LEAST_SKIN: f64 = 0.3;

/// State of all grains.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Grains {
    /// Centers and radii, m.
    pub spheres: Vec<Sphere>,
    /// m/s
    pub velocities: Vec<DVec3>,
    /// rad/s
    pub angular_velocities: Vec<DVec3>,
    /// kg
    pub masses: Vec<f64>,
    /// Indices into the materials.
    pub materials: Vec<u16>,
    /// The group of the scene that each belongs to; those placed singly come last, together.
    pub groups: Vec<u16>,
    /// Number in the order in which they were placed.
    pub ids: Vec<u32>,
    /// N, of contacts alone.
    pub forces: Vec<DVec3>,
    /// N m
    pub torques: Vec<DVec3>,
    /// Each as it was when pairs were last searched, larger by its skin: how far it may go before the next search.
    pub padded: Vec<Sphere>,
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
    /// Number of grains.
    pub fn len(&self) -> usize {
        self.spheres.len()
    }

    /// Whether there are no grains.
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
        self.padded.push(grain.sphere);
    }

    /// Brings all grains into the order of the last sorting.
    pub(super) fn reorder(&mut self, grid: &HierarchicalGrid, exchange: &mut Exchange) {
        grid.reorder(&mut self.spheres, &mut exchange.spheres);
        grid.reorder(&mut self.velocities, &mut exchange.vectors);
        grid.reorder(&mut self.angular_velocities, &mut exchange.vectors);
        grid.reorder(&mut self.masses, &mut exchange.numbers);
        grid.reorder(&mut self.materials, &mut exchange.short);
        grid.reorder(&mut self.groups, &mut exchange.short);
        grid.reorder(&mut self.ids, &mut exchange.long);
    }

    /// Half a step of acceleration; with gravity in m/s².
    pub(super) fn kick(&mut self, half: f64, gravity: DVec3) {
        let forces = self.forces.par_iter().zip(&self.masses).with_min_len(8192);
        self.velocities.par_iter_mut().zip(forces).for_each(|(velocity, (force, mass))| *velocity += (*force / *mass + gravity) * half);
    }

    /// The same, and then a step of motion, `dt` seconds; returns whether one has gone farther than its skin allows.
    pub(super) fn kick_and_drift(&mut self, dt: f64, gravity: DVec3) -> bool {
        let half = 0.5 * dt;
        let states = self.spheres.par_iter_mut().zip(&mut self.velocities).with_min_len(8192);
        let others = self.forces.par_iter().zip(&self.masses).zip(&self.padded);
        let strayed = states.zip(others).map(|((sphere, velocity), ((force, mass), padded))| {
            *velocity += (*force / *mass + gravity) * half;
            sphere.center += *velocity * dt;
            let skin = padded.radius - sphere.radius;
            sphere.center.distance_squared(padded.center) > skin * skin
        });
        strayed.reduce(|| false, |one, other| one | other)
    }

    /// Half a step of angular acceleration: a solid sphere has `2/5 m r²`.
    pub(super) fn twist(&mut self, half: f64) {
        let inertias = self.spheres.par_iter().zip(&self.masses).map(|(sphere, mass)| 0.4 * mass * sphere.radius * sphere.radius);
        let torques = self.torques.par_iter().zip(inertias).with_min_len(8192);
        self.angular_velocities.par_iter_mut().zip(torques).for_each(|(spin, (torque, inertia))| *spin += *torque * (half / inertia));
    }

    /// Gives each grain a skin that follows from its speed, `widest` (meters) for the fastest: so all take about as long to go through theirs, and
    /// slow ones do not keep pairs that they will not need.
    pub(super) fn pad(&mut self, widest: f64) {
        let fastest = max(self.len(), |grain| self.velocities[grain].length_squared());
        // The share of the highest speed, whose square may be too small to divide by.
        let inverse = if fastest > f64::MIN_POSITIVE { fastest.recip() } else { 0.0 };
        let grains = self.spheres.par_iter().zip(&self.velocities).with_min_len(8192);
        let padded = grains.map(|(sphere, velocity)| {
            let share = (velocity.length_squared() * inverse).sqrt();
            Sphere { radius: sphere.radius + widest * (LEAST_SKIN + (1.0 - LEAST_SKIN) * share), ..*sphere }
        });
        padded.collect_into_vec(&mut self.padded);
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
        self.spheres.capacity() * 64 + 24 * 4 * self.velocities.capacity() + 8 * self.masses.capacity() + 8 * self.ids.capacity()
    }
}
