//! The speed of the fluid that limits the length of a step (the CFL condition).
//!
//! The limit keeps particles from passing other particles, or walls, between two steps. Where nothing is at rest, only velocities relative to
//! what a particle can meet matter: fluid that falls past all bodies does not shorten the steps of the rest
//! (docs/theory/time-step.md#fluid-away-from-all-bodies).

use std::ops::Range;

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{Aabb, parallel::max};
use plimsoll_bodies::{Bodies, Body};
use rayon::prelude::*;

use crate::{FluidSettings, particles::Particles, step_length::Fastest};

/// A particle below this relative density (an isolated one has 0.32) has hardly any neighbours. As a drop in free flight it may travel
/// farther in a step than other fluid; its whole path is checked for hits.
const LONELY: f32 = 0.35;
/// Share of a lonely particle's speed that counts for the length of the step.
const LONELY_WEIGHT: f32 = 0.25;

/// One in this many vertices of a body gives a first idea of where it is.
const SAMPLED_VERTICES: usize = 64;

/// The fluid, and what it can meet in a step.
pub struct MovingFluid<'a> {
    pub settings: &'a FluidSettings,
    pub particles: &'a Particles,
    pub bodies: &'a Bodies,
    /// Maximum speed of any point of a body over a longest step, m/s.
    pub body_speed: f64,
    /// Maximum acceleration by gravity and fields, m/s².
    pub acceleration: f64,
}

impl MovingFluid<'_> {
    /// The speed that counts, m/s: that of the fastest particle, or less if it is away from all bodies.
    pub fn cfl_speed(&self) -> f64 {
        let fastest = self.fastest(|_| true);
        let limit = Fastest { speed: f64::from(fastest) + self.body_speed, acceleration: self.acceleration };
        let longest = self.settings.longest_step(self.acceleration).max(self.settings.time_step.minimum);
        if self.settings.cfl_step(limit) >= longest {
            return fastest.into();
        }
        let near_to = |held: Aabb| move |i: usize| held.overlaps(&self.path(i, longest));
        // The box around some of the vertices is within that around all, and usually meets the fastest particle.
        if self.fastest(near_to(self.surroundings(longest, SAMPLED_VERTICES))) >= fastest {
            return fastest.into();
        }
        let is_near = near_to(self.surroundings(longest, 1));
        let near = self.fastest(is_near);
        if near >= fastest {
            return fastest.into();
        }
        let away: Vec<u32> = (0..self.particles.len() as u32).into_par_iter().filter(|&i| !is_near(i as usize)).collect();
        near.max(self.relative_speed(&away, longest)).into()
    }

    /// The maximum of what the speed of each particle that `counts` adds to the limit, m/s.
    fn fastest(&self, counts: impl Fn(usize) -> bool + Sync) -> f32 {
        max(self.particles.len(), |i| if counts(i) { self.weighted_speed(i) } else { 0.0 })
    }

    fn weighted_speed(&self, i: usize) -> f32 {
        let weight = if self.particles.relative_densities[i] < LONELY { LONELY_WEIGHT } else { 1.0 };
        weight * self.particles.velocities[i].length()
    }

    /// The box around everything at rest or prescribed that acts on fluid in it, and how far that acts and moves in `dt` seconds, m; of the bodies,
    /// around one in `stride` of their vertices.
    fn surroundings(&self, dt: f64, stride: usize) -> Aabb {
        let settings = self.settings;
        let around = |body: &Body| Aabb::around(body.mesh.vertices.iter().step_by(stride).map(|&vertex| body.pose.transform_point(vertex)));
        let bodies = self.bodies.list.iter().map(around);
        let zones = settings.damping_zones.iter().map(|zone| zone.region);
        // A field that is the same everywhere accelerates neighbours alike.
        let everywhere = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        let varying = settings.acceleration_fields.iter().filter(|field| field.region.is_some() || !field.is_uniform());
        let fields = varying.map(|field| field.region.unwrap_or(everywhere));
        let all = bodies.chain(zones).chain(fields).chain(settings.drains.iter().copied()).fold(Aabb::EMPTY, Aabb::union);
        let mut around = all.inflated(settings.support_radius() + self.body_speed * dt + self.acceleration * dt * dt);
        for axis in (0..3).filter(|&axis| settings.domain.periodic[axis]) {
            (around.min[axis], around.max[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        if all.is_empty() { Aabb::EMPTY } else { around }
    }

    /// The box around the path of a particle in `dt` seconds, m.
    fn path(&self, i: usize, dt: f64) -> Aabb {
        let start = self.particles.positions[i].as_dvec3();
        Aabb::around([start, start + dt * self.particles.velocities[i].as_dvec3()])
    }

    /// The maximum speed of the particles `away` relative to fluid that they can meet in `dt` seconds, m/s; for none more than its own.
    fn relative_speed(&self, away: &[u32], dt: f64) -> f32 {
        let Particles { positions, velocities, .. } = self.particles;
        let fastest = f64::from(max(velocities.len(), |i| velocities[i].length_squared()).sqrt());
        // Two particles farther apart do not come within the kernel's support.
        let reach = self.settings.support_radius() + 2.0 * fastest * dt;
        let around = Aabb::around(away.iter().map(|&i| positions[i as usize].as_dvec3())).inflated(reach);
        let grid = VelocityGrid::new(self, reach, |i| self.settings.domain.is_periodic() || around.contains(positions[i].as_dvec3()));
        let of_cell = |cell: &VelocityCell| {
            let [low, high] = grid.velocities_around(cell.key);
            let relative = |&i: &u32| {
                let velocity = velocities[i as usize];
                (velocity - low).max(high - velocity).length().min(self.weighted_speed(i as usize))
            };
            let members = grid.members[cell.members.clone()].iter().map(|(_, i)| i);
            members.filter(|i| away.binary_search(i).is_ok()).map(relative).fold(0.0, f32::max)
        };
        grid.cells.par_iter().map(of_cell).reduce(|| 0.0, f32::max)
    }
}

/// Coordinates of a cell.
type CellKey = [i64; 3];

/// Particles in large cells.
struct VelocityGrid {
    /// In increasing order of their keys.
    cells: Vec<VelocityCell>,
    /// The particles, cell by cell.
    members: Vec<(CellKey, u32)>,
}

struct VelocityCell {
    key: CellKey,
    members: Range<usize>,
    /// Bounds of the components of their velocities, m/s.
    velocities: [Vec3A; 2],
}

impl VelocityGrid {
    /// The particles that are `wanted` in cells with edges of `side` (m). Along periodic axes there is only one cell.
    fn new(fluid: &MovingFluid, side: f64, wanted: impl Fn(usize) -> bool + Sync) -> Self {
        let Particles { positions, velocities, .. } = fluid.particles;
        let open = DVec3::from_array(fluid.settings.domain.periodic.map(|periodic| if periodic { 0.0 } else { 1.0 / side }));
        let key = |i: usize| (positions[i].as_dvec3() * open).floor().to_array().map(|cell| cell as i64);
        let places = (0..positions.len()).into_par_iter().filter(|&i| wanted(i));
        let mut members: Vec<(CellKey, u32)> = places.map(|i| (key(i), i as u32)).collect();
        members.par_sort_unstable();
        let mut cells: Vec<VelocityCell> = Vec::new();
        for (place, &(key, i)) in members.iter().enumerate() {
            let velocity = velocities[i as usize];
            match cells.last_mut().filter(|cell| cell.key == key) {
                Some(VelocityCell { members, velocities: [low, high], .. }) => {
                    members.end = place + 1;
                    (*low, *high) = (low.min(velocity), high.max(velocity));
                }
                None => cells.push(VelocityCell { key, members: place..place + 1, velocities: [velocity; 2] }),
            }
        }
        Self { cells, members }
    }

    /// Bounds of the velocities in a cell and those next to it, m/s.
    fn velocities_around(&self, key: CellKey) -> [Vec3A; 2] {
        let mut bounds = [Vec3A::INFINITY, Vec3A::NEG_INFINITY];
        for neighbour in 0..27 {
            let offset = [neighbour % 3 - 1, neighbour / 3 % 3 - 1, neighbour / 9 - 1];
            let key: CellKey = std::array::from_fn(|axis| key[axis].saturating_add(offset[axis]));
            if let Ok(found) = self.cells.binary_search_by_key(&key, |cell| cell.key) {
                let [low, high] = self.cells[found].velocities;
                bounds = [bounds[0].min(low), bounds[1].max(high)];
            }
        }
        bounds
    }
}
