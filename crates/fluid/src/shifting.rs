//! Particle shifting (Lind, Xu, Stansby & Rogers 2012) in enclosed fluid: where there is no room, particles line up along the streamlines
//! of a stretching flow and are packed unevenly. They are moved down the gradient of their concentration,
//!
//! ```text
//! δx_i = −A h U dt Σ_j V ∇W_ij
//! ```
//!
//! with the maximum speed `U` relative to the mean velocity, next to walls only along them. Velocities and linear momentum stay; the ledger books the change of angular momentum. In fluid with a
//! surface, pressure alone keeps particles evenly packed, and nothing is shifted.

use glam::Vec3A;
use plimsoll_base::math::parallel::TASK;
use rayon::prelude::*;

use crate::{
    coupling::{Ledger, WallSearch},
    neighbourhood::Neighbourhood,
    particles::Particles,
    pressure::{is_enclosed, max_speed},
    settings::FluidSettings,
};

/// `A`. With 0.5 the Taylor–Green vortex decays 10 % too fast at 25 particles per period, with 2 it decays 3 % too fast; with 4 and 50
/// particles the energy jumps (`plimsoll validate taylor_green`).
const STRENGTH: f32 = 2.0;
/// Maximum shift in a step, in particle radii.
const MAX_SHIFT: f32 = 0.1;

/// Shifts the particles after a step of `dt` (s), before they move.
pub fn shift(
    settings: &FluidSettings,
    neighbourhood: &Neighbourhood,
    walls: &WallSearch,
    dt: f64,
    particles: &mut Particles,
    ledger: &mut Ledger,
) {
    if !is_enclosed(settings, &particles.relative_densities) {
        return;
    }
    let (kernel, neighbours, contacts) = (settings.kernel(), &neighbourhood.pairs.neighbours, &walls.contacts);
    let (volume, radius) = (settings.particle_volume() as f32, settings.particle_radius as f32);
    let Particles { positions, velocities, .. } = &*particles;
    let diffusivity = STRENGTH * kernel.support_radius() * max_speed(velocities) as f32;
    let shift = |i: usize| {
        let mut gradient = Vec3A::ZERO;
        for j in neighbours.of(i) {
            let x_ij = neighbours.difference(positions[i], positions[j as usize]);
            gradient += volume * kernel.gradient_factor(x_ij.length()) * x_ij;
        }
        for contact in contacts.of(i) {
            let normal = contact.gradient.normalize_or_zero();
            gradient -= normal * gradient.dot(normal);
        }
        (-diffusivity * dt as f32 * gradient).clamp_length_max(MAX_SHIFT * radius)
    };
    let shifts: Vec<Vec3A> = (0..positions.len()).into_par_iter().with_min_len(TASK).map(shift).collect();
    ledger.shift(particles, &shifts, &settings.masses());
}
