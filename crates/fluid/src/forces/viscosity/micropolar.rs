//! Force and torque between the flow and the spin of a micropolar fluid (`fluid/micropolar.rs`).
//!
//! ```text
//! m a_i   = −V Σ_j V (τ_i B_iᵀ L_i + τ_j B_jᵀ L_j) ∇W_ij,     τ_i = w_i ρ0 ν_r (G_i − G_iᵀ − 2 [ω_i]×)
//! m Θ α_i = 2 m w_i ν_r (c_i − 2 ω_i) + V Σ_j V 2 γ ½ (ρ0_i + ρ0_j) F_ij (ω_i − ω_j),     F_ij = W'(x_ij)/|x_ij|
//! ```
//!
//! with the velocity gradient `G_i` of the viscous forces, its curl `c_i` and the share `w_i` of the particle's volume that lies between its
//! neighbours. Force and torque are minus the gradients of the dissipation `½ Σ_i V w_i ρ0 ν_r |c_i − 2 ω_i|²` in velocities and spins. It does
//! not change if flow and spins turn together, because `G_i` is exact for a rotation: angular momentum is conserved to rounding. The
//! diffusion is Brookshaw's (1985), an exchange between pairs.

use glam::{Mat3A, Vec3A};
use plimsoll_base::math::{
    lanes::{BlockLists, BlockWork, Blocks, LANES, Lanes, algebra::*},
    parallel::{InTasks, TASK},
};
use rayon::prelude::*;

use super::{
    linear_flow::{Factor, FlowFactors, FlowFit, LinearFlows, eight_flows, load_from},
    pair_forces::PairForces,
};
use crate::{
    coupling::Origin,
    forces::term::{ForceContext, Impulses, Term},
    material::ByMaterial,
};

pub const TERM: Term = Term { origin: Origin::Inside, is_active: |context| context.settings.micropolar.is_some(), impulses };

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { on_particles, on_spins, flows, copied, .. } = impulses;
    let ForceContext { settings, positions, velocities, .. } = *context;
    let Some(micropolar) = &settings.micropolar else { return };
    on_spins.resize(positions.len(), Vec3A::ZERO);
    copied.stresses.clone_from(&flows.stresses);
    copied.deviations.clear();
    copied.deviations.resize(positions.len(), 0.0);
    let kernel = settings.kernel();
    let forces = PairForces::new(context, &kernel, FlowFactors::linear(Factor::Same(0.0), Factor::Same(0.0)));
    couple(context, &forces, micropolar.coupling(context.dt), copied, on_spins);
    forces.spread(velocities, copied, on_particles);
    if micropolar.spin_viscosity > 0.0 {
        diffuse(context, 2.0 * micropolar.spin_viscosity * context.dt, on_spins);
    }
}

/// Finds the stresses of the flows and the torques on the spins over a step with this `coupling` (ν_r dt, m²).
fn couple(context: &ForceContext, forces: &PairForces, coupling: f64, flows: &mut LinearFlows, on_spins: &mut [Vec3A]) {
    let settings = context.settings;
    let volume = settings.particle_volume();
    let coupling = Coupling {
        fit: &forces.fit(context.velocities),
        spins: context.spins,
        materials: context.materials,
        factors: settings.relative_densities().map(|density| (volume * density * coupling) as f32),
        mass: forces.mass,
    };
    let results = flows.stresses.par_chunks_mut(TASK).zip(on_spins.par_chunks_mut(TASK));
    context.pairs.neighbours.batches().par_iter().zip(results).in_tasks(1).for_each(|(neighbours, (stresses, torques))| {
        neighbours.compute(CouplingPass { coupling: &coupling, neighbours, stresses, torques });
    });
}

/// Adds the exchange of spin between pairs; `twice` is 2 γ dt, m⁴.
fn diffuse(context: &ForceContext, twice: f64, on_spins: &mut [Vec3A]) {
    let ForceContext { settings, positions, spins, materials, pairs, .. } = *context;
    let (neighbours, kernel) = (&pairs.neighbours, settings.kernel());
    let factors = settings.masses().map(|mass| (0.5 * mass * settings.particle_volume() * twice) as f32);
    on_spins.par_iter_mut().enumerate().in_tasks(TASK).for_each(|(i, torque)| {
        for j in neighbours.of(i) {
            let j = j as usize;
            let distance = neighbours.difference(positions[i], positions[j]).length();
            let factor = (factors.of(materials[i]) + factors.of(materials[j])) * kernel.gradient_factor(distance);
            *torque += factor * (spins[i] - spins[j]);
        }
    });
}

/// What couples flow and spins.
struct Coupling<'a> {
    fit: &'a FlowFit<'a>,
    spins: &'a [Vec3A],
    materials: &'a [u8],
    /// Volume times `ν_r dt`, times the density in units of that of the first fluid.
    factors: ByMaterial<f32>,
    /// Mass of a particle of the first fluid, kg.
    mass: f32,
}

/// Finds the stresses and torques (N m s) of a batch of particles. The stresses must be the isotropy corrections before.
struct CouplingPass<'a> {
    coupling: &'a Coupling<'a>,
    neighbours: &'a BlockLists,
    stresses: &'a mut [Mat3A],
    torques: &'a mut [Vec3A],
}

impl BlockWork for CouplingPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { coupling: &Coupling { fit, spins, materials, factors, mass }, neighbours, stresses, torques } = self;
        let (zero, two) = (L::splat(0.0), L::splat(2.0));
        for at in (0..neighbours.len()).step_by(LANES) {
            let first = neighbours.first() + at;
            let correction = load_matrices::<L>(stresses, at);
            let flow = eight_flows::<L, B>(fit, blocks, neighbours, at, correction);
            let factor = load_from::<L>(materials[first..].iter().map(|&material| factors.of(material)));
            let (spin, curl) = (load_vectors::<L>(&spins[first..]), curl(flow.gradient));
            let [x, y, z] = times(plus(curl, times(spin, zero - two)), factor);
            let turn = [[zero, z, zero - y], [zero - z, zero, x], [y, zero - x, zero]];
            store_matrices(matrix_product(matrix_product(turn, flow.lever), correction), stresses, at);
            store_vectors(times([x, y, z], two * L::splat(mass) * flow.weight), &mut torques[at..]);
        }
    }
}
