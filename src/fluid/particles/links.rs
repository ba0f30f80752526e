//! Neighbour lists with the kernel's gradient for each pair: what the pressure solve reads over and over.

use glam::{Vec3A, Vec4};
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
    links: Vec<Link>,
    /// `Σ_j m ∇W_ij + ρ0 Σ_b ∇f_ib` of each particle.
    pub gradient_sums: Vec<Vec3A>,
    /// `Σ_j |m ∇W_ij|²` of each particle.
    pub square_sums: Vec<f32>,
}

/// A neighbour and `m ∇_i W_ij`, in sixteen bytes: the pressure solve is bound by how fast it can read them. The fourth lane holds the
/// neighbour's index in the bits of a float, made a normal number by a high bit, for lanes are computed with all four at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link(Vec4);

const NORMAL: u32 = 0x4000_0000;

impl Link {
    fn new(neighbour: u32, gradient: Vec3A) -> Self {
        Self(gradient.extend(f32::from_bits(neighbour | NORMAL)))
    }

    #[inline]
    pub fn neighbour(&self) -> usize {
        (self.0.w.to_bits() & !NORMAL) as usize
    }

    #[inline]
    pub fn gradient(&self) -> Vec3A {
        Vec3A::from_vec4(self.0)
    }
}

impl Links {
    /// Computes gradients, and densities (kg/m³) on the way: `ρ_i = m Σ_j W_ij + ρ0 Σ_b f_ib`, the particle itself included.
    pub fn update(&mut self, kernel: &Kernel, mass: f32, rest_density: f32, positions: &[Vec3A], contacts: &WallContacts) -> Vec<f32> {
        let neighbours = &self.neighbours;
        self.links.resize(neighbours.indices().len(), Link::default());
        self.gradient_sums.resize(positions.len(), Vec3A::ZERO);
        self.square_sums.resize(positions.len(), 0.0);
        let mut densities = vec![0.0_f32; positions.len()];
        let own = mass * kernel.value(0.0);
        let task = |first: usize, links: &mut [Link], sums: Sums| {
            let mut place = 0;
            let each = sums.gradients.iter_mut().zip(sums.squares).zip(sums.densities);
            for (offset, ((sum, square), density)) in each.enumerate() {
                let i = first + offset;
                (*sum, *square, *density) = (Vec3A::ZERO, 0.0, own);
                for &j in neighbours.of(i) {
                    let x_ij = positions[i] - positions[j as usize];
                    let r = x_ij.length();
                    let gradient = mass * kernel.gradient_factor(r) * x_ij;
                    links[place] = Link::new(j, gradient);
                    place += 1;
                    *sum += gradient;
                    *square += gradient.length_squared();
                    *density += mass * kernel.value(r);
                }
                for contact in contacts.of(i) {
                    *sum += rest_density * contact.gradient;
                    *density += rest_density * contact.value;
                }
            }
        };
        let mut jobs = Vec::with_capacity(positions.len().div_ceil(TASK));
        let mut rest = self.links.as_mut_slice();
        let chunks = self.gradient_sums.chunks_mut(TASK).zip(self.square_sums.chunks_mut(TASK)).zip(densities.chunks_mut(TASK));
        for (index, ((gradients, squares), densities)) in chunks.enumerate() {
            let first = index * TASK;
            let offsets = neighbours.offsets();
            let (mine, tail) = rest.split_at_mut((offsets[first + gradients.len()] - offsets[first]) as usize);
            rest = tail;
            jobs.push((first, mine, Sums { gradients, squares, densities }));
        }
        jobs.into_par_iter().for_each(|(first, links, sums)| task(first, links, sums));
        densities
    }

    /// Neighbours of particle `i`, each with `m ∇W_ij`.
    #[inline]
    pub fn of(&self, i: usize) -> &[Link] {
        let offsets = self.neighbours.offsets();
        &self.links[offsets[i] as usize..offsets[i + 1] as usize]
    }
}

/// What one task sums for its particles.
struct Sums<'a> {
    gradients: &'a mut [Vec3A],
    squares: &'a mut [f32],
    densities: &'a mut [f32],
}
