//! The state of the grains, in arrays in the cell order of the search.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_base::math::parallel::{InTasks, max};
use plimsoll_search::{Sphere, hierarchical_grid::HierarchicalGrid};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Skin of a grain at rest, as a fraction of the widest skin. It is not zero, because an impact can start it suddenly.
const MIN_SKIN: f64 = 0.3;

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
    /// Group of the scene of each grain; grains with given positions are in one last group.
    pub groups: Vec<u16>,
    /// Number of the grain in the order of placement.
    pub ids: Vec<u32>,
    /// Contact forces only, N.
    pub forces: Vec<DVec3>,
    /// Contact torques, N m.
    pub torques: Vec<DVec3>,
    /// Each grain as of the last search, enlarged by its skin: the distance that it may move before the next search.
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

/// Buffers for reordering arrays.
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

    /// Reorders all grains according to the last sort.
    pub(super) fn reorder(&mut self, grid: &HierarchicalGrid, exchange: &mut Exchange) {
        grid.reorder(&mut self.spheres, &mut exchange.spheres);
        grid.reorder(&mut self.velocities, &mut exchange.vectors);
        grid.reorder(&mut self.angular_velocities, &mut exchange.vectors);
        grid.reorder(&mut self.masses, &mut exchange.numbers);
        grid.reorder(&mut self.materials, &mut exchange.short);
        grid.reorder(&mut self.groups, &mut exchange.short);
        grid.reorder(&mut self.ids, &mut exchange.long);
        // A search before a step keeps the forces of the last one.
        grid.reorder(&mut self.forces, &mut exchange.vectors);
        grid.reorder(&mut self.torques, &mut exchange.vectors);
    }

    /// Half a step of acceleration by contact forces and gravity (m/s²).
    pub(super) fn kick(&mut self, half: f64, gravity: DVec3) {
        let forces = self.forces.par_iter().zip(&self.masses);
        self.velocities
            .par_iter_mut()
            .zip(forces)
            .in_tasks(8192)
            .for_each(|(velocity, (force, mass))| *velocity += (*force / *mass + gravity) * half);
    }

    /// Same as `kick`, followed by a step of motion over `dt` seconds. Returns whether any grain has moved farther than its skin.
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

    /// Half a step of angular acceleration. The moment of inertia of a solid sphere is `2/5 m r²`.
    pub(super) fn twist(&mut self, half: f64) {
        let inertias = self.spheres.par_iter().zip(&self.masses).map(|(sphere, mass)| 0.4 * mass * sphere.radius * sphere.radius);
        let torques = self.torques.par_iter().zip(inertias);
        self.angular_velocities
            .par_iter_mut()
            .zip(torques)
            .in_tasks(8192)
            .for_each(|(spin, (torque, inertia))| *spin += *torque * (half / inertia));
    }

    /// Gives each grain a skin that depends on its speed; the fastest gets `widest` (m). All grains then take about the same time to cross
    /// their skins, and slow grains do not keep pairs that they do not need.
    pub(super) fn pad(&mut self, widest: f64) {
        let fastest = max(self.len(), |grain| self.velocities[grain].length_squared());
        // Speed as a fraction of the maximum speed. Its square may be too small to divide by.
        let inverse = if fastest > f64::MIN_POSITIVE { fastest.recip() } else { 0.0 };
        let grains = self.spheres.par_iter().zip(&self.velocities).with_min_len(8192);
        let padded = grains.map(|(sphere, velocity)| {
            let share = (velocity.length_squared() * inverse).sqrt();
            Sphere { radius: sphere.radius + widest * (MIN_SKIN + (1.0 - MIN_SKIN) * share), ..*sphere }
        });
        padded.collect_into_vec(&mut self.padded);
    }

    /// Index of the grain with each id.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.len()];
        for (place, &id) in self.ids.iter().enumerate() {
            places[id as usize] = place as u32;
        }
        places
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.spheres.capacity() * 64 + 24 * 4 * self.velocities.capacity() + 8 * self.masses.capacity() + 8 * self.ids.capacity()
    }
}
