//! The linear system of pressure: fluid and floating bodies in one.
//!
//! Unknown is `q = p/ρ²` of each particle. With `m` the mass of a particle and `(i, b)` its wall contacts,
//!
//! ```text
//! acceleration   a_i = −Σ_j m (q_i L_i + q_j L_j) ∇W_ij − q_i ρ0 Σ_b ∇f_ib
//! on the body    +m q_i ρ0 ∇f_ib at x_i
//! density rate   Dρ_i(v) = Σ_j m (v_i − v_j)·L_i ∇W_ij + ρ0 Σ_b (v_i − u_b(x_i))·∇f_ib
//! ```
//!
//! with the isotropy correction `L_i` of the links.
//!
//! `D` is, but for the sign, the adjoint of the acceleration, so `A = −D a(·)`, in which the bodies answer with their mass and inertia, is symmetric and
//! positive semi-definite.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;

use crate::{
    bodies::Compliance,
    fluid::{
        particles::Links,
        placement::Held,
        wall::{WallContact, WallContacts},
    },
    math::parallel::TASK,
};

/// Everything that the pressure of one step depends on.
#[derive(Clone, Copy)]
pub struct PressureSystem<'a> {
    /// Mass of a particle, kg.
    pub mass: f32,
    /// kg/m³
    pub rest_density: f32,
    pub positions: &'a [Vec3A],
    pub links: &'a Links,
    pub contacts: &'a WallContacts,
    /// How each body answers to forces.
    pub compliances: &'a [Compliance],
    /// Particles that answer to no force.
    pub held: &'a [Held],
}

/// Velocity or acceleration field of a rigid body: `linear + angular × (x − center)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidMotion {
    pub center: DVec3,
    pub linear: DVec3,
    pub angular: DVec3,
}

impl RigidMotion {
    #[inline]
    pub fn at(&self, point: Vec3A) -> Vec3A {
        (self.linear + self.angular.cross(point.as_dvec3() - self.center)).as_vec3a()
    }
}

/// Force and torque about a point, or impulses of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    pub force: DVec3,
    pub torque: DVec3,
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

impl PressureSystem<'_> {
    pub fn particle_count(&self) -> usize {
        self.positions.len()
    }

    /// Acceleration of each particle by pressures `q`, m/s²; of those that are held, what they would have.
    pub fn accelerate(&self, q: &[f32], accelerations: &mut [Vec3A]) {
        accelerations.par_chunks_mut(TASK).enumerate().for_each(|(task, chunk)| {
            for (offset, acceleration) in chunk.iter_mut().enumerate() {
                let i = task * TASK + offset;
                let mut sum = q[i] * self.links.gradient_sums[i];
                for link in self.links.others(i) {
                    sum += q[link.neighbour()] * link.gradient();
                }
                *acceleration = -sum;
            }
        });
    }

    /// Takes the accelerations of held particles away.
    pub fn hold(&self, accelerations: &mut [Vec3A]) {
        self.held.iter().for_each(|held| accelerations[held.particle as usize] = Vec3A::ZERO);
    }

    /// Force of pressures `q` on each body, N, and torque about its centre, N m.
    pub fn body_wrenches(&self, q: &[f32]) -> Vec<Wrench> {
        self.contacts.sum_by_body(|_, contact| {
            let factor = self.mass * q[contact.particle as usize] * self.rest_density;
            self.wrench(contact, (factor * contact.gradient).as_dvec3())
        })
    }

    /// `force` at the particle of `contact`, as felt by the contact's body.
    pub fn wrench(&self, contact: &WallContact, force: DVec3) -> Wrench {
        let lever = self.positions[contact.particle as usize].as_dvec3() - self.compliances[contact.body as usize].center;
        Wrench { force, torque: lever.cross(force) }
    }

    /// How the bodies accelerate under pressures `q`.
    pub fn accelerate_bodies(&self, q: &[f32]) -> Vec<RigidMotion> {
        if self.compliances.iter().all(Compliance::is_zero) {
            return self.compliances.iter().map(|compliance| RigidMotion { center: compliance.center, ..RigidMotion::default() }).collect();
        }
        let answer = |(wrench, compliance): (Wrench, &Compliance)| RigidMotion {
            center: compliance.center,
            linear: compliance.inverse_mass * wrench.force,
            angular: compliance.inverse_inertia * wrench.torque,
        };
        self.body_wrenches(q).into_iter().zip(self.compliances).map(answer).collect()
    }

    /// `Dρ_i` of a field of velocities (then kg/m³/s) or accelerations, with the bodies moving by `motions`.
    #[inline]
    pub fn density_rate(&self, i: usize, field: &[Vec3A], motions: &[RigidMotion]) -> f32 {
        let mut sum = field[i] * self.links.gradient_sums[i];
        for link in self.links.own(i) {
            sum -= field[link.neighbour()] * link.gradient();
        }
        let mut rate = sum.element_sum();
        for contact in self.contacts.of(i) {
            let motion = &motions[contact.body as usize];
            rate -= self.rest_density * motion.at(self.positions[i]).dot(contact.gradient);
        }
        rate
    }

    /// `A q` into `result`; `accelerations` is room for the acceleration of each particle.
    pub fn apply(&self, q: &[f32], accelerations: &mut [Vec3A], result: &mut [f32]) {
        self.accelerate(q, accelerations);
        self.hold(accelerations);
        let motions = self.accelerate_bodies(q);
        let accelerations = &*accelerations;
        result.par_chunks_mut(TASK).enumerate().for_each(|(task, chunk)| {
            for (offset, value) in chunk.iter_mut().enumerate() {
                *value = -self.density_rate(task * TASK + offset, accelerations, &motions);
            }
        });
    }

    /// Diagonal of `A`, the bodies' own answer to the particle included.
    pub fn diagonal(&self, diagonal: &mut [f32]) {
        diagonal.par_chunks_mut(TASK).enumerate().for_each(|(task, chunk)| {
            for (offset, value) in chunk.iter_mut().enumerate() {
                let i = task * TASK + offset;
                let bodies: f32 = self.contacts.of(i).iter().map(|contact| self.body_diagonal(contact)).sum();
                *value = self.links.gradient_sums[i].length_squared() + self.links.square_sums[i] + bodies;
            }
        });
    }

    /// The diagonal for independent updates of all particles: each body's answer times the number of its contacts.
    pub fn split_diagonal(&self, diagonal: &mut [f32]) {
        self.diagonal(diagonal);
        let counts = self.contacts.sum_by_body(|_, _| 1.0_f32);
        for contact in &self.contacts.list {
            diagonal[contact.particle as usize] += (counts[contact.body as usize] - 1.0) * self.body_diagonal(contact);
        }
    }

    fn body_diagonal(&self, contact: &WallContact) -> f32 {
        let compliance = &self.compliances[contact.body as usize];
        let wrench = self.wrench(contact, contact.gradient.as_dvec3());
        let answer =
            wrench.force.dot(compliance.inverse_mass * wrench.force) + wrench.torque.dot(compliance.inverse_inertia * wrench.torque);
        self.mass * self.rest_density * self.rest_density * answer as f32
    }
}
