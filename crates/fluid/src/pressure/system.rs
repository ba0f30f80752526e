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

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{
    lanes::{BlockWork, Blocks, Lanes},
    parallel::{InTasks, TASK},
};
use rayon::prelude::*;

use crate::{
    coupling::{BodyResponse, RigidMotion, WallContact, WallContacts, Wrench},
    neighbourhood::{PairBatch, Pairs, prefetch},
    pressure::{PressureOperator, SmoothPart, operator::is_zero},
};

/// Everything that the pressure of one step depends on.
#[derive(Clone, Copy)]
pub struct PressureSystem<'a> {
    /// Volume of a particle, m³.
    pub volume: f32,
    pub positions: &'a [Vec3A],
    /// 1/kg
    pub inverse_masses: &'a [f32],
    pub pairs: &'a Pairs,
    pub contacts: &'a WallContacts,
    /// Compliance of the fluid, 1/(Pa s²).
    pub compliance: f32,
    /// How each body responds to forces.
    pub response: &'a BodyResponse,
    pub load: Load<'a>,
}

/// What pressure has to balance: `b_i = D_i(v, u)/dt + source_i`, with the velocities `u` of the bodies.
#[derive(Clone, Copy, Default)]
pub struct Load<'a> {
    /// Length of the step, s.
    pub dt: f32,
    /// Velocities of the particles without the pressure, m/s.
    pub velocities: &'a [Vec3A],
    /// 1/s²
    pub sources: &'a [f32],
}

impl PressureSystem<'_> {
    /// Acceleration of each particle due to pressures `p`, m/s².
    pub fn accelerate(&self, p: &[f32], accelerations: &mut [Vec3A]) {
        self.scaled_forces(p, |i| self.volume * self.inverse_masses[i], accelerations);
    }

    /// Impulse on each particle due to pressures `p` over the step, N s; for particles of prescribed velocity it is the impulse to be
    /// balanced.
    pub fn impulses(&self, p: &[f32], impulses: &mut [Vec3A]) {
        self.scaled_forces(p, |_| self.load.dt * self.volume, impulses);
    }

    /// Force per volume (N/m³) on each particle `i` due to pressures `p`, times `factor(i)`.
    fn scaled_forces(&self, p: &[f32], factor: impl Fn(usize) -> f32 + Sync, results: &mut [Vec3A]) {
        let batches = self.pairs.batches().zip(self.pairs.gradient_sums.par_chunks(TASK)).zip(results.par_chunks_mut(TASK));
        batches.in_tasks(1).for_each(|((pairs, sums), forces)| {
            let first = pairs.neighbours.first();
            pairs.neighbours.compute(ForcePass { pairs, sums, p, forces: &mut *forces });
            forces.iter_mut().enumerate().for_each(|(offset, force)| *force *= factor(first + offset));
        });
    }

    /// Force of pressures `p` on each body, N, and torque about its center, N m.
    pub fn body_wrenches<'a>(&'a self, p: &'a [f32]) -> impl Iterator<Item = Wrench> + 'a {
        self.contacts.sum_by_body(|_, contact| self.wrench(contact, p))
    }

    /// Force of pressures `p` at a contact on its body, N.
    pub fn force(&self, contact: &WallContact, p: &[f32]) -> DVec3 {
        (self.volume * p[contact.particle as usize] * contact.gradient).as_dvec3()
    }

    fn wrench(&self, contact: &WallContact, p: &[f32]) -> Wrench {
        self.response.wrench(contact, self.force(contact, p))
    }

    /// Acceleration of each body due to pressures `p`. The wrenches on bodies that do not respond are not summed.
    fn body_accelerations(&self, p: &[f32]) -> Vec<RigidMotion> {
        let responds = |body: usize| !self.response.compliances[body].is_zero();
        let wrenches = self.contacts.sum_by_some(responds, |_, contact| self.wrench(contact, p));
        self.response.accelerations(wrenches)
    }

    /// `D_i` of a field of velocities (then 1/s) or accelerations into `results`, with the bodies moving by `motions`. `finish(first, rates)` may
    /// change those of each task, and what it returns is kept in `partial`.
    pub fn density_rates<T: Send>(
        &self,
        field: &[Vec3A],
        motions: &[RigidMotion],
        results: &mut [f32],
        partial: &mut [T],
        finish: impl Fn(usize, &mut [f32]) -> T + Sync,
    ) {
        let batches = self.pairs.batches().zip(self.pairs.gradient_sums.par_chunks(TASK));
        batches.zip(results.par_chunks_mut(TASK)).zip(partial).in_tasks(1).for_each(|(((pairs, sums), rates), partial)| {
            pairs.neighbours.compute(RatePass { pairs, sums, field, rates: &mut *rates });
            let first = pairs.neighbours.first();
            if !motions.is_empty() {
                rates.iter_mut().enumerate().for_each(|(offset, rate)| *rate -= self.rate_of_bodies(first + offset, motions));
            }
            *partial = finish(first, rates);
        });
    }

    /// What moving bodies add to the density rate of particle `i`, with the opposite sign.
    fn rate_of_bodies(&self, i: usize, motions: &[RigidMotion]) -> f32 {
        let rate = |contact: &WallContact| match &motions[contact.body as usize] {
            motion if motion.is_zero() => 0.0,
            motion => motion.at(contact.point).dot(contact.gradient),
        };
        self.contacts.of(i).iter().map(rate).sum()
    }

    /// The diagonal for simultaneous updates of all particles: the response of each body is multiplied by the number of its contacts.
    #[cfg(test)]
    pub fn split_diagonal(&self, diagonal: &mut [f32]) {
        self.diagonal(diagonal);
        let counts = self.body_splits(&vec![1.0; diagonal.len()]);
        for contact in &self.contacts.list {
            diagonal[contact.particle as usize] += (counts[contact.body as usize] - 1.0) * self.body_diagonal(contact);
        }
    }

    /// Number of contacts of each body, and of those joined to it, with `free` particles. A pressure `p` of these pushes the body with at most this many times the sum of the
    /// energies of each contact by itself (mass splitting).
    fn body_splits(&self, free: &[f32]) -> Vec<f32> {
        let mut splits: Vec<f32> = self.contacts.sum_by_body(|_, contact| free[contact.particle as usize]).collect();
        self.response.pool(&mut splits);
        splits
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

    fn apply(
        &self,
        p: &[f32],
        accelerations: &mut [Vec3A],
        result: &mut [f32],
        products: &mut [[f64; 2]],
        product: impl Fn(usize, &[f32]) -> [f64; 2] + Sync,
    ) {
        self.accelerate(p, accelerations);
        // If no body responds to forces, skip the body accelerations.
        let motions = if self.response.moves() { self.body_accelerations(p) } else { Vec::new() };
        self.density_rates(accelerations, &motions, result, products, |first, rates| {
            rates.iter_mut().zip(&p[first..]).for_each(|(rate, p)| *rate = self.compliance * p - *rate);
            product(first, rates)
        });
    }

    fn residual(&self, p: &[f32], impulses: &mut [Vec3A], accelerations: &mut [Vec3A], result: &mut [f32]) {
        let Load { dt, velocities, sources } = self.load;
        let per_step = 1.0 / dt;
        let mut motions: Vec<RigidMotion> = match self.response.at_rest() {
            true => Vec::new(),
            false => self.response.motions.iter().map(|motion| motion.scaled(per_step.into())).collect(),
        };
        if is_zero(p) {
            impulses.fill(Vec3A::ZERO);
        } else {
            self.impulses(p, impulses);
            if self.response.moves() {
                let changes = self.body_accelerations(p);
                motions.iter_mut().zip(&changes).for_each(|(motion, change)| motion.add(change));
            }
        }
        // The density rates of velocities and of accelerations are those of their sum: one pass instead of two.
        let pushed = accelerations.par_iter_mut().zip(velocities).zip(&*impulses).zip(self.inverse_masses).in_tasks(TASK);
        pushed.for_each(|(((acceleration, &velocity), &impulse), &w)| *acceleration = per_step * (velocity + w * impulse));
        let mut nothing = vec![(); p.len().div_ceil(TASK)];
        self.density_rates(accelerations, &motions, result, &mut nothing, |first, rates| {
            let given = p[first..].iter().zip(&sources[first..]);
            rates.iter_mut().zip(given).for_each(|(rate, (p, source))| *rate = self.compliance * p - *rate - source);
        });
    }

    fn diagonal(&self, diagonal: &mut [f32]) {
        let volume = self.volume;
        diagonal.par_chunks_mut(TASK).enumerate().in_tasks(1).for_each(|(task, chunk)| {
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

    fn smooth_part(&self, free: &[f32], accelerations: &mut [Vec3A], energies: &mut [f32]) -> Option<SmoothPart<'_>> {
        let &Self { volume, positions, inverse_masses, .. } = self;
        self.accelerate(free, accelerations);
        let splits = self.body_splits(free);
        energies.par_iter_mut().zip(&*accelerations).enumerate().in_tasks(TASK).for_each(|(i, (energy, acceleration))| {
            let w = inverse_masses[i];
            let pushed = if w > 0.0 { acceleration.length_squared() / (volume * w) } else { 0.0 };
            let bodies: f32 = self.contacts.of(i).iter().map(|contact| splits[contact.body as usize] * self.body_diagonal(contact)).sum();
            *energy = pushed + (self.compliance + bodies) * free[i];
        });
        Some(SmoothPart { positions, periods: self.pairs.neighbours.periods(), volume, inverse_masses })
    }
}

/// Force per volume on each particle of a batch due to pressures, N/m³.
struct ForcePass<'a> {
    pairs: PairBatch<'a>,
    sums: &'a [Vec3A],
    p: &'a [f32],
    forces: &'a mut [Vec3A],
}

impl BlockWork for ForcePass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { pairs, sums, p, forces } = self;
        let PairBatch { neighbours, others, quantum, .. } = pairs;
        for (offset, force) in forces.iter_mut().enumerate() {
            let (mut x, mut y, mut z) = (L::splat(0.0), L::splat(0.0), L::splat(0.0));
            for (eight, gradient) in blocks.of(offset).zip(&others[neighbours.range(offset)]) {
                prefetch::<L>(eight, gradient);
                let p = L::gather(p, eight);
                let [gx, gy, gz] = L::unpack(gradient);
                (x, y, z) = (x + p * gx, y + p * gy, z + p * gz);
            }
            *force = -(p[neighbours.first() + offset] * sums[offset] + quantum * L::sums([x, y, z]));
        }
    }
}

/// Density rate of each particle of a batch due to a field of velocities or accelerations of the fluid.
struct RatePass<'a> {
    pairs: PairBatch<'a>,
    sums: &'a [Vec3A],
    field: &'a [Vec3A],
    rates: &'a mut [f32],
}

impl BlockWork for RatePass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { pairs, sums, field, rates } = self;
        let PairBatch { neighbours, own, quantum, .. } = pairs;
        for (offset, rate) in rates.iter_mut().enumerate() {
            let mut sum = L::splat(0.0);
            for (eight, gradient) in blocks.of(offset).zip(&own[neighbours.range(offset)]) {
                prefetch::<L>(eight, gradient);
                let [vx, vy, vz] = L::gather_vectors(field, eight);
                let [gx, gy, gz] = L::unpack(gradient);
                sum = sum + (vx * gx + vy * gy + vz * gz);
            }
            *rate = field[neighbours.first() + offset].dot(sums[offset]) - quantum * sum.sum();
        }
    }
}
