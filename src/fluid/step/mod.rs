//! One step of the fluid and the bodies in it.

mod health;
pub(super) mod length;

pub use health::Health;
pub use length::StepLength;

use glam::{DVec3, Vec3A};
use health::StepState;
use rayon::prelude::*;

use crate::{
    bodies::{Body, BodyKind, Compliance, Impulse, Momentum},
    fluid::{
        DensitySolve, FluidSimulation, PressureSolver, TaitLaw,
        collisions::{CollisionScene, Stop},
        forces::{ViscousState, viscous_changes, wall_friction},
        particles::Particles,
        placement::drained,
        pressure::{PressureSystem, RigidMotion, SolveLimits, SolveReport, Wrench},
        record::{Load, Stage, StepDiagnostics},
        scratch::{Scratch, particle_mass, wall_reach},
    },
    math::parallel::{greatest, sum},
    simulator::SimulationError,
};

/// Metres kept between particles and triangles, in particle radii.
const CLEARANCE: f64 = 0.05;
/// A particle of less than this share of the rest density (its own share is 0.32) has hardly a neighbour. Such a drop in free flight may
/// go farther in a step than fluid may; what it meets is looked for along its whole path.
const LONELY: f32 = 0.35;
/// Share of a lonely particle's speed that counts for the length of the step.
const LONELY_WEIGHT: f32 = 0.25;

/// Greatest excess of density next to a floating body that counts for its removal, relative to the rest density. Where a heavy body closes on a
/// wall faster than a step can see, the fluid between them is squeezed by a third and more; removed in one go, that throws a block of 50 times
/// the density of water back up with more energy than it came with. With this the energy falls (`cargo test --release --test limits heavy`).
const CORRECTED_EXCESS: f32 = 0.05;
/// Steps of conjugate gradients in every solve for the density. Without them a pool at rest jitters when steps are short: 0.2 m/s at 0.05 ms.
const LEAST_SWEEPS: u32 = 2;

impl FluidSimulation {
    pub(super) fn step(&mut self, until: f64) -> Result<(), SimulationError> {
        self.scratch.times.start();
        let (dt, end) = self.time_step(until);
        self.drain();
        self.emit(dt);
        self.scratch.search(&self.settings, &mut self.particles, &self.bodies.list);
        self.scratch.held = self.emission.held(self.time, &self.particles);
        self.hold();
        self.bodies.begin_step(self.time, dt);
        self.loads.fill(Load::default());
        let divergence = self.timed(Stage::Divergence, |fluid| fluid.remove_divergence(dt));
        self.timed(Stage::Forces, |fluid| fluid.apply_forces(dt));
        let density = self.timed(Stage::Pressure, |fluid| fluid.keep_density(dt));
        health::check_bodies(&self.bodies.list, self.steps, self.time)?;
        self.timed(Stage::Bodies, |fluid| fluid.bodies.step(end, dt));
        let collisions = self.timed(Stage::Collisions, |fluid| fluid.resolve_collisions(dt));
        self.particles.advance(dt as f32);
        self.time = end;
        self.steps += 1;
        self.timed(Stage::Rest, |fluid| fluid.close_books(dt, density, divergence, collisions));
        self.check_health()
    }

    fn check_health(&mut self) -> Result<(), SimulationError> {
        self.health.check(&StepState {
            settings: &self.settings,
            particles: &self.particles,
            bodies: &self.bodies.list,
            loads: &self.loads,
            contacts: &self.scratch.contacts,
            last: &self.last,
            wanted_step: self.step_length.wanted,
        })
    }

    /// Does `work` and books its time, and what has passed since the last stage, on `stage`.
    fn timed<T>(&mut self, stage: Stage, work: impl FnOnce(&mut Self) -> T) -> T {
        let result = work(self);
        self.scratch.times.finish(stage);
        result
    }

    /// Length of the next step, and the time at its end.
    fn time_step(&mut self, until: f64) -> (f64, f64) {
        let Particles { velocities, densities, .. } = &self.particles;
        let alone = LONELY * self.settings.density as f32;
        let weight = |i: usize| if densities[i] < alone { LONELY_WEIGHT } else { 1.0 };
        let fluid_speed = f64::from(greatest(velocities.len(), |i| weight(i) * velocities[i].length()));
        let fluid_speed = fluid_speed.max(self.emission.greatest_speed(self.time));
        let maximum = self.settings.time_step.maximum;
        let body_speed = (0..self.bodies.list.len()).map(|index| self.bodies.greatest_speed(index, self.time, maximum)).fold(0.0, f64::max);
        let left = until - self.time;
        let dt = self.step_length.next(&self.settings, fluid_speed + body_speed, left);
        (dt, if dt < left { self.time + dt } else { until })
    }

    /// Takes away what is in a drain.
    fn drain(&mut self) {
        let drained = drained(&self.settings.drains, &self.particles);
        let mass = particle_mass(&self.settings);
        for &place in &drained {
            let (x, v) = (self.particles.positions[place as usize].as_dvec3(), self.particles.velocities[place as usize].as_dvec3());
            self.ledger.external += -Momentum::at(x, mass * v);
            self.ledger.work -= self.particle_energy(place as usize);
        }
        self.particles.remove(&drained);
        self.totals.drained += drained.len() as u64;
    }

    /// Lets in what emitters give in this step.
    fn emit(&mut self, dt: f64) {
        let first = self.particles.len();
        self.ledger.external += self.emission.emit(self.time, dt, &self.settings, &mut self.particles, &self.bodies.list);
        self.ledger.work += (first..self.particles.len()).map(|place| self.particle_energy(place)).sum::<f64>();
    }

    /// Kinetic and potential energy, J.
    fn particle_energy(&self, place: usize) -> f64 {
        let (x, v) = (self.particles.positions[place].as_dvec3(), self.particles.velocities[place].as_dvec3());
        particle_mass(&self.settings) * (0.5 * v.length_squared() - self.settings.gravity.dot(x))
    }

    /// Gives what is in a nozzle the emitter's velocity.
    fn hold(&mut self) {
        let mass = particle_mass(&self.settings);
        for held in &self.scratch.held {
            let (position, velocity) =
                (self.particles.positions[held.particle as usize], &mut self.particles.velocities[held.particle as usize]);
            let linear = mass * (held.velocity - *velocity).as_dvec3();
            self.ledger.external += Momentum::at(position.as_dvec3(), linear);
            self.ledger.work += 0.5 * linear.dot((held.velocity + *velocity).as_dvec3());
            *velocity = held.velocity;
        }
    }

    fn remove_divergence(&mut self, dt: f64) -> SolveReport {
        let PressureSolver::Dfsph(solve) = self.settings.pressure else { return SolveReport::default() };
        let limits = self.limits(solve.divergence_tolerance, solve.divergence_iterations, 0, dt);
        let mut q = std::mem::take(&mut self.particles.divergence_pressures);
        q.par_iter_mut().for_each(|q| *q *= 0.5);
        // What is not dense yet may come closer until it is: only what would go beyond the rest density within the step is stopped.
        let inverse_dt = 1.0 / dt as f32;
        let report = self.solve_pressure(dt, &mut q, limits, |excess, rate, _| rate + inverse_dt * excess.min(0.0));
        self.particles.divergence_pressures = q;
        report
    }

    fn keep_density(&mut self, dt: f64) -> SolveReport {
        let rest_density = self.settings.density as f32;
        let mut q = std::mem::take(&mut self.particles.density_pressures);
        let report = match self.settings.pressure {
            PressureSolver::Dfsph(DensitySolve { density_tolerance, density_iterations, .. }) => {
                let limits = self.limits(density_tolerance, density_iterations, LEAST_SWEEPS, dt);
                self.bodies.expect_contacts(dt);
                // An excess of density is removed over a time of its own: within a step its pressure would grow as 1/dt².
                let (inverse_dt, correction) = (1.0 / dt as f32, 1.0 / dt.max(self.settings.reference_step()) as f32);
                let at_bodies = CORRECTED_EXCESS * rest_density;
                self.solve_pressure(dt, &mut q, limits, |excess, rate, movable| match excess > 0.0 {
                    true => rate + correction * if movable { excess.min(at_bodies) } else { excess },
                    false => rate + inverse_dt * excess,
                })
            }
            PressureSolver::Wcsph(law) => {
                let densities = &self.particles.densities;
                q.par_iter_mut().zip(densities).for_each(|(q, &density)| *q = law.pressure(density, rest_density) / (density * density));
                self.scratch.held.iter().for_each(|held| q[held.particle as usize] = 0.0);
                self.bodies.expect_contacts(dt);
                self.push(dt, &q);
                SolveReport { converged: true, error_percent: self.mean_compression(), ..SolveReport::default() }
            }
        };
        self.particles.density_pressures = q;
        report
    }

    /// Tolerances are rates: what is left unsolved over the reference step is the same however many steps it is cut into.
    fn limits(&self, tolerance_percent: f64, iterations: u32, least: u32, dt: f64) -> SolveLimits {
        let tolerance_percent = tolerance_percent * (dt / self.settings.reference_step()).min(1.0);
        SolveLimits { tolerance_percent, iterations, least, percent_per_residual: 100.0 * dt * dt / self.settings.density }
    }

    fn mean_compression(&self) -> f64 {
        let (densities, rest) = (&self.particles.densities, self.settings.density);
        100.0 / rest * sum(densities.len(), |i| (f64::from(densities[i]) - rest).max(0.0)) / densities.len().max(1) as f64
    }

    fn compliances(&self) -> Vec<Compliance> {
        self.bodies.list.iter().map(Body::compliance).collect()
    }

    fn motions(&self) -> Vec<RigidMotion> {
        let motion = |body: &Body| RigidMotion { center: body.center(), linear: body.velocity, angular: body.angular_velocity };
        self.bodies.list.iter().map(motion).collect()
    }

    fn system<'a>(&'a self, compliances: &'a [Compliance]) -> PressureSystem<'a> {
        PressureSystem {
            mass: particle_mass(&self.settings) as f32,
            rest_density: self.settings.density as f32,
            positions: &self.particles.positions,
            links: &self.scratch.links,
            contacts: &self.scratch.contacts,
            compliances,
            held: &self.scratch.held,
        }
    }

    /// Finds the pressures that leave no `source(excess of density, its rate, whether next to a floating body)` (kg/m³/s) above zero, and applies
    /// them.
    fn solve_pressure(
        &mut self,
        dt: f64,
        q: &mut [f32],
        limits: SolveLimits,
        source: impl Fn(f32, f32, bool) -> f32 + Sync,
    ) -> SolveReport {
        let mut solver = std::mem::take(&mut self.scratch.solver);
        let (compliances, motions) = (self.compliances(), self.motions());
        let system = self.system(&compliances);
        let (densities, velocities, step) = (&self.particles.densities, &self.particles.velocities, dt as f32);
        let rest_density = system.rest_density;
        let movable: Vec<bool> = compliances.iter().map(|compliance| !compliance.is_zero()).collect();
        let residual = |i: usize| {
            let at_movable = system.contacts.of(i).iter().any(|contact| movable[contact.body as usize]);
            source(densities[i] - rest_density, system.density_rate(i, velocities, &motions), at_movable) / step
        };
        let mut b: Vec<f32> = (0..q.len()).into_par_iter().with_min_len(256).map(residual).collect();
        for held in system.held {
            // No pressure of its own: as far from too dense as what is alone.
            (b[held.particle as usize], q[held.particle as usize]) = (-rest_density / (step * step), 0.0);
        }
        let report = solver.solve(&system, &b, q, limits);
        self.scratch.solver = solver;
        self.push(dt, q);
        report
    }

    /// Lets pressures `q` act over `dt`, on the fluid and on the bodies.
    fn push(&mut self, dt: f64, q: &[f32]) {
        let mut accelerations = std::mem::take(&mut self.scratch.accelerations);
        let compliances = self.compliances();
        let system = self.system(&compliances);
        system.accelerate(q, &mut accelerations);
        let wrenches = system.body_wrenches(q);
        let mass = particle_mass(&self.settings);
        let (mut withheld, mut work) = (Momentum::default(), 0.0);
        for held in system.held {
            let linear = mass * dt * accelerations[held.particle as usize].as_dvec3();
            withheld += Momentum::at(self.particles.positions[held.particle as usize].as_dvec3(), linear);
            work -= linear.dot(held.velocity.as_dvec3());
        }
        system.hold(&mut accelerations);
        self.ledger.external += -withheld;
        self.ledger.work += work;
        self.particles.gather_pressure(q, dt as f32);
        self.particles
            .velocities
            .par_iter_mut()
            .zip(&accelerations)
            .for_each(|(velocity, &acceleration)| *velocity += dt as f32 * acceleration);
        self.scratch.accelerations = accelerations;
        self.give_to_bodies(&wrenches, dt, |load| &mut load.pressure);
    }

    fn give_to_bodies(&mut self, wrenches: &[Wrench], dt: f64, cause: fn(&mut Load) -> &mut Impulse) {
        for (index, wrench) in wrenches.iter().enumerate() {
            let impulse = Impulse { linear: wrench.force * dt, angular: wrench.torque * dt };
            self.push_body(index, impulse, cause);
        }
    }

    /// Gives body `index` an impulse of the fluid, angular part about its center.
    fn push_body(&mut self, index: usize, impulse: Impulse, cause: fn(&mut Load) -> &mut Impulse) {
        *cause(&mut self.loads[index]) += impulse;
        self.bodies.apply_impulse(index, impulse);
    }

    /// Gravity, viscosity and wall friction.
    fn apply_forces(&mut self, dt: f64) {
        self.apply_viscosity(dt);
        self.apply_wall_friction(dt);
        self.apply_gravity(dt);
        self.apply_stirring(dt);
        self.hold();
    }

    fn apply_gravity(&mut self, dt: f64) {
        let gravity = self.settings.gravity;
        let kick = (gravity * dt).as_vec3a();
        let Particles { positions, velocities, .. } = &self.particles;
        let mass = particle_mass(&self.settings);
        // Booked is what the rounded velocities really change by.
        let booked = sum(positions.len(), |i| {
            let change = mass * ((velocities[i] + kick).as_dvec3() - velocities[i].as_dvec3());
            Momentum::at(positions[i].as_dvec3(), change)
        });
        self.particles.velocities.par_iter_mut().for_each(|velocity| *velocity += kick);
        self.bodies.apply_external_forces(gravity, dt);
        self.bodies.external += booked;
    }

    /// Draws what a user stirs towards the velocity of the hand.
    fn apply_stirring(&mut self, dt: f64) {
        let Some(stirring) = self.stirring else { return };
        let mass = particle_mass(&self.settings);
        for (velocity, position) in self.particles.velocities.iter_mut().zip(&self.particles.positions) {
            let (position, before) = (position.as_dvec3(), velocity.as_dvec3());
            let share = stirring.share(position, dt);
            if share > 0.0 {
                *velocity += (share * (stirring.velocity - before)).as_vec3a();
                let linear = mass * (velocity.as_dvec3() - before);
                self.ledger.external += Momentum::at(position, linear);
                self.ledger.work += 0.5 * linear.dot(velocity.as_dvec3() + before);
            }
        }
    }

    fn apply_viscosity(&mut self, dt: f64) {
        let viscosity = &self.settings.viscosity;
        if viscosity.kinematic == 0.0 && viscosity.artificial == 0.0 && viscosity.xsph == 0.0 {
            return;
        }
        let state = ViscousState {
            mass: particle_mass(&self.settings) as f32,
            rest_density: self.settings.density as f32,
            dt: dt as f32,
            positions: &self.particles.positions,
            velocities: &self.particles.velocities,
        };
        let changes = viscous_changes(viscosity, self.settings.sound_speed(), &self.scratch.kernel(), &self.scratch.links, &state);
        self.particles.velocities.par_iter_mut().zip(changes).for_each(|(velocity, change)| *velocity += change);
    }

    fn apply_wall_friction(&mut self, dt: f64) {
        let friction = self.settings.viscosity.wall_friction;
        if friction == 0.0 {
            return;
        }
        let (compliances, motions) = (self.compliances(), self.motions());
        let system = self.system(&compliances);
        let impulses = wall_friction(&system, &self.particles.velocities, &motions, friction, dt);
        let wrenches = self.scratch.contacts.sum_by_body(|place, contact| system.wrench(contact, -impulses[place]));
        let inverse_mass = 1.0 / particle_mass(&self.settings);
        for (contact, impulse) in self.scratch.contacts.list.iter().zip(&impulses) {
            self.particles.velocities[contact.particle as usize] += (*impulse * inverse_mass).as_vec3a();
        }
        self.give_to_bodies(&wrenches, 1.0, |load| &mut load.friction);
    }

    /// Stops what would cross a triangle; returns how many particles that were.
    fn resolve_collisions(&mut self, dt: f64) -> u64 {
        let Scratch { triangles, mapping, contacts, .. } = &self.scratch;
        let clearance = CLEARANCE * self.settings.particle_radius;
        let scene = CollisionScene { bodies: &self.bodies.list, triangles, near: &mapping.near, clearance };
        let Particles { positions, velocities, .. } = &self.particles;
        // Exactly where it would be moved, rounding included.
        let moved = |i: usize| self.particles.moved(i, dt as f32).0.as_dvec3();
        // One that is no longer finite ends the run after the step.
        let target = |i: usize| Some(moved(i)).filter(|target| target.is_finite());
        // A particle that no ball was near can only cross a triangle if it goes farther than the balls were inflated.
        let of_bodies = self.bodies.list.iter().map(Body::path_bound).fold(0.0, f64::max);
        let far = |i: usize| dt * f64::from(velocities[i].length()) + of_bodies > 0.9 * wall_reach(&self.settings);
        let mut stops = scene.stops(contacts, positions, |i| target(i).filter(|_| !far(i)));
        let far_stop = |i: usize| scene.stop_far(i, positions[i].as_dvec3(), target(i)?);
        let far_stops: Vec<Stop> =
            (0..positions.len()).into_par_iter().with_min_len(256).filter(|&i| far(i)).filter_map(far_stop).collect();
        stops.extend(far_stops);
        for stop in &stops {
            self.stop_particle(stop, dt);
        }
        stops.len() as u64
    }

    fn stop_particle(&mut self, stop: &Stop, dt: f64) {
        let index = stop.particle as usize;
        let position = self.particles.positions[index];
        let mass = particle_mass(&self.settings);
        let before = self.particles.velocities[index];
        let after = ((stop.target - position.as_dvec3()) / dt).as_vec3a();
        self.particles.velocities[index] = after;
        self.particles.position_remainders[index] = Vec3A::ZERO;
        self.totals.leaked += u64::from(stop.leaked);
        // What rounding the velocity leaves of the displacements goes to the first body.
        let mut rest = mass * (after - before).as_dvec3();
        let bodies: Vec<(usize, DVec3)> =
            stop.shares.iter().flatten().map(|&(body, displacement)| (body as usize, mass / dt * displacement)).collect();
        for &(_, impulse) in &bodies[1..] {
            rest -= impulse;
        }
        for (place, &(body, impulse)) in bodies.iter().enumerate() {
            let impulse = if place == 0 { -rest } else { -impulse };
            let lever = position.as_dvec3() - self.bodies.list[body].center();
            self.push_body(body, Impulse { linear: impulse, angular: lever.cross(impulse) }, |load| &mut load.collision);
        }
    }

    fn close_books(&mut self, dt: f64, density: SolveReport, divergence: SolveReport, collisions: u64) {
        self.ledger.external += self.bodies.external;
        for (body, load) in self.bodies.list.iter().zip(&self.loads) {
            let load = load.total();
            let angular = load.angular + body.center().cross(load.linear);
            self.ledger.exchange(Momentum { linear: load.linear, angular });
            if let BodyKind::Moving(_) = body.kind {
                self.ledger.work -= load.linear.dot(body.velocity) + load.angular.dot(body.angular_velocity);
            }
        }
        self.ledger.work += self.bodies.work;
        self.interval.add(&self.loads, dt);
        let dfsph = matches!(self.settings.pressure, PressureSolver::Dfsph(_));
        self.totals.density_not_converged += u64::from(dfsph && !density.converged);
        self.totals.divergence_not_converged += u64::from(dfsph && !divergence.converged);
        self.totals.sweeps += u64::from(density.iterations + divergence.iterations);
        let momentum = self.momentum();
        let (momentum_error, angular_momentum_error) = self.ledger.errors(momentum);
        let velocities = &self.particles.velocities;
        self.last = StepDiagnostics {
            step: self.steps,
            time: self.time,
            dt,
            pressure_iterations: density.iterations,
            divergence_iterations: divergence.iterations,
            density_error_percent: density.error_percent,
            divergence_error_percent: divergence.error_percent,
            compression_percent: self.mean_compression(),
            kinetic_energy: self.kinetic_energy(),
            potential_energy: self.potential_energy(),
            external_work: self.ledger.work,
            momentum,
            momentum_error,
            angular_momentum_error,
            particles: self.particles.len() as u64,
            emitted: self.emission.emitted,
            drained: self.totals.drained,
            leaked: self.totals.leaked,
            collisions,
            contacts: self.scratch.contacts.list.iter().filter(|contact| contact.value > 0.0).count() as u64,
            triangle_pairs: self.scratch.contacts.triangle_pairs,
            mapping: self.scratch.mapping.counters,
            greatest_speed: f64::from(greatest(velocities.len(), |i| velocities[i].length_squared()).sqrt()),
        };
    }
}

impl TaitLaw {
    /// Pressure at `density`, Pa; none below the rest density.
    fn pressure(&self, density: f32, rest_density: f32) -> f32 {
        let stiffness = rest_density * (self.sound_speed * self.sound_speed / self.exponent) as f32;
        (stiffness * ((density / rest_density).powf(self.exponent as f32) - 1.0)).max(0.0)
    }
}
