//! The ledger: the one place where particles and bodies get impulses. It books every impulse from outside and the external work, and
//! computes the momentum error.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{
    Domain,
    parallel::{InTasks, TASK, sum},
};
use plimsoll_bodies::{Bodies, Impulse, Momentum};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    ByMaterial, FluidSettings,
    coupling::{Cause, Load, Wrench},
    particles::Particles,
};

/// Momentum at the start and impulses since; angular parts about the world origin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Momentum of fluid and floating bodies at the start.
    pub initial: Momentum,
    /// Impulses from outside since the start: gravity, acceleration fields, air, prescribed forces, static and moving bodies, locked axes, damping
    /// zones, emitters and drains.
    pub external: Momentum,
    /// Sum over steps and bodies of the impulse exchanged between fluid and body, absolute values.
    pub exchanged_linear: f64,
    /// The same for angular impulses about the world origin, N m s.
    pub exchanged_angular: f64,
    /// External work since the start, J: moving bodies, prescribed forces, acceleration fields, air, contacts, damping zones, and the energy of the
    /// fluid that emitters add and drains remove. Gravity is excluded: its energy is potential. Apart from noise, energy minus this work only decreases.
    pub work: f64,
    /// Impulses of the fluid on each body in the last step.
    pub loads: Vec<Load>,
}

/// The particles and bodies that a stage pushes, and the ledger that applies the impulses.
pub struct Pushed<'a> {
    pub particles: &'a mut Particles,
    pub bodies: &'a mut Bodies,
    pub ledger: &'a mut Ledger,
}

/// Source of impulses on particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Other particles and bodies, which get the opposite impulses.
    Inside,
    /// Gravity, whose work is potential energy.
    Gravity,
    /// A damping zone, an acceleration field, air or a user who stirs the fluid: momentum and energy come from outside.
    Outside,
}

impl Ledger {
    /// Clears the loads of `bodies` at the beginning of a step.
    pub fn begin_step(&mut self, bodies: usize) {
        self.loads.clear();
        self.loads.resize(bodies, Load::default());
    }

    /// Gives each particle an impulse (N s); `masses` are those of the materials, kg.
    pub fn push_particles(&mut self, particles: &mut Particles, impulses: &[Vec3A], origin: Origin, masses: &ByMaterial<f64>) {
        match origin {
            Origin::Inside => self.push_from_inside(particles, impulses),
            Origin::Gravity => self.push_from_outside(particles, impulses, masses, false),
            Origin::Outside => self.push_from_outside(particles, impulses, masses, true),
        }
    }

    /// Applies impulses from other particles or bodies, which get the opposite ones. The part that a particle of prescribed velocity cannot
    /// take up counts as external.
    fn push_from_inside(&mut self, particles: &mut Particles, impulses: &[Vec3A]) {
        particles.accelerate(impulses);
        let Particles { positions, velocities, inverse_masses, .. } = particles;
        if inverse_masses.contains(&0.0) {
            let prescribed = |i: usize| inverse_masses[i] == 0.0;
            let withheld = |i: usize| match prescribed(i) {
                true => Momentum::at(positions[i].as_dvec3(), impulses[i].as_dvec3()),
                false => Momentum::default(),
            };
            self.external += -sum(impulses.len(), withheld);
            let work = |i: usize| if prescribed(i) { impulses[i].as_dvec3().dot(velocities[i].as_dvec3()) } else { 0.0 };
            self.work -= sum(impulses.len(), work);
        }
    }

    /// Gives the spin of each particle an angular impulse (N m s) from other particles; none if there are no impulses. Particles of prescribed
    /// velocity have no spin: their part counts as external.
    pub fn push_spins(&mut self, particles: &mut Particles, impulses: &[Vec3A], settings: &FluidSettings) {
        if impulses.is_empty() {
            return;
        }
        let Particles { spins, inverse_masses, .. } = particles;
        let inverse_inertia = (1.0 / settings.spin_inertia()) as f32;
        let turned = spins.par_iter_mut().zip(&*inverse_masses).zip(impulses).in_tasks(TASK);
        turned.for_each(|((spin, &w), &impulse)| *spin += w * inverse_inertia * impulse);
        if inverse_masses.contains(&0.0) {
            let withheld = |i: usize| if inverse_masses[i] == 0.0 { impulses[i].as_dvec3() } else { DVec3::ZERO };
            self.external.angular -= sum(impulses.len(), withheld);
        }
    }

    /// Gives each particle an impulse (N s) from outside. Work is booked only if `has_work`: the work of gravity is potential energy.
    fn push_from_outside(&mut self, particles: &mut Particles, impulses: &[Vec3A], masses: &ByMaterial<f64>, has_work: bool) {
        let Particles { positions, velocities, inverse_masses, materials, .. } = particles;
        let mass = |i: usize| masses.of(materials[i]);
        let change = |i: usize| (inverse_masses[i] * impulses[i]).as_dvec3();
        self.external += sum(impulses.len(), |i| Momentum::at(positions[i].as_dvec3(), mass(i) * change(i)));
        if has_work {
            self.work += sum(impulses.len(), |i| mass(i) * change(i).dot(velocities[i].as_dvec3() + 0.5 * change(i)));
        }
        particles.accelerate(impulses);
    }

    /// Gives each body an impulse from the fluid: `wrenches` times `dt`.
    pub fn push_bodies(&mut self, bodies: &mut Bodies, wrenches: impl Iterator<Item = Wrench>, dt: f64, cause: Cause) {
        for (index, wrench) in wrenches.enumerate() {
            self.push_body(bodies, index, Impulse { linear: wrench.force * dt, angular: wrench.torque * dt }, cause);
        }
    }

    /// Gives body `index` an impulse from the fluid; the angular part is about the body's center.
    pub fn push_body(&mut self, bodies: &mut Bodies, index: usize, impulse: Impulse, cause: Cause) {
        *self.loads[index].by(cause) += impulse;
        bodies.apply_impulse(index, impulse);
    }

    /// Books a particle that enters (`count` 1) or leaves (`count` −1).
    pub fn count_particle(&mut self, settings: &FluidSettings, particles: &Particles, index: usize, count: f64) {
        self.count_at(settings, particles, index, particles.positions[index], count);
    }

    /// The same for a particle at `position` (m).
    fn count_at(&mut self, settings: &FluidSettings, particles: &Particles, index: usize, position: Vec3A, count: f64) {
        let mass = count * settings.masses().of(particles.materials[index]);
        let (x, v, spin) = (position.as_dvec3(), particles.velocities[index].as_dvec3(), particles.spins[index].as_dvec3());
        let inertia = settings.spin_inertia();
        self.external += Momentum::at(x, mass * v).with_spin(mass * inertia * spin);
        self.work += mass * (0.5 * v.length_squared() + 0.5 * inertia * spin.length_squared() - settings.gravity.dot(x));
    }

    /// Removes the particles at `places`, in increasing order.
    pub fn remove_particles(&mut self, settings: &FluidSettings, particles: &mut Particles, places: &[u32]) {
        places.iter().for_each(|&place| self.count_particle(settings, particles, place as usize, -1.0));
        particles.remove(places);
    }

    /// Books a particle that left the domain at `last` (m) and has entered it again where it is now.
    pub fn wrap_particle(&mut self, settings: &FluidSettings, particles: &Particles, index: usize, last: Vec3A) {
        self.count_at(settings, particles, index, last, -1.0);
        self.count_particle(settings, particles, index, 1.0);
    }

    /// Moves each particle by a shift (m) without changing its velocity; `masses` are those of the materials, kg.
    pub fn shift(&mut self, particles: &mut Particles, shifts: &[Vec3A], masses: &ByMaterial<f64>) {
        let Particles { velocities, materials, .. } = &*particles;
        self.external += sum(shifts.len(), |i| momentum_of_shift(shifts[i], masses.of(materials[i]), velocities[i]));
        particles.shift(shifts);
    }

    /// The same for particle `index` alone, of `mass` (kg).
    pub fn shift_one(&mut self, particles: &mut Particles, index: usize, shift: Vec3A, mass: f64) {
        let before = particles.positions[index];
        particles.positions[index] += shift;
        self.external += momentum_of_shift(particles.positions[index] - before, mass, particles.velocities[index]);
    }

    /// Prescribes the velocity (m/s) of particle `index`; `masses` are those of the materials, kg.
    pub fn prescribe(&mut self, particles: &mut Particles, index: usize, masses: &ByMaterial<f64>, velocity: Vec3A) {
        let mass = masses.of(particles.materials[index]);
        let (before, after) = (particles.velocities[index].as_dvec3(), velocity.as_dvec3());
        self.external += Momentum::at(particles.positions[index].as_dvec3(), mass * (after - before));
        self.work += 0.5 * mass * (after - before).dot(after + before);
        particles.set_velocity(index, velocity);
    }

    /// Books the step's exchange between fluid and bodies, and what the bodies got from outside.
    pub fn end_step(&mut self, bodies: &Bodies) {
        self.external += bodies.external;
        for (body, load) in bodies.list.iter().zip(&self.loads) {
            let load = load.total();
            self.exchanged_linear += load.linear.length();
            self.exchanged_angular += (load.angular + body.center().cross(load.linear)).length();
            if body.prescribed_motion().is_some() {
                self.work -= load.linear.dot(body.velocity) + load.angular.dot(body.angular_velocity);
            }
        }
        self.work += bodies.work;
    }

    /// Errors of linear and angular momentum, relative to the impulses exchanged; zero before any exchange. `now` is the current momentum.
    /// The error of angular momentum is that about axes about which it is conserved in `domain`.
    pub fn errors(&self, now: Momentum, domain: &Domain) -> (f64, f64) {
        let linear = (now.linear - self.initial.linear - self.external.linear).length();
        let angular = (domain.conserved_rotations() * (now.angular - self.initial.angular - self.external.angular)).length();
        let relative = |error: f64, exchanged: f64| if exchanged > 0.0 { error / exchanged } else { 0.0 };
        (relative(linear, self.exchanged_linear), relative(angular, self.exchanged_angular))
    }
}

/// What a shift (m) of a particle of `mass` (kg) at a `velocity` (m/s) adds to the angular momentum.
fn momentum_of_shift(shift: Vec3A, mass: f64, velocity: Vec3A) -> Momentum {
    Momentum { angular: shift.as_dvec3().cross(mass * velocity.as_dvec3()), ..Momentum::default() }
}
