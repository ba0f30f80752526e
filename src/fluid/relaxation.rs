//! Placed fluid is relaxed before time begins: where the lattice was carved it is too dense, and would burst.
//!
//! Positions, not velocities, are moved, by what the pressure solve would do to fluid at rest without gravity, until no density is
//! above the rest density by more than a percent. What cannot be relaxed is dropped.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bodies::{Body, Response},
    fluid::{
        FluidSettings,
        collisions::CollisionScene,
        parallel::greatest,
        particles::Particles,
        pressure::{PressureSystem, SolveLimits},
        scratch::{Scratch, particle_mass},
    },
};

/// Greatest excess of density left, relative to the rest density.
const EXCESS: f32 = 0.01;
const ROUNDS: u32 = 60;
/// Farthest that a particle moves in a round, in particle radii.
const STRIDE: f32 = 0.2;

/// How the relaxation ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relaxation {
    pub rounds: u32,
    /// Greatest excess of density over the rest density, relative.
    pub excess: f32,
    pub dropped: u64,
}

impl Relaxation {
    /// A line for the user if fluid had to be left out.
    pub fn warning(&self) -> Option<String> {
        (self.dropped > 0).then(|| format!("{} placed particles found no room and were left out", self.dropped))
    }
}

/// Relaxes `particles` among `bodies`, which stand still.
pub fn relax(settings: &FluidSettings, particles: &mut Particles, bodies: &[Body], scratch: &mut Scratch) -> Relaxation {
    let mut relaxation = Relaxation::default();
    loop {
        scratch.search(settings, particles, bodies);
        let rest_density = settings.density as f32;
        relaxation.excess = greatest(particles.len(), |i| particles.densities[i] / rest_density - 1.0);
        if relaxation.excess <= EXCESS {
            return finish(particles, relaxation);
        }
        if relaxation.rounds >= ROUNDS {
            let dense: Vec<bool> = particles.densities.iter().map(|density| density / rest_density - 1.0 > EXCESS).collect();
            let before = particles.len();
            particles.retain(|index| !dense[index]);
            relaxation.dropped += (before - particles.len()) as u64;
            relaxation.rounds = 0;
            continue;
        }
        relax_once(settings, particles, bodies, scratch);
        relaxation.rounds += 1;
    }
}

fn finish(particles: &mut Particles, relaxation: Relaxation) -> Relaxation {
    // Ids follow the order in which the fluid was placed; pressures of the relaxation are no pressures of the fluid.
    particles.density_pressures.fill(0.0);
    particles.divergence_pressures.fill(0.0);
    relaxation
}

fn relax_once(settings: &FluidSettings, particles: &mut Particles, bodies: &[Body], scratch: &mut Scratch) {
    let still = |body: &Body| Response { center: body.center(), inverse_mass: DVec3::ZERO, inverse_inertia: glam::DMat3::ZERO };
    let responses: Vec<Response> = bodies.iter().map(still).collect();
    let rest_density = settings.density as f32;
    let system = PressureSystem {
        mass: particle_mass(settings) as f32,
        rest_density,
        positions: &particles.positions,
        links: &scratch.links,
        contacts: &scratch.contacts,
        responses: &responses,
    };
    // One second as time step: accelerations are displacements.
    let b: Vec<f32> = particles.densities.par_iter().map(|density| density - rest_density).collect();
    particles.density_pressures.fill(0.0);
    let limits = SolveLimits { tolerance_percent: 0.01, iterations: 50, percent_per_residual: 100.0 / f64::from(rest_density) };
    scratch.solver.solve(&system, &b, &mut particles.density_pressures, limits);
    system.accelerate(&particles.density_pressures, &mut scratch.accelerations);
    let stride = STRIDE * settings.particle_radius as f32;
    let (start, displacements) = (&particles.positions, &scratch.accelerations);
    let target = |i: usize| (start[i] + displacements[i].clamp_length_max(stride)).as_dvec3();
    let scene = CollisionScene {
        bodies,
        triangles: &scratch.triangles,
        near: &scratch.mapping.near,
        clearance: 0.05 * settings.particle_radius,
    };
    let stops = scene.stops(&scratch.contacts, start, target);
    let mut moved: Vec<Vec3A> = (0..particles.len()).into_par_iter().map(|i| target(i).as_vec3a()).collect();
    for stop in stops {
        moved[stop.particle as usize] = stop.target.as_vec3a();
    }
    particles.positions = moved;
}
