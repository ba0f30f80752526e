//! Viscous impulses between particles: a linear, symmetric and dissipative function of their velocities.

use glam::Vec3A;
use plimsoll_base::math::{
    Periods,
    lanes::{BlockLists, BlockWork, Blocks, Eight, Lanes, algebra::*},
    parallel::{InTasks, TASK},
};
use rayon::prelude::*;

use super::linear_flow::{FlowFactors, FlowFit, LinearFlows};
use crate::{
    forces::term::ForceContext,
    neighbourhood::{AHEAD, Kernel, Pairs},
};

/// What the impulses depend on apart from the velocities.
#[derive(Clone, Copy)]
pub struct PairForces<'a> {
    pub pairs: &'a Pairs,
    pub kernel: &'a Kernel,
    pub positions: &'a [Vec3A],
    /// Volume times the length of the step times `ν` for the strain rates, and times half of `α h c + 2 ν` for the deviations; densities in units of
    /// that of the first fluid.
    pub factors: FlowFactors<'a>,
    /// See [`FlowFit`].
    pub of_divergence: f32,
    /// Volume times the factor of XSPH.
    pub xsph: f32,
    /// Density of each particle for XSPH, in units of that of the first fluid; empty if all are one.
    pub weights: &'a [f32],
    /// Mass of a particle of the first fluid, kg.
    pub mass: f32,
}

impl<'a> PairForces<'a> {
    /// Those of strain rates and deviations alone, with these factors.
    pub fn new(context: &ForceContext<'a>, kernel: &'a Kernel, factors: FlowFactors<'a>) -> Self {
        let &ForceContext { settings, positions, pairs, .. } = context;
        Self { pairs, kernel, positions, factors, of_divergence: 0.0, xsph: 0.0, weights: &[], mass: settings.masses().of(0) as f32 }
    }
}

impl PairForces<'_> {
    /// What the flow is fitted to if the particles move with `velocities` (m/s).
    pub fn fit<'a>(&'a self, velocities: &'a [Vec3A]) -> FlowFit<'a> {
        let &Self { pairs, kernel, positions, factors, of_divergence, .. } = self;
        FlowFit { pairs, kernel, positions, velocities, factors, of_divergence }
    }

    /// Impulses on the particles that move with `velocities` (m/s), N s. The stresses of `flows` must be the isotropy corrections before.
    pub fn impulses(&self, velocities: &[Vec3A], flows: &mut LinearFlows, on_particles: &mut [Vec3A]) {
        flows.fit(&self.fit(velocities));
        self.spread(velocities, flows, on_particles);
    }

    /// What the stresses and deviations of `flows` do to the particles, N s.
    pub fn spread(&self, velocities: &[Vec3A], flows: &LinearFlows, on_particles: &mut [Vec3A]) {
        let periods = self.pairs.neighbours.periods();
        self.pairs.neighbours.batches().par_iter().zip(on_particles.par_chunks_mut(TASK)).in_tasks(1).for_each(|(neighbours, impulses)| {
            neighbours.compute(ViscosityPass { forces: self, neighbours, periods, velocities, flows, impulses });
        });
    }
}

/// Impulses on the particles of a batch, N s.
struct ViscosityPass<'a> {
    forces: &'a PairForces<'a>,
    neighbours: &'a BlockLists,
    periods: &'a Periods,
    velocities: &'a [Vec3A],
    flows: &'a LinearFlows,
    impulses: &'a mut [Vec3A],
}

impl BlockWork for ViscosityPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { forces, neighbours, periods, velocities, flows, impulses } = self;
        let PairForces { kernel, positions, xsph, weights, mass, .. } = *forces;
        let LinearFlows { stresses, deviations } = flows;
        let smoothing = L::splat(xsph);
        for (offset, impulse) in impulses.iter_mut().enumerate() {
            let i = neighbours.first() + offset;
            let own = L::splat(deviations[i]);
            // The sum of gradients, on which the own stress acts; and what the neighbours' stresses and their velocities do.
            let (mut sum, mut force) = ([L::splat(0.0); 3], [L::splat(0.0); 3]);
            for eight in blocks.of(offset) {
                eight.prefetch::<L>(AHEAD);
                let x = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, eight)));
                let v = from::<L>(velocities[i], L::gather_vectors(velocities, eight));
                let r = dot(x, x).sqrt();
                let factor = kernel.gradient_factors(r);
                let gradient = times(x, factor);
                // Velocities are counted for both flows.
                let mut share = factor * (own + L::gather(deviations, eight));
                if xsph > 0.0 {
                    share = share + smoothing * kernel.values(r) * mean_weight::<L>(weights, i, eight);
                }
                sum = plus(sum, gradient);
                force = plus(force, plus(product(L::gather_matrices(stresses, eight), gradient), times(v, share)));
            }
            *impulse = -mass * (L::sums(force) + stresses[i] * L::sums(sum));
        }
    }
}

/// Mean of the weights of a particle and each of its neighbours.
#[inline(always)]
fn mean_weight<L: Lanes>(weights: &[f32], i: usize, eight: impl Eight) -> L {
    match weights.is_empty() {
        true => L::splat(1.0),
        false => L::splat(0.5) * (L::splat(weights[i]) + L::gather(weights, eight)),
    }
}
