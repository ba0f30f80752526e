//! The fluid simulation: its complete state and its public accessors.

use glam::DVec3;
use plimsoll_base::{
    math::parallel::{max, sum},
    timing::StageTimes,
};
use plimsoll_bodies::{Bodies, Body, BodyDefinition, BodyKind, Momentum};
use plimsoll_contract::simulator::{Interrupted, Stirring, Unwatched, Watch};
use serde::{Deserialize, Serialize};

use crate::{
    coupling::{Ledger, Load, WallSearch},
    diagnostics::{OutputInterval, Stage, StepDiagnostics, StepReport},
    domain_box::Outside,
    forces::Forces,
    gaps::Films,
    health::Health,
    inflow::Inflow,
    neighbourhood::Neighbourhood,
    particles::Particles,
    placement::{self, FillOutcome, Relaxation},
    pressure::{PressureSolve, mean_compression},
    probes::{GridFrames, Probes},
    settings::FluidSettings,
    step_length::{OutputClock, StepLength},
};

/// SPH fluid with rigid bodies. Its serialized form is a checkpoint, which leaves out data that every step rebuilds.
#[derive(Serialize, Deserialize)]
pub struct FluidSimulation {
    pub(super) settings: FluidSettings,
    pub(super) particles: Particles,
    pub(super) bodies: Bodies,
    pub(super) inflow: Inflow,
    pub(super) time: f64,
    pub(super) steps: u64,
    pub(super) step_length: StepLength,
    pub(super) output_clock: OutputClock,
    pub(super) ledger: Ledger,
    pub(super) last: StepDiagnostics,
    pub(super) totals: Totals,
    pub(super) health: Health,
    pub(super) interval: OutputInterval,
    pub(super) probes: Probes,
    pub(super) relaxation: Relaxation,
    #[serde(default)]
    pub(super) films: Films,
    /// What became of each fill; empty in a run that was resumed, or that starts from another one.
    #[serde(skip)]
    pub(super) fills: Vec<FillOutcome>,
    #[serde(skip)]
    pub(super) stirring: Option<Stirring>,
    #[serde(skip)]
    pub(super) grids: GridFrames,
    #[serde(skip)]
    pub(super) neighbourhood: Neighbourhood,
    #[serde(skip)]
    pub(super) walls: WallSearch,
    #[serde(skip)]
    pub(super) pressure: PressureSolve,
    #[serde(skip)]
    pub(super) forces: Forces,
    #[serde(skip)]
    pub(super) times: StageTimes<Stage>,
}

/// Problems counted since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Steps in which the constant-density solve missed its tolerance.
    pub density_not_converged: u64,
    /// Steps in which the divergence solve missed its tolerance.
    pub divergence_not_converged: u64,
    /// Steps in which the implicit viscosity solve missed its tolerance.
    #[serde(default)]
    pub viscosity_not_converged: u64,
    /// Sweeps of the implicit viscosity solve.
    #[serde(default)]
    pub viscosity_sweeps: u64,
    /// Particles that have passed through a mesh.
    pub leaked: u64,
    /// Particles removed where bodies have appeared.
    #[serde(default)]
    pub removed: u64,
    /// Particles removed outside the domain.
    #[serde(default)]
    pub left: u64,
    /// Sweeps of both solves.
    pub sweeps: u64,
}

impl Totals {
    pub(super) fn add(&mut self, report: &StepReport) {
        self.density_not_converged += u64::from(!report.density.converged);
        self.divergence_not_converged += u64::from(!report.divergence.converged);
        if let Some(viscosity) = report.viscosity {
            self.viscosity_not_converged += u64::from(!viscosity.converged);
            self.viscosity_sweeps += u64::from(viscosity.iterations);
        }
        self.sweeps += u64::from(report.density.iterations + report.divergence.iterations);
        self.leaked += report.paths.leaked;
    }
}

/// Why a scene cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// No fill has room for a particle and there is no emitter.
    #[error("no room for any fluid particle: at least one fill outside the bodies, or an emitter, is required")]
    NoFluid,
    /// The user interrupted the setup.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl FluidSimulation {
    /// Cuts meshes into segments, places the fluid and relaxes it. Each emitter adds a body after the `bodies`: its nozzle.
    ///
    /// # Errors
    /// There is neither room for any fluid nor an emitter.
    pub fn new(settings: FluidSettings, bodies: Vec<BodyDefinition>) -> Result<Self, SetupError> {
        Self::prepare(settings, bodies, &Unwatched)
    }

    /// Like [`FluidSimulation::new`], but reports progress to `watch`.
    ///
    /// # Errors
    /// Those of `new`, or `watch` interrupts.
    pub fn prepare(settings: FluidSettings, bodies: Vec<BodyDefinition>, watch: &dyn Watch) -> Result<Self, SetupError> {
        let bodies = Bodies::new(bodies, settings.segment_limits(), settings.domain, watch)?;
        let mut bodies = bodies.with_mechanism(&settings.mechanism);
        let inflow = Inflow::new(&settings, &bodies.list);
        for (index, emitter) in settings.emitters.iter().enumerate() {
            let carrier = |index: usize| (bodies.list[index].kind.clone(), bodies.list[index].initial_pose);
            bodies.push(emitter.body(format!("emitter {}", index + 1), settings.particle_radius, carrier));
        }
        let (mut particles, fills) = placement::place(&settings, &bodies.list, watch)?;
        if particles.is_empty() && settings.emitters.is_empty() {
            return Err(SetupError::NoFluid);
        }
        let (relaxation, surfaces) = placement::relax(&settings, &mut particles, &bodies.list, watch)?;
        let probes = Probes::new(&settings.probes, 0.0);
        let walls = WallSearch { surfaces, ..WallSearch::default() };
        Ok(Self { relaxation, walls, fills, ..Self::at(0.0, settings, particles, bodies, inflow, probes) }.begun())
    }

    /// A simulation at `time` (s), before anything is measured.
    pub(super) fn at(time: f64, settings: FluidSettings, particles: Particles, bodies: Bodies, inflow: Inflow, probes: Probes) -> Self {
        Self {
            settings,
            particles,
            bodies,
            inflow,
            time,
            steps: 0,
            step_length: StepLength::default(),
            output_clock: OutputClock::at(time),
            ledger: Ledger::default(),
            last: StepDiagnostics::default(),
            totals: Totals::default(),
            health: Health::default(),
            interval: OutputInterval::default(),
            probes,
            relaxation: Relaxation::default(),
            films: Films::default(),
            fills: Vec::new(),
            stirring: None,
            grids: GridFrames::default(),
            neighbourhood: Neighbourhood::default(),
            walls: WallSearch::default(),
            pressure: PressureSolve::default(),
            forces: Forces::default(),
            times: StageTimes::default(),
        }
    }

    /// Begins the ledger and measures the first instant.
    pub(super) fn begun(mut self) -> Self {
        self.ledger.begin_step(self.bodies.list.len());
        self.ledger.initial = self.momentum();
        self.measure_probes(self.time, 0.0, self.time);
        self
    }

    /// Gives each particle the velocity `flow` (m/s) at its position (m): a start from a known flow. The ledger books the change as coming
    /// from outside.
    pub fn set_velocities(&mut self, flow: impl Fn(DVec3) -> DVec3) {
        let masses = self.settings.masses();
        for index in 0..self.particles.len() {
            let velocity = flow(self.particles.positions[index].as_dvec3());
            self.ledger.prescribe(&mut self.particles, index, &masses, velocity.as_vec3a());
        }
    }

    /// Gives the spin of each particle of a micropolar fluid the angular velocity `spin` (rad/s) at its position (m), as `set_velocities` does.
    pub fn set_spins(&mut self, spin: impl Fn(DVec3) -> DVec3) {
        let (momentum, energy) = (self.momentum(), self.kinetic_energy());
        let Particles { positions, spins, .. } = &mut self.particles;
        spins.iter_mut().zip(positions).for_each(|(turning, x)| *turning = spin(x.as_dvec3()).as_vec3a());
        self.ledger.external += self.momentum() - momentum;
        self.ledger.work += self.kinetic_energy() - energy;
    }

    /// The settings, with any changes made by parameters.
    pub fn settings(&self) -> &FluidSettings {
        &self.settings
    }

    /// The particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// The bodies of the scene, then one nozzle per emitter, then bodies added later.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies.list
    }

    /// Mass of particle `index`, kg: that of a cube of its fluid as wide as the particle.
    pub fn particle_mass(&self, index: usize) -> f64 {
        self.settings.masses().of(self.particles.materials[index])
    }

    /// Emitters and drains.
    pub fn inflow(&self) -> &Inflow {
        &self.inflow
    }

    /// Counts since the start.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Diagnostics of the last step.
    pub fn last_step(&self) -> &StepDiagnostics {
        &self.last
    }

    /// Momentum of fluid and floating bodies.
    pub fn momentum(&self) -> Momentum {
        let masses = self.settings.masses();
        let Particles { positions, velocities, spins, materials, .. } = &self.particles;
        let inertia = self.settings.spin_inertia();
        let of_particle = |i: usize| {
            let mass = masses.of(materials[i]);
            Momentum::at(positions[i].as_dvec3(), mass * velocities[i].as_dvec3()).with_spin(mass * inertia * spins[i].as_dvec3())
        };
        let mut momentum = sum(self.particles.len(), of_particle);
        momentum += self.bodies.momentum();
        momentum
    }

    /// Kinetic energy of fluid, with its spin, and floating bodies, J.
    pub fn kinetic_energy(&self) -> f64 {
        let (masses, Particles { velocities, spins, materials, .. }) = (self.settings.masses(), &self.particles);
        let inertia = self.settings.spin_inertia();
        let square = |i: usize| velocities[i].as_dvec3().length_squared() + inertia * spins[i].as_dvec3().length_squared();
        let fluid = 0.5 * sum(velocities.len(), |i| masses.of(materials[i]) * square(i));
        fluid + self.bodies.kinetic_energy()
    }

    /// Energy of fluid and floating bodies in the gravity field, J, zero at the world origin.
    pub fn potential_energy(&self) -> f64 {
        let (masses, Particles { positions, materials, .. }) = (self.settings.masses(), &self.particles);
        let fluid = sum(positions.len(), |i| -masses.of(materials[i]) * self.settings.gravity.dot(positions[i].as_dvec3()));
        fluid + self.bodies.potential_energy(self.settings.gravity)
    }

    /// The force (N, through the center of mass) and torque (N m) that act on body `index` from outside until the next call; only floating
    /// bodies respond. The ledger books them.
    pub fn set_external_load(&mut self, index: usize, force: DVec3, torque: DVec3) {
        if let BodyKind::Floating(floating) = &mut self.bodies.list[index].kind {
            (floating.force, floating.torque) = (force, torque);
        }
    }

    /// Impulses of the fluid on each body in the last step, by cause.
    pub fn loads(&self) -> &[Load] {
        &self.ledger.loads
    }

    /// Diagnostics of the step that has just ended.
    pub(super) fn figures(&self, report: &StepReport) -> StepDiagnostics {
        let StepReport { dt, divergence, viscosity, density, paths } = report;
        let momentum = self.momentum();
        let (momentum_error, angular_momentum_error) = self.ledger.errors(momentum, &self.settings.domain);
        let velocities = &self.particles.velocities;
        let contacts = &self.walls.contacts;
        let removes = self.settings.domain_box.is_some_and(|limits| limits.outside == Outside::Remove);
        StepDiagnostics {
            step: self.steps,
            time: self.time,
            dt: *dt,
            pressure_iterations: density.iterations,
            divergence_iterations: divergence.iterations,
            density_error_percent: density.error_percent,
            divergence_error_percent: divergence.error_percent,
            viscosity: viscosity.map(|viscosity| (viscosity.iterations, viscosity.error_percent)),
            compression_percent: mean_compression(&self.particles.relative_densities),
            kinetic_energy: self.kinetic_energy(),
            potential_energy: self.potential_energy(),
            external_work: self.ledger.work,
            momentum,
            momentum_error,
            angular_momentum_error,
            particles: self.particles.len() as u64,
            emitted: self.inflow.emitted,
            drained: self.inflow.drained,
            left_domain: removes.then_some(self.totals.left),
            outside_domain: self.reported_outside(),
            leaked: self.totals.leaked,
            collisions: paths.stopped,
            contacts: contacts.list.iter().filter(|contact| contact.value > 0.0).count() as u64,
            triangle_pairs: contacts.triangle_pairs,
            mapping: self.walls.mapping.counters,
            max_speed: f64::from(max(velocities.len(), |i| velocities[i].length_squared()).sqrt()),
        }
    }

    /// Applies `change`, which alters the potential energy, and books the difference as external work.
    pub(super) fn change_energy(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.potential_energy();
        change(self);
        self.ledger.work += self.potential_energy() - before;
    }

    /// Number of particles.
    pub fn particle_count(&self) -> usize {
        self.particles.len()
    }
}
