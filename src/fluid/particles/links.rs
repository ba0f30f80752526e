//! Neighbour lists with the kernel's gradient for each pair, made isotropic: what the pressure solve reads over and over.
//!
//! A sum over few neighbours sees the directions of space unevenly. With the moment of particle `i`
//!
//! ```text
//! M_i = −Σ_j m x_ij ⊗ ∇W_ij,     t = tr M_i / 3,     E = M_i/t − I
//! ```
//!
//! the rate of density of a velocity field of constant gradient is `t` times its divergence only if `E = 0`. Otherwise shear alone changes
//! densities, the pressure resists it, and fluid at rest, which is packed like a lattice, has a yield stress: a body a little
//! denser than water hangs in it. The gradients of a particle's neighbours are therefore multiplied by `L_i = I − E`, which leaves of the
//! unevenness its square, as the first step of Newton's iteration for `t M_i⁻¹` (the correction of Bonet & Lok 1999, but with the trace kept, so
//! that it has no poles where neighbours are few). `L_i M_i` is symmetric, so that rigid rotation changes no density, and the pressure
//! forces, being the adjoint of the rate of density, keep momentum and angular momentum.
//!
//! Next to a wall, of whose neighbours half are missing, gradients stay as they are.

use glam::{Mat3A, Vec3A, Vec4};
use rayon::prelude::*;

use crate::{
    fluid::{
        particles::{Kernel, parallel::TASK},
        wall::WallContacts,
    },
    search::NeighbourLists,
};

/// The greatest norm of `E` that is corrected wholly; beyond, the correction keeps this size, and no neighbour's push turns into a pull.
const GREATEST_CORRECTION: f32 = 0.5;
/// From this share of the rest density on that a wall contributes, a particle's gradients stay as they are. A wall gives 0.15 to the layer
/// next to it and nothing to the second.
const WALLED: f32 = 0.05;

/// Pairs of neighbours, flat.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub neighbours: NeighbourLists,
    /// `m L_i ∇W_ij`
    own: Vec<Link>,
    /// `m L_j ∇W_ij`
    others: Vec<Link>,
    /// `L_i` of each particle.
    corrections: Vec<Mat3A>,
    /// `Σ_j m L_i ∇W_ij + ρ0 Σ_b ∇f_ib` of each particle.
    pub gradient_sums: Vec<Vec3A>,
    /// `Σ_j |m L_i ∇W_ij|²` of each particle.
    pub square_sums: Vec<f32>,
}

/// A neighbour and a gradient, in sixteen bytes: the pressure solve is bound by how fast it can read them. The fourth lane holds the
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

    fn with_gradient(&self, gradient: Vec3A) -> Self {
        Self(gradient.extend(self.0.w))
    }
}

impl Links {
    /// Computes gradients, and densities (kg/m³) on the way: `ρ_i = m Σ_j W_ij + ρ0 Σ_b f_ib`, the particle itself included.
    pub fn update(&mut self, kernel: &Kernel, mass: f32, rest_density: f32, positions: &[Vec3A], contacts: &WallContacts) -> Vec<f32> {
        let pairs = self.neighbours.indices().len();
        self.own.resize(pairs, Link::default());
        self.others.resize(pairs, Link::default());
        self.corrections.resize(positions.len(), Mat3A::IDENTITY);
        self.gradient_sums.resize(positions.len(), Vec3A::ZERO);
        self.square_sums.resize(positions.len(), 0.0);
        let mut densities = vec![0.0_f32; positions.len()];
        self.sum_kernels(kernel, mass, positions, contacts, &mut densities);
        self.correct();
        self.add_walls(contacts, rest_density, &mut densities);
        densities
    }

    /// Gradients as they are into `others`, sums of the kernel, and the corrections.
    fn sum_kernels(&mut self, kernel: &Kernel, mass: f32, positions: &[Vec3A], contacts: &WallContacts, densities: &mut [f32]) {
        let neighbours = &self.neighbours;
        let own = mass * kernel.value(0.0);
        let rows = Rows::of(neighbours, &mut self.others);
        let tasks = rows.into_par_iter().zip(self.corrections.par_chunks_mut(TASK)).zip(densities.par_chunks_mut(TASK));
        tasks.enumerate().for_each(|(task, ((links, corrections), densities))| {
            let mut links = links.iter_mut();
            for (offset, (correction, density)) in corrections.iter_mut().zip(densities).enumerate() {
                let i = task * TASK + offset;
                let mut moment = Mat3A::ZERO;
                *density = own;
                for (&j, link) in neighbours.of(i).iter().zip(&mut links) {
                    let x_ij = positions[i] - positions[j as usize];
                    let r = x_ij.length();
                    let gradient = mass * kernel.gradient_factor(r) * x_ij;
                    *link = Link::new(j, gradient);
                    *density += mass * kernel.value(r);
                    moment -= outer(x_ij, gradient);
                }
                *correction = isotropy_correction(&moment, 1.0 - wall_share(contacts, i) / WALLED);
            }
        });
    }

    /// Multiplies the gradients by the corrections, and sums them.
    fn correct(&mut self) {
        let Self { neighbours, own, others, corrections, gradient_sums, square_sums } = self;
        let (neighbours, corrections) = (&*neighbours, &*corrections);
        let rows = Rows::of(neighbours, own).into_par_iter().zip(Rows::of(neighbours, others));
        let tasks = rows.zip(gradient_sums.par_chunks_mut(TASK)).zip(square_sums.par_chunks_mut(TASK));
        tasks.enumerate().for_each(|(task, (((own, others), sums), squares))| {
            let mut links = own.iter_mut().zip(others);
            for (offset, (sum, square)) in sums.iter_mut().zip(squares).enumerate() {
                let i = task * TASK + offset;
                (*sum, *square) = (Vec3A::ZERO, 0.0);
                for (own, other) in links.by_ref().take(neighbours.of(i).len()) {
                    let gradient = other.gradient();
                    let mine = corrections[i] * gradient;
                    *own = other.with_gradient(mine);
                    *other = other.with_gradient(corrections[other.neighbour()] * gradient);
                    *sum += mine;
                    *square += mine.length_squared();
                }
            }
        });
    }

    fn add_walls(&mut self, contacts: &WallContacts, rest_density: f32, densities: &mut [f32]) {
        for contact in &contacts.list {
            let i = contact.particle as usize;
            self.gradient_sums[i] += rest_density * contact.gradient;
            densities[i] += rest_density * contact.value;
        }
    }

    /// Neighbours of particle `i`, each with `m L_i ∇W_ij`: how the density of `i` changes.
    #[inline]
    pub fn own(&self, i: usize) -> &[Link] {
        &self.own[self.range(i)]
    }

    /// Neighbours of particle `i`, each with `m L_j ∇W_ij`: how the neighbour's pressure pushes `i`.
    #[inline]
    pub fn others(&self, i: usize) -> &[Link] {
        &self.others[self.range(i)]
    }

    #[inline]
    fn range(&self, i: usize) -> std::ops::Range<usize> {
        let offsets = self.neighbours.offsets();
        offsets[i] as usize..offsets[i + 1] as usize
    }
}

/// The pairs of each task's particles.
struct Rows;

impl Rows {
    fn of<'a>(neighbours: &NeighbourLists, mut links: &'a mut [Link]) -> Vec<&'a mut [Link]> {
        let offsets = neighbours.offsets();
        let count = offsets.len() - 1;
        let mut rows = Vec::with_capacity(count.div_ceil(TASK));
        for first in (0..count).step_by(TASK) {
            let (row, rest) = links.split_at_mut((offsets[(first + TASK).min(count)] - offsets[first]) as usize);
            rows.push(row);
            links = rest;
        }
        rows
    }
}

/// What walls contribute to the density of particle `i`, in units of the rest density.
fn wall_share(contacts: &WallContacts, i: usize) -> f32 {
    contacts.of(i).iter().map(|contact| contact.value).sum()
}

/// `L = I − E`, as far as `share` (at least zero) and the greatest correction allow.
fn isotropy_correction(moment: &Mat3A, share: f32) -> Mat3A {
    let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
    if trace <= 0.0 || share <= 0.0 {
        return Mat3A::IDENTITY;
    }
    let error = *moment * (3.0 / trace) - Mat3A::IDENTITY;
    let norm = (error.x_axis.length_squared() + error.y_axis.length_squared() + error.z_axis.length_squared()).sqrt();
    Mat3A::IDENTITY - error * (share * (GREATEST_CORRECTION / norm.max(f32::MIN_POSITIVE)).min(1.0))
}

/// `a ⊗ b`
fn outer(a: Vec3A, b: Vec3A) -> Mat3A {
    Mat3A::from_cols(a * b.x, a * b.y, a * b.z)
}
