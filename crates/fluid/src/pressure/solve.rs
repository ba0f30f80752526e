//! The two pressure stages of a step: one removes the divergence of the velocities, the other keeps the density constant.

use glam::Vec3A;
use plimsoll_base::math::parallel::{InTasks, TASK, sum};
use rayon::prelude::*;

use crate::{
    coupling::{BodyResponse, Cause, Origin, Pushed, RigidMotion},
    particles::Particles,
    pressure::{ConjugateGradients, Load, PressureSystem, SolveLimits, SolveReport, enclosed::Enclosure, operator::is_zero},
    settings::{DensitySolve, PressureSolver},
    step_scene::StepScene,
};

/// An excess of relative density up to `SLOW_EXCESS` is removed over `SLOW_STEPS` reference steps τ, what is beyond it over one. Removed over
/// one, the small excess that every flow causes adds energy to it: a column of 1,802 J that collapses gains 44 J, over four 28 J, over eight 25 J
/// (`cargo test --release --test fluid time_step::`), and bodies move better (`plimsoll validate heave_decay`).
const SLOW_EXCESS: f32 = 0.02;
const SLOW_STEPS: f32 = 8.0;
/// Maximum of the excess beyond. More is in particles that an impact has pushed together, and correcting it at once makes the force on what
/// they hit jump from step to step (docs/theory/pressure.md) and throws a heavy body back that approaches a wall faster than a step can resolve:
/// with 0.1 a block of gold gains 2 % of its energy (`cargo test --release --test fluid heavy`). With zero, fast particles compress what is
/// in a closed shell by 10 % (`cargo test --release --test fluid a_hollow`).
const MAX_FAST_EXCESS: f32 = 0.03;
/// Minimum number of conjugate gradient steps in every constant-density solve. Without them a pool at rest jitters when steps are short:
/// 0.2 m/s at 0.05 ms.
const MIN_SWEEPS: u32 = 2;
/// Share of the divergence pressures that is kept as the initial guess of the next step.
const KEPT_DIVERGENCE_PRESSURE: f32 = 0.5;

/// Selects one of the two pressures.
#[derive(Clone, Copy)]
enum Kind {
    Divergence,
    Density,
}

/// The pressure stages with their buffers.
#[derive(Clone, Debug, Default)]
pub struct PressureSolve {
    solver: ConjugateGradients,
    sources: Vec<f32>,
    predicted: Vec<Vec3A>,
}

impl PressureSolve {
    /// Prevents compression of the fluid within the step.
    pub fn remove_divergence(&mut self, scene: &StepScene, pushed: &mut Pushed) -> SolveReport {
        let PressureSolver::Dfsph(solve) = scene.settings.pressure else {
            return SolveReport { converged: true, ..SolveReport::default() };
        };
        let limits = scene.limits(solve.divergence_tolerance, solve.divergence_iterations, 0);
        pushed.particles.divergence_pressures.par_iter_mut().in_tasks(TASK).for_each(|p| *p *= KEPT_DIVERGENCE_PRESSURE);
        // Fluid below the rest density may be compressed: only compression beyond the rest density is prevented.
        let closing_rate = 1.0 / scene.settings.closing_time(scene.dt) as f32;
        let source = |excess: f32, _| closing_rate * excess.min(0.0);
        let response = BodyResponse::of(pushed.bodies);
        let report = self.solve(scene, pushed.particles, &response, Kind::Divergence, limits, source);
        self.push(scene, pushed, &response, Kind::Divergence);
        report
    }

    /// Removes excess density, or applies the equation of state.
    pub fn keep_density(&mut self, scene: &StepScene, pushed: &mut Pushed) -> SolveReport {
        let (settings, dt) = (scene.settings, scene.dt);
        let response = BodyResponse::of(pushed.bodies);
        let particles = &mut *pushed.particles;
        let report = match settings.pressure {
            PressureSolver::Dfsph(DensitySolve { density_tolerance, density_iterations, .. }) => {
                let limits = scene.limits(density_tolerance, density_iterations, MIN_SWEEPS);
                // An excess of density is removed over a separate time: removed within a step, its pressure would grow as 1/dt².
                let (inverse_dt, correction) = (1.0 / dt as f32, 1.0 / dt.max(settings.reference_step()) as f32);
                let source = |excess: f32, enclosed| match excess > 0.0 {
                    // Its excess determines the pressure of enclosed fluid.
                    true if enclosed => correction * excess.min(SLOW_EXCESS),
                    true => correction * removed(excess),
                    false => inverse_dt * excess,
                };
                self.solve(scene, particles, &response, Kind::Density, limits, source)
            }
            PressureSolver::Wcsph(law) => {
                law.pressures(settings.densities().of(0), &particles.relative_densities, &mut particles.density_pressures);
                SolveReport { converged: true, error_percent: mean_compression(&particles.relative_densities), ..SolveReport::default() }
            }
        };
        self.push(scene, pushed, &response, Kind::Density);
        report
    }

    /// What the pressures of the last step would make of the particles' velocities (m/s) and of the bodies' motions.
    pub fn predict(&mut self, scene: &StepScene, particles: &Particles, response: &BodyResponse) -> (&[Vec3A], Vec<RigidMotion>) {
        let Particles { positions, inverse_masses, density_pressures: p, .. } = particles;
        let velocities = &mut self.predicted;
        velocities.clone_from(&particles.velocities);
        let mut motions = response.motions.clone();
        if is_zero(p) {
            return (velocities, motions);
        }
        let system = scene.system(positions, inverse_masses, response);
        let impulses = self.solver.impulses(&system, p);
        let pushed = velocities.par_iter_mut().zip(impulses).zip(inverse_masses).in_tasks(TASK);
        pushed.for_each(|((velocity, &impulse), &w)| *velocity += w * impulse);
        let changes = response.accelerations(system.body_wrenches(p));
        motions.iter_mut().zip(&changes).for_each(|(motion, change)| motion.add(&change.scaled(scene.dt)));
        (velocities, motions)
    }

    /// Finds pressures such that no density rate plus `source(excess of relative density, whether fluid is enclosed)` (1/s) stays above zero.
    fn solve(
        &mut self,
        scene: &StepScene,
        particles: &mut Particles,
        response: &BodyResponse,
        kind: Kind,
        limits: SolveLimits,
        source: impl Fn(f32, bool) -> f32 + Sync,
    ) -> SolveReport {
        let Particles { positions, velocities, inverse_masses, relative_densities, density_pressures, divergence_pressures, .. } =
            particles;
        let Enclosure { compliance, excess } = Enclosure::of(scene, velocities, relative_densities).unwrap_or_default();
        let inverse_dt = 1.0 / scene.dt as f32;
        let enclosed = compliance > 0.0;
        let densities = if enclosed { &*relative_densities } else { &scene.pairs.smoothed_densities };
        let sources = densities.par_iter().map(|s| inverse_dt * source(s - 1.0 - excess, enclosed));
        sources.in_tasks(TASK).collect_into(&mut self.sources);
        self.add_deformation(scene, inverse_dt);
        let load = Load { dt: scene.dt as f32, velocities, sources: &self.sources };
        let system = PressureSystem { compliance, load, ..scene.system(positions, inverse_masses, response) };
        let p = match kind {
            Kind::Divergence => divergence_pressures,
            Kind::Density => density_pressures,
        };
        self.solver.solve(&system, p, limits)
    }

    /// Adds the density rates that deforming surfaces cause, which do not follow from the motions of their bodies.
    fn add_deformation(&mut self, scene: &StepScene, inverse_dt: f32) {
        let contacts = scene.contacts;
        if !contacts.deform {
            return;
        }
        self.sources.par_iter_mut().enumerate().in_tasks(TASK).for_each(|(i, source)| {
            for place in contacts.range_of(i) {
                *source -= inverse_dt * contacts.details[place].surface_velocity.dot(contacts.list[place].gradient);
            }
        });
    }

    /// Applies the pressures to the fluid and the bodies.
    fn push(&mut self, scene: &StepScene, pushed: &mut Pushed, response: &BodyResponse, kind: Kind) {
        let Pushed { particles, bodies, ledger } = pushed;
        let Particles { positions, inverse_masses, density_pressures, divergence_pressures, pressure_impulses, .. } = &mut **particles;
        let p: &[f32] = match kind {
            Kind::Divergence => divergence_pressures,
            Kind::Density => density_pressures,
        };
        if is_zero(p) {
            return;
        }
        let system = scene.system(positions, inverse_masses, response);
        let impulses = self.solver.impulses(&system, p);
        ledger.push_bodies(bodies, system.body_wrenches(p), scene.dt, Cause::Pressure);
        ledger.work -= scene.dt * scene.contacts.surface_work(|_, contact| system.force(contact, p));
        pressure_impulses.par_iter_mut().zip(p).in_tasks(TASK).for_each(|(sum, p)| *sum += scene.dt as f32 * p);
        ledger.push_particles(particles, impulses, Origin::Inside, &scene.settings.masses());
    }
}

impl StepScene<'_> {
    /// Tolerances are rates: the residual error over the reference step does not depend on the number of steps it is divided into.
    fn limits(&self, tolerance_percent: f64, iterations: u32, least: u32) -> SolveLimits {
        let tolerance_percent = tolerance_percent * (self.dt / self.settings.reference_step()).min(1.0);
        SolveLimits { tolerance_percent, iterations, least, percent_per_residual: 100.0 * self.dt * self.dt }
    }

    fn system<'a>(&'a self, positions: &'a [Vec3A], inverse_masses: &'a [f32], response: &'a BodyResponse) -> PressureSystem<'a> {
        let volume = self.settings.particle_volume() as f32;
        let load = Load { dt: self.dt as f32, ..Load::default() };
        PressureSystem { volume, positions, inverse_masses, pairs: self.pairs, contacts: self.contacts, compliance: 0.0, response, load }
    }
}

/// Excess of relative density that is removed within a reference step.
fn removed(excess: f32) -> f32 {
    excess.min(SLOW_EXCESS) / SLOW_STEPS + (excess - SLOW_EXCESS).clamp(0.0, MAX_FAST_EXCESS)
}

/// Mean excess of relative density, percent.
pub fn mean_compression(relative_densities: &[f32]) -> f64 {
    let excess = sum(relative_densities.len(), |i| (f64::from(relative_densities[i]) - 1.0).max(0.0));
    100.0 * excess / relative_densities.len().max(1) as f64
}
