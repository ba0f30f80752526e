//! Pairs of neighbours with kernel gradients, which the pressure solve reads in every sweep.
//!
//! All gradients are per volume: `V ∇W_ij` in 1/m, multiplied by the isotropy corrections `L_i` and `L_j` of [`super::isotropy`].

use glam::{Mat3A, Vec3A, Vec4};
use rayon::prelude::*;

use super::isotropy::{isotropy_correction, outer};
use crate::{
    fluid::{coupling::WallContacts, neighbourhood::Kernel, particles::Particles},
    math::parallel::{TASK, for_each_part, parts, task_parts},
    search::{NeighbourLists, make_room},
};

/// Pairs of neighbours in flat arrays.
#[derive(Clone, Debug, Default)]
pub struct PairGradients {
    pub neighbours: NeighbourLists,
    /// `V L_i ∇W_ij`
    own: Vec<PairGradient>,
    /// `V L_j ∇W_ij`
    others: Vec<PairGradient>,
    /// `Σ_j V L_i ∇W_ij + Σ_b ∇f_ib` of each particle, 1/m.
    pub gradient_sums: Vec<Vec3A>,
    /// `Σ_j w_j |V L_i ∇W_ij|²` of each particle, 1/(kg m²).
    pub neighbour_responses: Vec<f32>,
    corrections: Vec<Mat3A>,
}

/// A neighbour and a gradient in sixteen bytes, because the pressure solve is limited by memory bandwidth. The fourth lane holds the
/// neighbour's index in the bits of a float; a high bit makes it a normal number, because arithmetic uses all four lanes.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairGradient(Vec4);

const NORMAL: u32 = 0x4000_0000;

impl PairGradient {
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

    fn with_gradient(&self, gradient: Vec3A) -> Self {
        Self(gradient.extend(self.0.w))
    }
}

impl PairGradients {
    /// Computes the gradients and the relative densities `s_i = V Σ_j W_ij + Σ_b f_ib`, including the particle itself. `volume` in m³.
    pub fn update(&mut self, kernel: &Kernel, volume: f32, particles: &mut Particles, contacts: &WallContacts) {
        let Particles { positions, inverse_masses, relative_densities, .. } = particles;
        let (count, pairs) = (positions.len(), self.neighbours.indices().len());
        make_room(&mut self.own, pairs);
        make_room(&mut self.others, pairs);
        self.gradient_sums.resize(count, Vec3A::ZERO);
        self.neighbour_responses.resize(count, 0.0);
        self.corrections.resize(count, Mat3A::ZERO);
        self.sum_kernels(kernel, volume, positions, relative_densities);
        self.corrections.par_iter_mut().enumerate().with_min_len(TASK).for_each(|(i, correction)| {
            let walls = contacts.details_of(i).iter().fold(Mat3A::ZERO, |sum, contact| sum + contact.moment);
            *correction = isotropy_correction(correction, &walls);
        });
        self.correct(inverse_masses);
        for contact in &contacts.list {
            let i = contact.particle as usize;
            self.gradient_sums[i] += contact.gradient;
            relative_densities[i] += contact.value;
        }
    }

    /// Writes uncorrected gradients into `others`, their moments into `corrections`, and kernel sums into `densities`.
    fn sum_kernels(&mut self, kernel: &Kernel, volume: f32, positions: &[Vec3A], densities: &mut [f32]) {
        let Self { neighbours, others, corrections: moments, .. } = self;
        let own = volume * kernel.value(0.0);
        let tasks = (parts(others, pairs_end(neighbours)), (task_parts(moments), task_parts(densities)));
        for_each_part(tasks, 0..positions.len().div_ceil(TASK), &|task, (pairs, (moments, densities))| {
            let mut pairs = pairs.values.iter_mut();
            for (offset, (moment, density)) in moments.values.iter_mut().zip(densities.values).enumerate() {
                let i = task * TASK + offset;
                *moment = Mat3A::ZERO;
                *density = own;
                for (&j, pair) in neighbours.of(i).iter().zip(&mut pairs) {
                    let x_ij = neighbours.difference(positions[i], positions[j as usize]);
                    let r = x_ij.length();
                    let gradient = volume * kernel.gradient_factor(r) * x_ij;
                    *pair = PairGradient::new(j, gradient);
                    *density += volume * kernel.value(r);
                    *moment -= outer(x_ij, gradient);
                }
            }
        });
    }

    /// Multiplies the gradients by the corrections and sums them.
    fn correct(&mut self, inverse_masses: &[f32]) {
        let Self { neighbours, own, others, gradient_sums, neighbour_responses, corrections } = self;
        let (neighbours, corrections) = (&*neighbours, &*corrections);
        let end = pairs_end(neighbours);
        let tasks = ((parts(own, end), parts(others, end)), (task_parts(gradient_sums), task_parts(neighbour_responses)));
        for_each_part(tasks, 0..inverse_masses.len().div_ceil(TASK), &|task, ((own, others), (sums, responses))| {
            let mut pairs = own.values.iter_mut().zip(others.values);
            for (offset, (sum, response)) in sums.values.iter_mut().zip(responses.values).enumerate() {
                let i = task * TASK + offset;
                (*sum, *response) = (Vec3A::ZERO, 0.0);
                for (own, other) in pairs.by_ref().take(neighbours.of(i).len()) {
                    let (j, gradient) = (other.neighbour(), other.gradient());
                    let mine = corrections[i] * gradient;
                    *own = other.with_gradient(mine);
                    *other = other.with_gradient(corrections[j] * gradient);
                    *sum += mine;
                    *response += inverse_masses[j] * mine.length_squared();
                }
            }
        });
    }

    /// Neighbours of particle `i`, each with `V L_i ∇W_ij`, which determines how the density of `i` changes.
    #[inline]
    pub fn own(&self, i: usize) -> &[PairGradient] {
        &self.own[self.range(i)]
    }

    /// Neighbours of particle `i`, each with `V L_j ∇W_ij`, which determines how the neighbour's pressure pushes `i`.
    #[inline]
    pub fn others(&self, i: usize) -> &[PairGradient] {
        &self.others[self.range(i)]
    }

    #[inline]
    fn range(&self, i: usize) -> std::ops::Range<usize> {
        let offsets = self.neighbours.offsets();
        offsets[i] as usize..offsets[i + 1] as usize
    }
}

/// End index of the pairs of each task's particles.
fn pairs_end(neighbours: &NeighbourLists) -> impl Fn(usize) -> usize + Copy {
    let offsets = neighbours.offsets();
    move |task| offsets[((task + 1) * TASK).min(offsets.len() - 1)] as usize
}
