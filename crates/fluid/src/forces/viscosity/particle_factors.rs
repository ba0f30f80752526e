//! Factors of explicit viscosity for several fluids.

use plimsoll_base::math::parallel::{InTasks, TASK};
use rayon::prelude::*;

use super::linear_flow::{Factor, FlowFactors};
use crate::{material::ByMaterial, neighbourhood::Pairs};

/// The factors of the [flows](FlowFactors) of each fluid.
pub struct FluidFactors {
    pub strain: ByMaterial<f32>,
    pub deviations: ByMaterial<f32>,
    pub noise: ByMaterial<f32>,
}

/// Factors of the particles of several fluids; empty if there is only one.
#[derive(Clone, Debug, Default)]
pub struct ParticleFactors {
    of_strain: Vec<f32>,
    of_deviations: Vec<f32>,
    of_noise: Vec<f32>,
    /// Density of the lightest fluid among the neighbours, in units of that of the first.
    pub weights: Vec<f32>,
}

impl ParticleFactors {
    /// Finds those of particles of these `materials`, whose densities are `relative` to the first.
    pub fn update(&mut self, pairs: &Pairs, materials: &[u8], factors: &FluidFactors, relative: &ByMaterial<f32>) {
        let density = |i: usize| relative.of(materials[i]);
        let lightest = |i: usize| pairs.neighbours.of(i).map(|j| density(j as usize)).fold(density(i), f32::min);
        (0..materials.len()).into_par_iter().map(lightest).in_tasks(TASK).collect_into(&mut self.weights);
        let all = materials.par_iter();
        all.clone().map(|&material| factors.strain.of(material)).in_tasks(TASK).collect_into(&mut self.of_strain);
        let all = all.zip(&self.weights);
        all.clone()
            .map(|(&material, weight)| weight * factors.deviations.of(material))
            .in_tasks(TASK)
            .collect_into(&mut self.of_deviations);
        all.map(|(&material, weight)| weight * factors.noise.of(material)).in_tasks(TASK).collect_into(&mut self.of_noise);
    }

    /// Those of all particles; of a single fluid its own.
    pub fn of_flows(&self, fluids: &FluidFactors) -> FlowFactors<'_> {
        let factor =
            |each, of_fluid: &ByMaterial<f32>| if self.weights.is_empty() { Factor::Same(of_fluid.of(0)) } else { Factor::Each(each) };
        FlowFactors {
            strain: factor(&self.of_strain, &fluids.strain),
            deviations: factor(&self.of_deviations, &fluids.deviations),
            noise: factor(&self.of_noise, &fluids.noise),
        }
    }
}
