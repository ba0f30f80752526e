//! Factors of explicit viscosity for several fluids.

use plimsoll_base::math::parallel::{InTasks, TASK};
use rayon::prelude::*;

use super::linear_flow::FlowFactors;
use crate::{material::ByMaterial, neighbourhood::Pairs};

/// Factors of the particles of several fluids; empty if there is only one.
#[derive(Clone, Debug, Default)]
pub struct ParticleFactors {
    of_strain: Vec<f32>,
    of_deviations: Vec<f32>,
    /// Density of the lightest fluid among the neighbours, in units of that of the first.
    pub weights: Vec<f32>,
}

impl ParticleFactors {
    /// Finds those of particles of these `materials`, whose densities are `relative` to the first.
    pub fn update(
        &mut self,
        pairs: &Pairs,
        materials: &[u8],
        of_strain: &ByMaterial<f32>,
        of_deviations: &ByMaterial<f32>,
        relative: &ByMaterial<f32>,
    ) {
        let density = |i: usize| relative.of(materials[i]);
        let lightest = |i: usize| pairs.neighbours.of(i).map(|j| density(j as usize)).fold(density(i), f32::min);
        (0..materials.len()).into_par_iter().map(lightest).in_tasks(TASK).collect_into(&mut self.weights);
        let all = materials.par_iter();
        all.clone().map(|&material| of_strain.of(material)).in_tasks(TASK).collect_into(&mut self.of_strain);
        let weighted = |(&material, weight): (&u8, &f32)| weight * of_deviations.of(material);
        all.zip(&self.weights).map(weighted).in_tasks(TASK).collect_into(&mut self.of_deviations);
    }

    /// Those of all particles; of a single fluid these ones.
    pub fn of_flows(&self, of_strain: f32, of_deviations: f32) -> FlowFactors<'_> {
        match self.weights.is_empty() {
            true => FlowFactors::Same(of_strain, of_deviations),
            false => FlowFactors::Each(&self.of_strain, &self.of_deviations),
        }
    }
}
