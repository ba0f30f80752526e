//! The linear system of pressure, for fluid and floating bodies together.
//!
//! The unknown is the pressure `p` (Pa) of each particle. Let `V` be the volume of a particle, `w_i` its inverse mass and `(i, b)` its wall
//! contacts:
//!
//! ```text
//! force          F_i = −V² Σ_j (p_i L_i + p_j L_j) ∇W_ij − V p_i Σ_b ∇f_ib
//! on the body    +V p_i ∇f_ib at x_i
//! density rate   D_i(v, u) = V Σ_j (v_i − v_j)·L_i ∇W_ij + Σ_b (v_i − u_b(x_i))·∇f_ib
//! ```
//!
//! The diagonal of `A` has an additional compliance where fluid is enclosed (`pressure/enclosed.rs`), and is zero otherwise.
//!
//! `L_i` are the isotropy corrections. `V D` is, up to its sign, the adjoint of `F`, so `A p = −D(w F(p), C ΣF_b)`, where `C` is the
//! compliance of the bodies, is symmetric and positive semi-definite for any masses. A particle of prescribed velocity has `w_i = 0`:
//! pressure does not accelerate it, and it has no pressure of its own.

use glam::Vec3A;
use rayon::prelude::*;

use crate::{
    fluid::{
        coupling::{BodyResponse, RigidMotion, WallContact, WallContacts, Wrench},
        neighbourhood::PairGradients,
        pressure::PressureOperator,
    },
    math::parallel::TASK,
};

/// Everything that the pressure of one step depends on.
#[derive(Clone, Copy)]
pub struct PressureSystem<'a> {
    /// Volume of a particle, m³.
    pub volume: f32,
    pub positions: &'a [Vec3A],
    /// 1/kg
    pub inverse_masses: &'a [f32],
    pub pairs: &'a PairGradients,
    pub contacts: &'a WallContacts,
    /// Compliance of the fluid, 1/(Pa s²).
    pub compliance: f32,
    /// How each body responds to forces.
    pub response: &'a BodyResponse,
}

impl PressureSystem<'_> {
    /// Force per volume on particle `i` due to pressures `p`, N/m³.
    #[inline]
    fn force_density(&self, i: usize, p: &[f32]) -> Vec3A {
        let mut sum = p[i] * self.pairs.gradient_sums[i];
        for pair in self.pairs.others(i) {
            sum += p[pair.neighbour()] * pair.gradient();
        }
        -sum
    }

    /// Acceleration of each particle due to pressures `p`, m/s².
    pub fn accelerate(&self, p: &[f32], accelerations: &mut [Vec3A]) {
        accelerations.par_chunks_mut(TASK).enumerate().for_each(|(task, chunk)| {
            for (offset, acceleration) in chunk.iter_mut().enumerate() {
                let i = task * TASK + offset;
                *acceleration = self.volume * self.inverse_masses[i] * self.force_density(i, p);
            }
        });
    }

    /// Impulse on each particle due to pressures `p` over `dt` (s), N s; for particles of prescribed velocity it is the impulse to be
    /// balanced.
    pub fn impulses(&self, p: &[f32], dt: f32, impulses: &mut Vec<Vec3A>) {
        let impulse = |i: usize| dt * self.volume * self.force_density(i, p);
        (0..self.positions.len()).into_par_iter().with_min_len(TASK).map(impulse).collect_into_vec(impulses);
    }

    /// Force of pressures `p` on each body, N, and torque about its center, N m.
    pub fn body_wrenches<'a>(&'a self, p: &'a [f32]) -> impl Iterator<Item = Wrench> + 'a {
        self.contacts.sum_by_body(|_, contact| {
            let force = self.volume * p[contact.particle as usize] * contact.gradient;
            self.response.wrench(contact, force.as_dvec3())
        })
    }

    /// `D_i` of a field of velocities (then 1/s) or accelerations, with the bodies moving by `motions`.
    #[inline]
    pub fn density_rate(&self, i: usize, field: &[Vec3A], motions: &[RigidMotion]) -> f32 {
        let mut sum = field[i] * self.pairs.gradient_sums[i];
        for pair in self.pairs.own(i) {
            sum -= field[pair.neighbour()] * pair.gradient();
        }
        let mut rate = sum.element_sum();
        if !motions.is_empty() {
            for contact in self.contacts.of(i) {
                rate -= motions[contact.body as usize].at(contact.point).dot(contact.gradient);
            }
        }
        rate
    }

    /// The diagonal for simultaneous updates of all particles: the response of each body is multiplied by the number of its contacts.
    #[cfg(test)]
    pub fn split_diagonal(&self, diagonal: &mut [f32]) {
        self.diagonal(diagonal);
        let counts: Vec<f32> = self.contacts.sum_by_body(|_, _| 1.0_f32).collect();
        for contact in &self.contacts.list {
            diagonal[contact.particle as usize] += (counts[contact.body as usize] - 1.0) * self.body_diagonal(contact);
        }
    }

    /// Share of a body's response in the diagonal.
    fn body_diagonal(&self, contact: &WallContact) -> f32 {
        self.volume * self.response.mobility(contact, contact.gradient.as_dvec3()) as f32
    }
}

impl PressureOperator for PressureSystem<'_> {
    fn count(&self) -> usize {
        self.positions.len()
    }

    fn apply(&self, p: &[f32], accelerations: &mut [Vec3A], result: &mut [f32]) {
        self.accelerate(p, accelerations);
        // If no body responds to forces, skip the body accelerations.
        let motions: Vec<RigidMotion> =
            if self.response.moves() { self.response.accelerations(self.body_wrenches(p)).collect() } else { Vec::new() };
        let accelerations = &*accelerations;
        result.par_chunks_mut(TASK).enumerate().for_each(|(task, chunk)| {
            for (offset, value) in chunk.iter_mut().enumerate() {
                let i = task * TASK + offset;
                *value = self.compliance * p[i] - self.density_rate(i, accelerations, &motions);
            }
        });
    }

    fn diagonal(&self, diagonal: &mut [f32]) {
        let volume = self.volume;
        diagonal.par_chunks_mut(TASK).enumerate().for_each(|(task, chunk)| {
            for (offset, value) in chunk.iter_mut().enumerate() {
                let i = task * TASK + offset;
                let w = self.inverse_masses[i];
                if w == 0.0 {
                    *value = 0.0;
                    continue;
                }
                let bodies: f32 = self.contacts.of(i).iter().map(|contact| self.body_diagonal(contact)).sum();
                *value = volume * (w * self.pairs.gradient_sums[i].length_squared() + self.pairs.neighbour_responses[i])
                    + bodies
                    + self.compliance;
            }
        });
    }
}
