//! Hyperviscosity: the artificial viscosity applied twice, `F = −s K M⁻¹ K v` instead of `−s K v`, with the share s that a step removes, the forces
//! `−K v` on the deviations from the smooth flow and the masses M.
//!
//! The deviations of a vortex of wavelength L are smaller than those of noise by about `(h/L)⁴`. Twice, they are smaller by the square of that: noise is
//! damped as before, and vortices last longer. `K` is symmetric, so energy only decreases; it maps any velocities to forces without total linear and
//! angular momentum.

use glam::Vec3A;
use plimsoll_base::math::parallel::{InTasks, TASK};
use rayon::prelude::*;

use super::{linear_flow::LinearFlows, pair_forces::PairForces, particle_factors::FluidFactors, unit_of_deviations};
use crate::{
    coupling::Origin,
    forces::term::{ForceContext, Impulses, Term},
};

pub const TERM: Term = Term {
    origin: Origin::Inside,
    is_active: |context| context.settings.viscosity.hyperviscosity && context.settings.noise_rate() > 0.0,
    impulses,
};

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { on_particles, flows, factors, copied, deviations, .. } = impulses;
    let ForceContext { settings, velocities, inverse_masses, materials, pairs, .. } = *context;
    let share = -(-settings.noise_rate() * context.dt).exp_m1() as f32;
    let of_all = |factor: f32| settings.relative_densities().map(|_| factor);
    let unit = of_all(unit_of_deviations(settings));
    // Linear in the velocities, so that the second time applies the same operator.
    let fluids = FluidFactors { strain: of_all(0.0), deviations: unit, noise: unit };
    if settings.material_count() > 1 {
        let relative = settings.relative_densities().map(|density| density as f32);
        factors.update(pairs, materials, &fluids, &relative);
    }
    let kernel = settings.kernel();
    let forces = PairForces::new(context, &kernel, factors.of_flows(&fluids));
    let apply = |velocities: &[Vec3A], copied: &mut LinearFlows, on_particles: &mut [Vec3A]| {
        copied.stresses.clone_from(&flows.stresses);
        forces.impulses(velocities, copied, on_particles);
    };
    apply(velocities, copied, on_particles);
    let of_particles = on_particles.par_iter().zip(inverse_masses);
    of_particles.map(|(&impulse, w)| -share * w * impulse).in_tasks(TASK).collect_into(deviations);
    apply(deviations, copied, on_particles);
}
