//! Placed fluid is relaxed before time begins.
//!
//! Where the lattice was carved it is too dense, and would burst. Positions, not velocities, are moved, by what the pressure solve would do to
//! fluid at rest without gravity, until no density is above the rest density by more than two thousandths. If that is not
//! reached, what is denser by more than a hundredth has no room and is dropped.
//!
//! Fluid that is to be at rest when time begins is settled as well: gravity moves it in the same way, with what it moved in the
//! last round damped, until nothing moves much. A lattice is no state of rest: its surface packs closer than its inside, and
//! would set the pool in motion as it does so.

use glam::{DMat3, DVec3, Vec3A};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bodies::{Body, Compliance},
    fluid::{
        FluidSettings,
        collisions::CollisionScene,
        particles::Particles,
        pressure::{PressureSystem, RigidMotion, SolveLimits},
        scratch::{Scratch, particle_mass},
    },
    math::parallel::greatest,
};

/// Greatest excess of density aimed at, relative to the rest density.
const EXCESS: f32 = 0.002;
const ROUNDS: u32 = 60;
/// Greatest excess of density left after that many rounds: what is denser has no room.
const GREATEST_EXCESS: f32 = 0.01;
/// Mean error of density left by the solve of a round, percent: the few particles along an edge that are too dense count for little in
/// a mean over all.
const TOLERANCE: f64 = 1e-4;
/// Farthest that a particle moves in a round, in particle radii.
const STRIDE: f32 = 0.2;
/// How far gravity moves a particle in the first and the last round of settling, in particle radii: shaken first, then let come to rest, in
/// the end by what a step of usual length does. Shaken less, a particle here and there stays caught between the layers along a wall
/// and falls into place after time has begun.
const SETTLING_FALLS: [f64; 2] = [0.16, 0.02];
/// Share of the last round's displacement that is kept in settling.
const SETTLING_KEPT: f32 = 0.95;
const SETTLING_ROUNDS: u32 = 600;

/// How the relaxation ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relaxation {
    pub rounds: u32,
    /// Greatest excess of density over the rest density, relative.
    pub excess: f32,
    pub dropped: u64,
    pub settled: bool,
}

impl Relaxation {
    /// A line for the user if fluid had to be left out.
    pub fn warning(&self) -> Option<String> {
        (self.dropped > 0).then(|| format!("{} placed particles found no room and were left out", self.dropped))
    }
}

/// Relaxes `particles` among `bodies`, which stand still.
pub fn relax(settings: &FluidSettings, particles: &mut Particles, bodies: &[Body], scratch: &mut Scratch) -> Relaxation {
    let mut relaxer = Relaxer::new(settings, bodies);
    let mut relaxation = Relaxation::default();
    relaxer.remove_excess(particles, scratch, &mut relaxation);
    if settings.settle && settings.gravity != DVec3::ZERO {
        relaxer.settle(particles, scratch);
        relaxation.settled = true;
    }
    // Pressures of the relaxation are no pressures of the fluid.
    particles.density_pressures.fill(0.0);
    particles.divergence_pressures.fill(0.0);
    relaxation
}

struct Relaxer<'a> {
    settings: &'a FluidSettings,
    bodies: &'a [Body],
    /// Bodies stand still, whatever pushes them.
    compliances: Vec<Compliance>,
    motions: Vec<RigidMotion>,
}

impl<'a> Relaxer<'a> {
    fn new(settings: &'a FluidSettings, bodies: &'a [Body]) -> Self {
        let compliance = |body: &Body| Compliance { center: body.center(), inverse_mass: DVec3::ZERO, inverse_inertia: DMat3::ZERO };
        let motion = |body: &Body| RigidMotion { center: body.center(), ..RigidMotion::default() };
        Self { settings, bodies, compliances: bodies.iter().map(compliance).collect(), motions: bodies.iter().map(motion).collect() }
    }

    fn remove_excess(&mut self, particles: &mut Particles, scratch: &mut Scratch, relaxation: &mut Relaxation) {
        let rest_density = self.settings.density as f32;
        let excess = |density: f32| density / rest_density - 1.0;
        loop {
            scratch.search(self.settings, particles, self.bodies);
            relaxation.excess = greatest(particles.len(), |i| excess(particles.densities[i]));
            let done = relaxation.rounds >= ROUNDS;
            if relaxation.excess <= if done { GREATEST_EXCESS } else { EXCESS } {
                return;
            }
            if !done {
                relaxation.rounds += 1;
                particles.density_pressures.fill(0.0);
                let still = vec![Vec3A::ZERO; particles.len()];
                self.round(particles, scratch, &still);
            } else {
                let dense: Vec<bool> = particles.densities.iter().map(|&density| excess(density) > GREATEST_EXCESS).collect();
                relaxation.dropped += dense.iter().filter(|&&dense| dense).count() as u64;
                relaxation.rounds = 0;
                particles.retain(|index| !dense[index]);
            }
        }
    }

    fn settle(&mut self, particles: &mut Particles, scratch: &mut Scratch) {
        let [first, last] = SETTLING_FALLS;
        let down = self.settings.gravity.normalize() * self.settings.particle_radius;
        // The velocities carry the displacements through the sorting; the fluid's own are put back by id.
        let mut velocities = vec![Vec3A::ZERO; particles.len()];
        for (&id, &velocity) in particles.ids.iter().zip(&particles.velocities) {
            velocities[id as usize] = velocity;
        }
        particles.velocities.fill(Vec3A::ZERO);
        particles.density_pressures.fill(0.0);
        for round in 0..SETTLING_ROUNDS {
            let fall = (down * first * (last / first).powf(f64::from(round) / f64::from(SETTLING_ROUNDS))).as_vec3a();
            scratch.search(self.settings, particles, self.bodies);
            let wanted: Vec<Vec3A> = particles.velocities.par_iter().map(|&last| fall + SETTLING_KEPT * last).collect();
            let before = particles.positions.clone();
            self.round(particles, scratch, &wanted);
            let moved = particles.velocities.par_iter_mut().zip(&particles.positions).zip(&before);
            moved.for_each(|((displacement, &after), &before)| *displacement = after - before);
        }
        for (velocity, &id) in particles.velocities.iter_mut().zip(&particles.ids) {
            *velocity = velocities[id as usize];
        }
    }

    /// Moves the particles by the displacements `wanted`, less what would leave them too dense.
    fn round(&self, particles: &mut Particles, scratch: &mut Scratch, wanted: &[Vec3A]) {
        let rest_density = self.settings.density as f32;
        let mut solver = std::mem::take(&mut scratch.solver);
        let mut corrections = std::mem::take(&mut scratch.accelerations);
        let system = PressureSystem {
            mass: particle_mass(self.settings) as f32,
            rest_density,
            positions: &particles.positions,
            links: &scratch.links,
            contacts: &scratch.contacts,
            compliances: &self.compliances,
            held: &[],
        };
        // With a second as time step, velocities and accelerations are displacements.
        let excess = |i: usize| particles.densities[i] + system.density_rate(i, wanted, &self.motions) - rest_density;
        let b: Vec<f32> = (0..particles.len()).into_par_iter().with_min_len(256).map(excess).collect();
        let limits =
            SolveLimits { tolerance_percent: TOLERANCE, iterations: 50, least: 0, percent_per_residual: 100.0 / f64::from(rest_density) };
        solver.solve(&system, &b, &mut particles.density_pressures, limits);
        system.accelerate(&particles.density_pressures, &mut corrections);
        let stride = STRIDE * self.settings.particle_radius as f32;
        let start = &particles.positions;
        let target = |i: usize| start[i] + (wanted[i] + corrections[i]).clamp_length_max(stride);
        let clearance = 0.05 * self.settings.particle_radius;
        let scene = CollisionScene { bodies: self.bodies, triangles: &scratch.triangles, near: &scratch.mapping.near, clearance };
        let stops = scene.stops(&scratch.contacts, start, |i| Some(target(i).as_dvec3()));
        let mut moved: Vec<Vec3A> = (0..particles.len()).into_par_iter().map(target).collect();
        for stop in stops {
            moved[stop.particle as usize] = stop.target.as_vec3a();
        }
        particles.positions = moved;
        scratch.solver = solver;
        scratch.accelerations = corrections;
    }
}
