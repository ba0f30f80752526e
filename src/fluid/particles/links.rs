//! Neighbour lists with the kernel's gradient for each pair: what the pressure solve reads over and over.

use glam::Vec3A;
use rayon::prelude::*;

use crate::{
    fluid::{
        particles::{Kernel, parallel::TASK},
        wall::WallContacts,
    },
    search::NeighbourLists,
};

/// Pairs of neighbours, flat.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub neighbours: NeighbourLists,
    /// `m ∇_i W_ij` of each pair, in the order of the lists.
    gradients: Vec<Vec3A>,
    /// `Σ_j m ∇W_ij + ρ0 Σ_b ∇f_ib` of each particle.
    pub gradient_sums: Vec<Vec3A>,
}

impl Links {
    /// Computes gradients, and densities (kg/m³) on the way: `ρ_i = m Σ_j W_ij + ρ0 Σ_b f_ib`, the particle itself included.
    pub fn update(&mut self, kernel: &Kernel, mass: f32, rest_density: f32, positions: &[Vec3A], contacts: &WallContacts) -> Vec<f32> {
        let neighbours = &self.neighbours;
        self.gradients.resize(neighbours.indices().len(), Vec3A::ZERO);
        self.gradient_sums.resize(positions.len(), Vec3A::ZERO);
        let mut densities = vec![0.0_f32; positions.len()];
        let own = mass * kernel.value(0.0);
        let task = |first: usize, gradients: &mut [Vec3A], sums: &mut [Vec3A], densities: &mut [f32]| {
            let mut place = 0;
            for (offset, (sum, density)) in sums.iter_mut().zip(densities).enumerate() {
                let i = first + offset;
                (*sum, *density) = (Vec3A::ZERO, own);
                for &j in neighbours.of(i) {
                    let x_ij = positions[i] - positions[j as usize];
                    let r = x_ij.length();
                    let gradient = mass * kernel.gradient_factor(r) * x_ij;
                    gradients[place] = gradient;
                    place += 1;
                    *sum += gradient;
                    *density += mass * kernel.value(r);
                }
                for contact in contacts.of(i) {
                    *sum += rest_density * contact.gradient;
                    *density += rest_density * contact.value;
                }
            }
        };
        let mut jobs = Vec::with_capacity(positions.len().div_ceil(TASK));
        let mut rest = self.gradients.as_mut_slice();
        let chunks = self.gradient_sums.chunks_mut(TASK).zip(densities.chunks_mut(TASK));
        for (index, (sums, densities)) in chunks.enumerate() {
            let first = index * TASK;
            let offsets = neighbours.offsets();
            let (mine, tail) = rest.split_at_mut((offsets[first + sums.len()] - offsets[first]) as usize);
            rest = tail;
            jobs.push((first, mine, sums, densities));
        }
        jobs.into_par_iter().for_each(|(first, gradients, sums, densities)| task(first, gradients, sums, densities));
        densities
    }

    /// Neighbours of particle `i`, each with `m ∇W_ij`.
    #[inline]
    pub fn of(&self, i: usize) -> impl Iterator<Item = (&u32, &Vec3A)> {
        let offsets = self.neighbours.offsets();
        let range = offsets[i] as usize..offsets[i + 1] as usize;
        self.neighbours.indices()[range.clone()].iter().zip(&self.gradients[range])
    }
}
