//! Neighbour lists with the kernel's gradient for each pair, made isotropic: what the pressure solve reads over and over.
//!
//! A sum over few neighbours sees the directions of space unevenly. With the moments of particle `i`, of its neighbours and of the walls
//! near it,
//!
//! ```text
//! M_i = −Σ_j m x_ij ⊗ ∇W_ij,     N_i = −ρ0 Σ_t d_t (n_t·∇f_t) n_t ⊗ n_t,     t_i = tr (M_i + N_i) / 3
//! ```
//!
//! the rate of density of a velocity field of constant gradient is `t_i` times its divergence only if `M_i + N_i = t_i I`. Otherwise shear
//! alone changes densities, the pressure resists it, and fluid at rest, which is packed like a lattice, has a yield stress: a body a
//! little denser than water hangs in it. The gradients of a particle's neighbours are therefore multiplied by
//!
//! ```text
//! L_i = I + k (t_i I − M_i − N_i) M_i⁻¹
//! ```
//!
//! which for `k = 1` makes the moment `t_i I`: the correction of Bonet & Lok (1999), but with the trace kept, so that it goes
//! over into none where neighbours are few. `L_i M_i` is symmetric, so that rigid rotation changes no density, and the pressure
//! forces, being the adjoint of the rate of density, keep momentum and angular momentum.

use glam::{Mat3A, Vec3A, Vec4};
use rayon::prelude::*;

use crate::{
    fluid::{particles::Kernel, wall::WallContacts},
    math::parallel::TASK,
    search::{NeighbourLists, make_room},
};

/// The greatest norm of `L − I`: no neighbour's push turns into a pull, however few there are.
const GREATEST_CORRECTION: f32 = 0.5;
/// Determinants of the neighbours' moment, scaled to one where they are on all sides alike, between which the correction sets in: in drops
/// and thin sheets there is none.
const DETERMINED: [f32; 2] = [0.1, 0.3];
/// `k` next to a wall; elsewhere it is 1. All of the correction makes layers at walls flow most freely, but the water then
/// stands off: the lift on an immersed sphere of eleven to fourteen radii comes out 3 to 9 % too large. None of it holds the layers, and
/// the lift is up to 7 % too small. With this share it is within 2 %.
const SHARE_AT_WALLS: f32 = 0.3;

/// Pairs of neighbours, flat.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub neighbours: NeighbourLists,
    /// `m L_i ∇W_ij`
    own: Vec<Link>,
    /// `m L_j ∇W_ij`
    others: Vec<Link>,
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
        make_room(&mut self.own, pairs);
        make_room(&mut self.others, pairs);
        self.gradient_sums.resize(positions.len(), Vec3A::ZERO);
        self.square_sums.resize(positions.len(), 0.0);
        let mut densities = vec![0.0_f32; positions.len()];
        // Moments first, then what corrects them.
        let mut corrections = vec![Mat3A::ZERO; positions.len()];
        self.sum_kernels(kernel, mass, positions, &mut densities, &mut corrections);
        corrections.par_iter_mut().enumerate().with_min_len(TASK).for_each(|(i, correction)| {
            let walls = contacts.of(i).iter().fold(Mat3A::ZERO, |sum, contact| sum + contact.moment * rest_density);
            *correction = isotropy_correction(correction, &walls);
        });
        self.correct(&corrections);
        self.add_walls(contacts, rest_density, &mut densities);
        densities
    }

    /// Gradients as they are into `others`, their moments, and sums of the kernel.
    fn sum_kernels(&mut self, kernel: &Kernel, mass: f32, positions: &[Vec3A], densities: &mut [f32], moments: &mut [Mat3A]) {
        let neighbours = &self.neighbours;
        let own = mass * kernel.value(0.0);
        let rows = Rows::of(neighbours, &mut self.others);
        let tasks = rows.into_par_iter().zip(moments.par_chunks_mut(TASK)).zip(densities.par_chunks_mut(TASK));
        tasks.enumerate().for_each(|(task, ((links, moments), densities))| {
            let mut links = links.iter_mut();
            for (offset, (moment, density)) in moments.iter_mut().zip(densities).enumerate() {
                let i = task * TASK + offset;
                *moment = Mat3A::ZERO;
                *density = own;
                for (&j, link) in neighbours.of(i).iter().zip(&mut links) {
                    let x_ij = positions[i] - positions[j as usize];
                    let r = x_ij.length();
                    let gradient = mass * kernel.gradient_factor(r) * x_ij;
                    *link = Link::new(j, gradient);
                    *density += mass * kernel.value(r);
                    *moment -= outer(x_ij, gradient);
                }
            }
        });
    }

    /// Multiplies the gradients by the corrections, and sums them.
    fn correct(&mut self, corrections: &[Mat3A]) {
        let Self { neighbours, own, others, gradient_sums, square_sums } = self;
        let neighbours = &*neighbours;
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

/// `L` of the moments of neighbours and walls.
fn isotropy_correction(neighbours: &Mat3A, walls: &Mat3A) -> Mat3A {
    let moment = *neighbours + *walls;
    let t = (moment.x_axis.x + moment.y_axis.y + moment.z_axis.z) / 3.0;
    let determinant = neighbours.determinant() / (t * t * t);
    if t <= 0.0 || determinant <= DETERMINED[0] {
        return Mat3A::IDENTITY;
    }
    let missing = (Mat3A::IDENTITY * t - moment) * neighbours.inverse();
    let norm = (missing.x_axis.length_squared() + missing.y_axis.length_squared() + missing.z_axis.length_squared()).sqrt();
    let share = if *walls == Mat3A::ZERO { 1.0 } else { SHARE_AT_WALLS };
    let determined = ((determinant - DETERMINED[0]) / (DETERMINED[1] - DETERMINED[0])).min(1.0);
    Mat3A::IDENTITY + missing * (share * determined).min(GREATEST_CORRECTION / norm.max(f32::MIN_POSITIVE))
}

/// `a ⊗ b`
fn outer(a: Vec3A, b: Vec3A) -> Mat3A {
    Mat3A::from_cols(a * b.x, a * b.y, a * b.z)
}
