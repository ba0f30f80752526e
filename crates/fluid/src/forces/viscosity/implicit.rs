//! Implicit viscosity: the forces are those of the velocities at the end of the step, so that any viscosity is stable with any step.
//!
//! Let `K` be the pair forces, `c_ib` the friction of a wall contact and `P_ib` the projection on the wall. The changes `d` of the particles'
//! velocities and the impulses `e` on the bodies solve
//!
//! ```text
//! m_i d_i − (K (v + d))_i + Σ_b c_ib P_ib (v_i + d_i − (u + C e)_b(x_i)) = 0
//! C (e_b − Σ_i J_ibᵀ c_ib P_ib (v_i + d_i − (u + C e)_b(x_i))) = 0
//! ```
//!
//! with the compliance `C` of the bodies, joints included, and `J_ib e` the velocity at `x_i`. The matrix is symmetric and positive
//! semi-definite. Conjugate gradients, with the diagonal for the particles and the inverse of `C` for the bodies as a preconditioner, need only
//! the wrench in the brackets of the second equation.
//!
//! `v` and `u` are the velocities that gravity and the pressures of the last step would leave. If viscosity acted before these, a ball
//! that sinks in honey would fall freely for a step: its speed would be too high by the length of the step over its relaxation time.
//!
//! The pair forces resist expansion, too, with a bulk viscosity.
//!
//! The impulses are computed from the velocities of the solution, so linear and angular momentum are conserved whatever the residual.

use glam::{Mat3A, Vec3A};
use plimsoll_base::math::parallel::{InTasks, TASK, sum};
use rayon::prelude::*;

use super::{
    linear_flow::{Factor, FlowFactors, LinearFlows, shear_rates},
    pair_forces::PairForces,
    wall_shear::{friction_rate, wall_distance},
};
use crate::{
    coupling::{BodyResponse, ContactDetail, RigidMotion, WallContact, WallContacts, Wrench},
    material::ByMaterial,
    particles::Particles,
    pressure::SolveReport,
    rheology::Rheology,
    step_length::LAMINAR_EIGENVALUE,
    step_scene::StepScene,
};

/// Bulk viscosity over the viscosity: that of forces along `x_ij` (Español & Revenga 2003, Monaghan 2005). There is no negative pressure, so
/// without it a thread that stretches would be pushed apart sideways by its viscous stress, instead of becoming thinner.
const BULK_VISCOSITY: f32 = 5.0 / 3.0;

/// Velocities before the viscous impulses.
#[derive(Clone, Copy)]
pub struct Predicted<'a> {
    /// Of the particles, m/s.
    pub velocities: &'a [Vec3A],
    /// Of the bodies.
    pub motions: &'a [RigidMotion],
}

/// Solver of the viscous forces, with its buffers.
#[derive(Clone, Debug, Default)]
pub struct ViscositySolve {
    corrections: Vec<Mat3A>,
    flows: LinearFlows,
    coefficients: Coefficients,
    friction: Vec<Friction>,
    changes: Vec<Vec3A>,
    residuals: Vec<Vec3A>,
    directions: Vec<Vec3A>,
    images: Vec<Vec3A>,
}

/// What the step makes of the viscosities of the particles.
#[derive(Clone, Debug, Default)]
struct Coefficients {
    /// Shear rates, 1/s.
    rates: Vec<f32>,
    /// Kinematic viscosities, m²/s.
    viscosities: Vec<f32>,
    of_strain: Vec<f32>,
    of_deviations: Vec<f32>,
    /// Densities in units of that of the first fluid.
    weights: Vec<f32>,
    /// Inverse diagonal, 1/kg; zero for particles of prescribed velocity.
    preconditioner: Vec<f32>,
}

/// Friction at a wall contact.
#[derive(Clone, Copy, Debug, Default)]
struct Friction {
    normal: Vec3A,
    /// Impulse per slip, kg.
    coefficient: f32,
}

impl ViscositySolve {
    /// Finds the impulses on the particles (N s, in the first value) and on the bodies, and the work of these on surfaces that deform (J).
    pub fn solve(
        &mut self,
        scene: &StepScene,
        particles: &Particles,
        response: &BodyResponse,
        predicted: Predicted,
        corrections: &mut Vec<Mat3A>,
    ) -> (&[Vec3A], Vec<Wrench>, f64, SolveReport) {
        std::mem::swap(&mut self.corrections, corrections);
        let Self { corrections, flows, coefficients, friction, changes, residuals, directions, images } = self;
        let (settings, kernel) = (scene.settings, scene.settings.kernel());
        let pairs = PairForces {
            pairs: scene.pairs,
            kernel: &kernel,
            positions: &particles.positions,
            factors: FlowFactors::linear(Factor::Same(0.0), Factor::Same(0.0)),
            of_divergence: BULK_VISCOSITY - 2.0 / 3.0,
            xsph: settings.particle_volume() as f32 * settings.viscosity.xsph as f32,
            weights: &[],
            mass: settings.masses().of(0) as f32,
        };
        coefficients.update(scene, particles, &pairs, corrections, predicted.velocities);
        find_friction(scene, particles, predicted, &coefficients.viscosities, friction);
        coefficients.precondition(scene, particles, friction);
        let Coefficients { of_strain, of_deviations, weights, preconditioner, .. } = &*coefficients;
        let weights: &[f32] = if settings.material_count() > 1 { weights } else { &[] };
        let system = ViscousSystem {
            pairs: PairForces { factors: FlowFactors::linear(Factor::Each(of_strain), Factor::Each(of_deviations)), weights, ..pairs },
            corrections,
            masses: settings.masses().map(|mass| mass as f32),
            materials: &particles.materials,
            contacts: scene.contacts,
            friction,
            response,
        };
        let vectors = Vectors { changes, residuals, directions, images };
        let limits = (settings.viscosity.tolerance, settings.viscosity.iterations);
        system.solve(predicted, preconditioner, flows, vectors, limits)
    }
}

impl Coefficients {
    fn update(&mut self, scene: &StepScene, particles: &Particles, pairs: &PairForces, corrections: &[Mat3A], velocities: &[Vec3A]) {
        let (settings, dt, materials) = (scene.settings, scene.dt, &particles.materials);
        let Self { rates, viscosities, of_strain, of_deviations, weights, .. } = self;
        let (at_rest, densities, laws) = (settings.kinematic_viscosities(), settings.densities(), settings.rheologies());
        if settings.is_newtonian() {
            rates.clear();
            rates.resize(materials.len(), 0.0);
        } else {
            shear_rates(&pairs.fit(velocities), corrections, rates);
        }
        let viscosity = |(&material, &rate): (&u8, &f32)| match laws.of(material) {
            Rheology::Newtonian => at_rest.of(material) as f32,
            law => law.kinematic(at_rest.of(material), densities.of(material), f64::from(rate)) as f32,
        };
        let all = materials.par_iter();
        all.clone().zip(&*rates).map(viscosity).in_tasks(TASK).collect_into(viscosities);
        let relative = settings.relative_densities();
        all.clone().map(|&material| relative.of(material) as f32).in_tasks(TASK).collect_into(weights);
        let volume = settings.particle_volume();
        let of_strain_rate = |(&material, &viscosity): (&u8, &f32)| (volume * relative.of(material) * dt * f64::from(viscosity)) as f32;
        all.clone().zip(&*viscosities).map(of_strain_rate).in_tasks(TASK).collect_into(of_strain);
        let noise = settings.damping_viscosity(settings.viscosity.artificial);
        let of_deviation = |(&material, &viscosity): (&u8, &f32)| {
            (0.5 * volume * relative.of(material) * dt * (noise + 2.0 * f64::from(viscosity))) as f32
        };
        all.zip(&*viscosities).map(of_deviation).in_tasks(TASK).collect_into(of_deviations);
    }

    /// The diagonal of the pair forces is about half of their largest eigenvalue.
    fn precondition(&mut self, scene: &StepScene, particles: &Particles, friction: &[Friction]) {
        let settings = scene.settings;
        let (masses, h) = (settings.masses(), settings.support_radius());
        let xsph = settings.viscosity.xsph;
        let inverse = |i: usize| {
            if particles.inverse_masses[i] == 0.0 {
                return 0.0;
            }
            let viscosity = f64::from(self.viscosities[i]);
            let rate =
                0.25 * LAMINAR_EIGENVALUE * viscosity / (h * h) + 0.5 * settings.deviation_rate(settings.viscosity.artificial, viscosity);
            let of_walls: f64 = scene.contacts.range_of(i).map(|place| f64::from(friction[place].coefficient)).sum();
            (1.0 / (masses.of(particles.materials[i]) * (1.0 + xsph + scene.dt * rate) + of_walls)) as f32
        };
        (0..particles.len()).into_par_iter().map(inverse).in_tasks(TASK).collect_into(&mut self.preconditioner);
    }
}

/// Where the viscosity depends on the shear rate, that between particle and wall counts, not that of the flow around the particle: it is
/// the higher one.
fn find_friction(scene: &StepScene, particles: &Particles, predicted: Predicted, viscosities: &[f32], friction: &mut Vec<Friction>) {
    let settings = scene.settings;
    let (masses, at_rest, densities, laws) =
        (settings.masses(), settings.kinematic_viscosities(), settings.densities(), settings.rheologies());
    let of_contact = |(contact, detail): (&WallContact, &ContactDetail)| {
        if contact.value <= 0.0 || contact.gradient == Vec3A::ZERO {
            return Friction { normal: Vec3A::ZERO, coefficient: 0.0 };
        }
        let (i, normal) = (contact.particle as usize, contact.gradient.normalize());
        let material = particles.materials[i];
        let of_fluid = || match laws.of(material) {
            Rheology::Newtonian => f64::from(viscosities[i]),
            law => {
                let of_wall = predicted.motions[contact.body as usize].at(contact.point) + detail.surface_velocity;
                let slip = predicted.velocities[i] - of_wall;
                let rate = f64::from((slip - normal * slip.dot(normal)).length()) / wall_distance(settings, detail);
                law.kinematic(at_rest.of(material), densities.of(material), rate)
            }
        };
        let viscosity = settings.viscosity.wall.unwrap_or_else(of_fluid);
        let coefficient = masses.of(material) * friction_rate(settings, contact, detail, viscosity) * scene.dt;
        Friction { normal, coefficient: coefficient as f32 }
    };
    let all = scene.contacts.list.par_iter().zip(&scene.contacts.details);
    all.map(of_contact).in_tasks(256).collect_into(friction);
}

/// The vectors of the conjugate gradients.
struct Vectors<'a> {
    changes: &'a mut Vec<Vec3A>,
    residuals: &'a mut Vec<Vec3A>,
    directions: &'a mut Vec<Vec3A>,
    images: &'a mut Vec<Vec3A>,
}

struct ViscousSystem<'a> {
    pairs: PairForces<'a>,
    corrections: &'a [Mat3A],
    masses: ByMaterial<f32>,
    materials: &'a [u8],
    contacts: &'a WallContacts,
    friction: &'a [Friction],
    response: &'a BodyResponse,
}

impl ViscousSystem<'_> {
    fn solve<'v>(
        &self,
        predicted: Predicted,
        preconditioner: &[f32],
        flows: &mut LinearFlows,
        vectors: Vectors<'v>,
        (tolerance, iterations): (f64, u32),
    ) -> (&'v [Vec3A], Vec<Wrench>, f64, SolveReport) {
        let Vectors { changes: d, residuals: r, directions: p, images: q } = vectors;
        let count = preconditioner.len();
        for values in [&mut *d, &mut *r, &mut *p, &mut *q] {
            values.resize(count, Vec3A::ZERO);
        }
        let responds = |body: usize| !self.response.compliances[body].is_zero();
        let mut r_bodies = self.impulses(&Moving::of(predicted), flows, r, responds);
        d.par_iter_mut().in_tasks(TASK).for_each(|d| *d = Vec3A::ZERO);
        p.par_iter_mut().zip(&*r).zip(preconditioner).in_tasks(TASK).for_each(|((p, &r), &w)| *p = w * r);
        let (mut e, mut p_bodies) = (vec![Wrench::default(); r_bodies.len()], r_bodies.clone());
        let size = |r: &[Vec3A], r_bodies: &[Wrench]| {
            let particles = sum(count, |i| f64::from(preconditioner[i]) * r[i].as_dvec3().length_squared());
            particles + power(r_bodies, &self.response.accelerations(r_bodies.iter().copied()))
        };
        let first = size(r, &r_bodies);
        let (mut squared, mut report) = (first, SolveReport { iterations: 1, ..SolveReport::default() });
        while squared > tolerance * tolerance * first && report.iterations < iterations {
            let motions = self.response.accelerations(p_bodies.iter().copied());
            let on_bodies = self.impulses(&Moving { velocities: p, motions: &motions, surfaces: false }, flows, q, responds);
            report.iterations += 1;
            let free = q.par_iter_mut().zip(&*p).zip(self.materials).zip(preconditioner).in_tasks(TASK);
            free.for_each(|(((q, &p), &material), &w)| *q = if w > 0.0 { self.masses.of(material) * p - *q } else { Vec3A::ZERO });
            let q_bodies: Vec<Wrench> = p_bodies.iter().zip(&on_bodies).map(|(&p, &on_body)| p.plus(-1.0, on_body)).collect();
            let curvature = sum(count, |i| p[i].as_dvec3().dot(q[i].as_dvec3())) + power(&q_bodies, &motions);
            let step = squared / curvature;
            if !step.is_finite() {
                break;
            }
            let along = step as f32;
            let moved = d.par_iter_mut().zip(r.par_iter_mut()).zip(p.par_iter().zip(&*q)).in_tasks(TASK);
            moved.for_each(|((d, r), (p, q))| (*d, *r) = (*d + along * p, *r - along * q));
            for body in 0..e.len() {
                e[body] = e[body].plus(step, p_bodies[body]);
                r_bodies[body] = r_bodies[body].plus(-step, q_bodies[body]);
            }
            let last = std::mem::replace(&mut squared, size(r, &r_bodies));
            let share = squared / last;
            let turned = p.par_iter_mut().zip(&*r).zip(preconditioner).in_tasks(TASK);
            turned.for_each(|((p, &r), &w)| *p = w * r + share as f32 * *p);
            p_bodies.iter_mut().zip(&r_bodies).for_each(|(p, &r)| *p = r.plus(share, *p));
        }
        report.converged = squared <= tolerance * tolerance * first;
        report.error_percent = if first > 0.0 { 100.0 * (squared / first).sqrt() } else { 0.0 };
        // The velocities of the solution, and the impulses that they cause.
        p.par_iter_mut().zip(predicted.velocities).zip(&*d).in_tasks(TASK).for_each(|((p, &v), &d)| *p = v + d);
        let mut motions = predicted.motions.to_vec();
        motions.iter_mut().zip(self.response.accelerations(e.iter().copied())).for_each(|(motion, change)| motion.add(&change));
        let moving = Moving { velocities: p, motions: &motions, surfaces: true };
        let on_bodies = self.impulses(&moving, flows, q, |_| true);
        let surface_work = self.contacts.surface_work(|place, contact| -self.wall_impulse(place, contact, &moving).as_dvec3());
        (q, on_bodies, surface_work, report)
    }

    /// Impulses on particles that move in this way among the bodies, N s, and on the bodies that are `wanted`.
    fn impulses(
        &self,
        moving: &Moving,
        flows: &mut LinearFlows,
        on_particles: &mut [Vec3A],
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<Wrench> {
        flows.stresses.resize(self.corrections.len(), Mat3A::ZERO);
        let copies = flows.stresses.par_chunks_mut(TASK).zip(self.corrections.par_chunks(TASK));
        copies.for_each(|(stresses, corrections)| stresses.copy_from_slice(corrections));
        self.pairs.impulses(moving.velocities, flows, on_particles);
        on_particles.par_iter_mut().enumerate().in_tasks(TASK).for_each(|(i, impulse)| {
            for place in self.contacts.range_of(i) {
                *impulse += self.wall_impulse(place, &self.contacts.list[place], moving);
            }
        });
        let on_body =
            |place: usize, contact: &WallContact| self.response.wrench(contact, -self.wall_impulse(place, contact, moving).as_dvec3());
        self.contacts.sum_by_some(wanted, on_body).collect()
    }

    /// Impulse of a wall on a particle, N s.
    fn wall_impulse(&self, place: usize, contact: &WallContact, moving: &Moving) -> Vec3A {
        let Friction { normal, coefficient } = self.friction[place];
        let mut slip = moving.velocities[contact.particle as usize] - moving.motions[contact.body as usize].at(contact.point);
        if moving.surfaces {
            slip -= self.contacts.details[place].surface_velocity;
        }
        -coefficient * (slip - normal * slip.dot(normal))
    }
}

/// How particles and bodies move, or how their motion changes.
struct Moving<'a> {
    /// Of the particles, m/s.
    velocities: &'a [Vec3A],
    /// Of the bodies.
    motions: &'a [RigidMotion],
    /// Whether deforming surfaces move, too: a change leaves them as they are.
    surfaces: bool,
}

impl<'a> Moving<'a> {
    fn of(predicted: Predicted<'a>) -> Self {
        Self { velocities: predicted.velocities, motions: predicted.motions, surfaces: true }
    }
}

/// `Σ_b w_b · u_b`
fn power(wrenches: &[Wrench], motions: &[RigidMotion]) -> f64 {
    let of_body = |(wrench, motion): (&Wrench, &RigidMotion)| wrench.force.dot(motion.linear) + wrench.torque.dot(motion.angular);
    wrenches.iter().zip(motions).map(of_body).sum()
}
