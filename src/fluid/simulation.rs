//! The fluid simulation: its whole state, and what can be seen of it.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bodies::{Bodies, Body, BodyDefinition, BodyKind, Momentum},
    fluid::{
        coupling::{Ledger, Load, WallSearch},
        diagnostics::{self, OutputInterval, Stage, StepDiagnostics, StepReport},
        forces::Forces,
        health::Health,
        inflow::Inflow,
        memory::memory_estimate,
        neighbourhood::Neighbourhood,
        particles::Particles,
        placement::{self, Relaxation},
        pressure::{PressureSolve, mean_compression},
        settings::{Emitter, FluidSettings, PressureSolver},
        step_length::StepLength,
    },
    frame::{Field, Frame, ParticleFrame, Row, SearchFrame, SegmentMesh},
    math::{
        format::{bytes, grouped, significant},
        parallel::{greatest, sum},
    },
    simulator::{
        Drag, Fact, Interaction, Interrupted, NewBody, Parameter, SimulationError, Simulator, Stirring, TableRows, Unwatched, Watch,
    },
    timing::StageTimes,
};

/// Names of the parameters.
const GRAVITY: &str = "gravity";
const VISCOSITY: &str = "viscosity";
const ARTIFICIAL_VISCOSITY: &str = "artificial viscosity";
const WALL_FRICTION: &str = "wall friction";
const EMISSION: &str = "emitters";
const DENSITY_TOLERANCE: &str = "density tolerance";
const DIVERGENCE_TOLERANCE: &str = "divergence tolerance";

/// SPH fluid with rigid bodies. Serialised, it is a checkpoint; what every step rebuilds is not part of it.
#[derive(Serialize, Deserialize)]
pub struct FluidSimulation {
    pub(super) settings: FluidSettings,
    pub(super) particles: Particles,
    pub(super) bodies: Bodies,
    pub(super) inflow: Inflow,
    pub(super) time: f64,
    pub(super) steps: u64,
    pub(super) step_length: StepLength,
    pub(super) ledger: Ledger,
    pub(super) last: StepDiagnostics,
    pub(super) totals: Totals,
    pub(super) health: Health,
    pub(super) interval: OutputInterval,
    relaxation: Relaxation,
    #[serde(skip)]
    pub(super) stirring: Option<Stirring>,
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
    /// Particles that passed through a mesh.
    pub leaked: u64,
    /// Sweeps of both solves.
    pub sweeps: u64,
}

impl Totals {
    pub(super) fn add(&mut self, report: &StepReport) {
        self.density_not_converged += u64::from(!report.density.converged);
        self.divergence_not_converged += u64::from(!report.divergence.converged);
        self.sweeps += u64::from(report.density.iterations + report.divergence.iterations);
        self.leaked += report.paths.leaked;
    }
}

/// Why a scene cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// No fill has room for a particle and there is no emitter.
    #[error("fluid.fill: found no room for any fluid particle, expected at least one fill that is not inside a body, or an emitter")]
    NoFluid,
    /// The user has interrupted.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl FluidSimulation {
    /// Cuts meshes into segments, places the fluid and relaxes it. Each emitter adds a static body after the `bodies`: its nozzle.
    ///
    /// # Errors
    /// There is neither room for fluid nor an emitter.
    pub fn new(settings: FluidSettings, bodies: Vec<BodyDefinition>) -> Result<Self, SetupError> {
        Self::prepare(settings, bodies, &Unwatched)
    }

    /// [`FluidSimulation::new`] that reports progress to `watch`.
    ///
    /// # Errors
    /// As for `new`, or `watch` interrupts.
    pub fn prepare(settings: FluidSettings, bodies: Vec<BodyDefinition>, watch: &dyn Watch) -> Result<Self, SetupError> {
        let mut bodies = Bodies::new(bodies, settings.segment_limits(), watch)?;
        let inflow = Inflow::new(&settings, &bodies.list);
        for (index, emitter) in settings.emitters.iter().enumerate() {
            bodies.push(emitter.body(format!("emitter {}", index + 1), settings.particle_radius));
        }
        let mut particles = placement::place(&settings, &bodies.list, watch)?;
        if particles.is_empty() && settings.emitters.is_empty() {
            return Err(SetupError::NoFluid);
        }
        let relaxation = placement::relax(&settings, &mut particles, &bodies.list, watch)?;
        let mut simulation = Self {
            settings,
            particles,
            bodies,
            inflow,
            time: 0.0,
            steps: 0,
            step_length: StepLength::default(),
            ledger: Ledger::default(),
            last: StepDiagnostics::default(),
            totals: Totals::default(),
            health: Health::default(),
            interval: OutputInterval::default(),
            relaxation,
            stirring: None,
            neighbourhood: Neighbourhood::default(),
            walls: WallSearch::default(),
            pressure: PressureSolve::default(),
            forces: Forces::default(),
            times: StageTimes::default(),
        };
        simulation.ledger.begin_step(simulation.bodies.list.len());
        simulation.ledger.initial = simulation.momentum();
        Ok(simulation)
    }

    /// The settings, as changed by parameters.
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

    /// Mass of a particle, kg: that of a cube of fluid as wide as the particle.
    pub fn particle_mass(&self) -> f64 {
        self.settings.particle_mass()
    }

    /// Emitters and drains.
    pub fn inflow(&self) -> &Inflow {
        &self.inflow
    }

    /// Counts since the start.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The last step in figures.
    pub fn last_step(&self) -> &StepDiagnostics {
        &self.last
    }

    /// Momentum of fluid and floating bodies.
    pub fn momentum(&self) -> Momentum {
        let mass = self.particle_mass();
        let of_particle = |i: usize| {
            let (x, v) = (self.particles.positions[i].as_dvec3(), self.particles.velocities[i].as_dvec3());
            Momentum::at(x, mass * v)
        };
        let mut momentum = sum(self.particles.len(), of_particle);
        momentum += self.bodies.momentum();
        momentum
    }

    /// Kinetic energy of fluid and floating bodies, J.
    pub fn kinetic_energy(&self) -> f64 {
        let velocities = &self.particles.velocities;
        let fluid = 0.5 * self.particle_mass() * sum(velocities.len(), |i| velocities[i].as_dvec3().length_squared());
        fluid + self.bodies.kinetic_energy()
    }

    /// Energy of fluid and floating bodies in the gravity field, J, zero at the world origin.
    pub fn potential_energy(&self) -> f64 {
        let positions = &self.particles.positions;
        let fluid = self.particle_mass() * sum(positions.len(), |i| -self.settings.gravity.dot(positions[i].as_dvec3()));
        fluid + self.bodies.potential_energy(self.settings.gravity)
    }

    /// The force (N, through the centre of mass) and torque (N m) that act on body `index` from outside until they are set anew; nothing
    /// happens to one that does not float. The ledger books them.
    pub fn set_external_load(&mut self, index: usize, force: DVec3, torque: DVec3) {
        if let BodyKind::Floating(floating) = &mut self.bodies.list[index].kind {
            (floating.force, floating.torque) = (force, torque);
        }
    }

    /// Impulses of the fluid on each body in the last step, by cause.
    pub fn loads(&self) -> &[Load] {
        &self.ledger.loads
    }

    /// The step that has just ended in figures.
    pub(super) fn figures(&self, report: &StepReport) -> StepDiagnostics {
        let StepReport { dt, divergence, density, paths } = report;
        let momentum = self.momentum();
        let (momentum_error, angular_momentum_error) = self.ledger.errors(momentum);
        let velocities = &self.particles.velocities;
        let contacts = &self.walls.contacts;
        StepDiagnostics {
            step: self.steps,
            time: self.time,
            dt: *dt,
            pressure_iterations: density.iterations,
            divergence_iterations: divergence.iterations,
            density_error_percent: density.error_percent,
            divergence_error_percent: divergence.error_percent,
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
            leaked: self.totals.leaked,
            collisions: paths.stopped,
            contacts: contacts.list.iter().filter(|contact| contact.value > 0.0).count() as u64,
            triangle_pairs: contacts.triangle_pairs,
            mapping: self.walls.mapping.counters,
            greatest_speed: f64::from(greatest(velocities.len(), |i| velocities[i].length_squared()).sqrt()),
        }
    }

    /// Changes what enters the potential energy by `change`; the difference is external work.
    fn change_energy(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.potential_energy();
        change(self);
        self.ledger.work += self.potential_energy() - before;
    }

    /// Number of particles.
    pub fn particle_count(&self) -> usize {
        self.particles.len()
    }
}

impl Simulator for FluidSimulation {
    fn time(&self) -> f64 {
        self.time
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn element_count(&self) -> usize {
        self.particles.len()
    }

    fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        if until > self.time {
            // Once into the thread pool for the whole step, not for each of its loops.
            rayon::scope(|_| self.step(until))
        } else {
            Ok(())
        }
    }

    fn frame(&self) -> Frame {
        let particles = &self.particles;
        let mut order: Vec<u32> = (0..particles.len() as u32).collect();
        order.par_sort_unstable_by_key(|&place| particles.ids[place as usize]);
        let vectors = |values: &[glam::Vec3A]| order.iter().map(|&place| values[place as usize].to_array()).collect();
        let scalars = |value: &dyn Fn(usize) -> f32| order.iter().map(|&place| value(place as usize)).collect();
        let (seconds, rest_density) = (self.interval.seconds as f32, self.settings.density as f32);
        let mean_pressure =
            |place: usize| if seconds > 0.0 { particles.pressure_impulses[place] / seconds } else { particles.pressure(place) };
        let mut fields = vec![
            Field::integers("id", order.iter().map(|&place| particles.ids[place as usize]).collect()),
            Field::vectors("velocity", vectors(&particles.velocities)),
            Field::scalars("density", scalars(&|place| rest_density * particles.relative_densities[place])),
            Field::scalars("pressure", scalars(&mean_pressure)),
        ];
        if self.settings.momentary_pressure {
            fields.push(Field::scalars("momentary_pressure", scalars(&|place| particles.pressure(place))));
        }
        let positions = vectors(&particles.positions);
        let particles = ParticleFrame { radius: self.settings.particle_radius as f32, positions, fields };
        let body_frame = |(index, body): (usize, &Body)| {
            let (impulse, seconds) = match self.interval.seconds > 0.0 {
                true => (self.interval.load(index), self.interval.seconds),
                false => (self.ledger.loads[index].total(), self.last.dt),
            };
            let (force, torque) = impulse.mean(seconds);
            body.frame(force, torque)
        };
        Frame { time: self.time, particles, bodies: self.bodies.list.iter().enumerate().map(body_frame).collect(), ..Frame::default() }
    }

    fn take_frame(&mut self) -> Frame {
        let frame = self.frame();
        self.interval.clear();
        self.particles.pressure_impulses.fill(0.0);
        frame
    }

    fn diagnostics(&self) -> Row {
        self.last.row()
    }

    fn tables(&self) -> Vec<TableRows> {
        let row = |(body, load): (&Body, &Load)| diagnostics::body_row(body, load, self.steps, self.time, self.last.dt);
        let rows: Vec<Row> = self.bodies.list.iter().zip(&self.ledger.loads).map(row).collect();
        rows.first().cloned().map(|template| TableRows::new("bodies", &template, rows)).into_iter().collect()
    }

    fn timings(&self) -> Vec<(&'static str, f64)> {
        self.times.columns()
    }

    fn summary(&self) -> Vec<String> {
        let mut lines = vec![
            format!("leaked through meshes: {} particles", self.totals.leaked),
            format!(
                "momentum unexplained: {:.1e} of the impulse exchanged, angular {:.1e}",
                self.last.momentum_error, self.last.angular_momentum_error
            ),
        ];
        if matches!(self.settings.pressure, PressureSolver::Dfsph(_)) {
            let Totals { density_not_converged, divergence_not_converged, sweeps, .. } = self.totals;
            lines.push(format!(
                "{:.1} sweeps a step; not converged: density in {density_not_converged} steps, divergence in {divergence_not_converged}",
                sweeps as f64 / self.steps.max(1) as f64
            ));
        }
        lines.extend(self.relaxation.warning());
        lines
    }

    fn describe(&self) -> Vec<Fact> {
        let count = self.particle_count() as u64;
        let triangles: u64 = self.bodies.list.iter().map(|body| body.segmentation.mesh.triangles.len() as u64).sum();
        let mut facts = vec![
            Fact::new("particles", format!("{} of radius {} m", grouped(count), significant(self.settings.particle_radius))),
            Fact::new("memory", format!("about {}", bytes(memory_estimate(count as f64, triangles as f64) as u64))),
        ];
        facts.extend(self.bodies.describe());
        let emitters = &self.settings.emitters;
        if !emitters.is_empty() {
            facts.push(
                Fact::new("emitters", grouped(emitters.len() as u64)).with_details(emitters.iter().enumerate().map(describe_emitter)),
            );
        }
        facts
    }

    fn search_frame(&self) -> Option<SearchFrame> {
        Some(diagnostics::search_frame(&self.bodies.list, &self.particles, &self.neighbourhood, &self.walls))
    }

    fn segment_meshes(&self) -> Vec<Arc<SegmentMesh>> {
        self.bodies.segment_meshes()
    }

    fn interaction(&mut self) -> Option<&mut dyn Interaction> {
        Some(self)
    }
}

impl Interaction for FluidSimulation {
    fn draggable(&self) -> Vec<bool> {
        self.bodies.list.iter().map(|body| body.floating().is_some()).collect()
    }

    fn drag(&mut self, drag: Option<Drag>) {
        self.bodies.drag(drag);
    }

    fn can_stir(&self) -> bool {
        true
    }

    fn stir(&mut self, stirring: Option<Stirring>) {
        self.stirring = stirring;
    }

    fn accepts_bodies(&self) -> bool {
        true
    }

    fn add_body(&mut self, body: NewBody) {
        self.bodies.push(body.into());
        self.ledger.loads.push(Load::default());
        if let Some(body) = self.bodies.list.last() {
            self.ledger.initial += body.momentum();
            if body.floating().is_some() {
                self.ledger.work += body.kinetic_energy() - body.mass * self.settings.gravity.dot(body.center());
            }
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let FluidSettings { gravity, viscosity, pressure, emitters, .. } = &self.settings;
        let mut parameters = vec![
            Parameter::linear(GRAVITY, "m/s²", gravity.y, [-20.0, 5.0]),
            Parameter::logarithmic(VISCOSITY, "m²/s", viscosity.kinematic, [0.0, 0.05], 1e-7),
            Parameter::linear(ARTIFICIAL_VISCOSITY, "", viscosity.artificial, [0.0, 0.5]),
            Parameter::linear(WALL_FRICTION, "", viscosity.wall_friction, [0.0, 1.0]),
        ];
        if !emitters.is_empty() {
            parameters.push(Parameter::linear(EMISSION, "× speed", self.inflow.rate, [0.0, 3.0]));
        }
        if let PressureSolver::Dfsph(solve) = pressure {
            parameters.push(Parameter::logarithmic(DENSITY_TOLERANCE, "%", solve.density_tolerance, [0.001, 1.0], 0.001));
            parameters.push(Parameter::logarithmic(DIVERGENCE_TOLERANCE, "%", solve.divergence_tolerance, [0.01, 10.0], 0.01));
        }
        parameters
    }

    fn set_parameter(&mut self, name: &str, value: f64) {
        let Some(range) = self.parameters().into_iter().find(|parameter| parameter.name == name) else { return };
        let value = value.clamp(range.min, range.max);
        let viscosity = &mut self.settings.viscosity;
        match (name, &mut self.settings.pressure) {
            (GRAVITY, _) => self.change_energy(|fluid| fluid.settings.gravity.y = value),
            (VISCOSITY, _) => viscosity.kinematic = value,
            (ARTIFICIAL_VISCOSITY, _) => viscosity.artificial = value,
            (WALL_FRICTION, _) => viscosity.wall_friction = value,
            (EMISSION, _) => self.inflow.rate = value,
            (DENSITY_TOLERANCE, PressureSolver::Dfsph(solve)) => solve.density_tolerance = value,
            (DIVERGENCE_TOLERANCE, PressureSolver::Dfsph(solve)) => solve.divergence_tolerance = value,
            _ => {}
        }
    }
}

fn describe_emitter((index, emitter): (usize, &Emitter)) -> String {
    let until = emitter.end.map_or("on".to_owned(), |end| format!("to {} s", significant(end)));
    format!("emitter {}: {} l/s from {} s {until}", index + 1, significant(1e3 * emitter.flow()), significant(emitter.start))
}
