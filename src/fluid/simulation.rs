//! The fluid simulation: its whole state, and what can be seen of it.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bodies::{Bodies, Body, BodyDefinition, BodyKind, Momentum},
    fluid::{
        Conditions, FluidSettings, PressureSolver,
        particles::Particles,
        placement::{self, Emission, Relaxation},
        record::{self, Ledger, OutputInterval, Stage, StepDiagnostics},
        scratch::Scratch,
        step::{Health, StepLength},
    },
    frame::{Field, Frame, MethodFrame, ParticleFrame, Row, SegmentMesh},
    math::parallel::sum,
    shape::SegmentLimits,
    stages::StageTimes,
};

/// Triangles a segment may have.
const SEGMENT_TRIANGLES: usize = 32;
/// Longest side of a segment's box, in particle radii.
const SEGMENT_RADII: f64 = 8.0;

/// SPH fluid with rigid bodies. Serialised, it is a checkpoint: what [`FluidSimulation::restore`] can rebuild is left out.
#[derive(Serialize, Deserialize)]
pub struct FluidSimulation {
    pub(super) settings: FluidSettings,
    pub(super) particles: Particles,
    pub(super) bodies: Bodies,
    pub(super) emission: Emission,
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
    pub(super) scratch: Scratch,
}

/// What went wrong or was worth counting since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub density_not_converged: u64,
    pub divergence_not_converged: u64,
    pub leaked: u64,
    pub drained: u64,
    pub sweeps: u64,
}

/// Why a scene cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("fluid.fill: found no room for any fluid particle, expected at least one fill that is not inside a body, or an emitter")]
    NoFluid,
}

impl FluidSimulation {
    /// Cuts meshes into segments, places the fluid and relaxes it. Each emitter has a static body beside the `bodies`: its nozzle.
    pub fn new(settings: FluidSettings, bodies: Vec<BodyDefinition>) -> Result<Self, SetupError> {
        let limits = SegmentLimits { size: SEGMENT_RADII * settings.particle_radius, triangles: SEGMENT_TRIANGLES };
        let mut bodies = Bodies::new(bodies, limits);
        let emission = Emission::new(&settings, &bodies.list);
        for (index, emitter) in settings.emitters.iter().enumerate() {
            bodies.push(emitter.body(format!("emitter {}", index + 1), settings.particle_radius));
        }
        let mut particles = placement::place(&settings, &bodies.list);
        if particles.is_empty() && settings.emitters.is_empty() {
            return Err(SetupError::NoFluid);
        }
        let mut scratch = Scratch::new(&settings, &bodies);
        let relaxation = placement::relax(&settings, &mut particles, &bodies.list, &mut scratch);
        scratch.times = StageTimes::default();
        let mut simulation = Self {
            settings,
            particles,
            bodies,
            emission,
            time: 0.0,
            steps: 0,
            step_length: StepLength::default(),
            ledger: Ledger::default(),
            last: StepDiagnostics::default(),
            totals: Totals::default(),
            health: Health::default(),
            interval: OutputInterval::default(),
            relaxation,
            scratch,
        };
        simulation.ledger.initial = simulation.momentum();
        Ok(simulation)
    }

    /// Rebuilds what a checkpoint leaves out.
    pub fn restore(&mut self) {
        self.bodies.restore();
        self.scratch = Scratch::new(&self.settings, &self.bodies);
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn settings(&self) -> &FluidSettings {
        &self.settings
    }

    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    pub fn bodies(&self) -> &[Body] {
        &self.bodies.list
    }

    pub fn particle_count(&self) -> usize {
        self.particles.len()
    }

    /// Mass of a particle, kg: that of a cube of fluid as wide as the particle.
    pub fn particle_mass(&self) -> f64 {
        self.settings.density * (2.0 * self.settings.particle_radius).powi(3)
    }

    pub fn emission(&self) -> &Emission {
        &self.emission
    }

    /// Counts since the start.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The last step in figures.
    pub fn last_step(&self) -> &StepDiagnostics {
        &self.last
    }

    /// Where the time of the steps went.
    pub fn stage_times(&self) -> &StageTimes<Stage> {
        &self.scratch.times
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

    /// Returns the current frame and starts a new averaging interval.
    pub fn take_frame(&mut self) -> Frame {
        let frame = self.frame();
        self.interval.clear();
        self.particles.pressure_impulses.fill(0.0);
        frame
    }

    /// The current frame, particles in the order of their ids. Pressures and forces are means since the last [`FluidSimulation::take_frame`]
    /// (impulse over time); at time zero and directly after it, those of the last step.
    pub fn frame(&self) -> Frame {
        let particles = &self.particles;
        let mut order: Vec<u32> = (0..particles.len() as u32).collect();
        order.par_sort_unstable_by_key(|&place| particles.ids[place as usize]);
        let vectors = |values: &[glam::Vec3A]| order.iter().map(|&place| values[place as usize].to_array()).collect();
        let scalars = |value: &dyn Fn(usize) -> f32| order.iter().map(|&place| value(place as usize)).collect();
        let seconds = self.interval.seconds as f32;
        let mean_pressure =
            |place: usize| if seconds > 0.0 { particles.pressure_impulses[place] / seconds } else { particles.pressure(place) };
        let mut fields = vec![
            Field::integers("id", order.iter().map(|&place| particles.ids[place as usize]).collect()),
            Field::vectors("velocity", vectors(&particles.velocities)),
            Field::scalars("density", scalars(&|place| particles.densities[place])),
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
                false => (body.load.total(), self.last.dt),
            };
            let (force, torque) = impulse.mean(seconds);
            body.frame(force, torque)
        };
        Frame { time: self.time, particles, bodies: self.bodies.list.iter().enumerate().map(body_frame).collect(), ..Frame::default() }
    }

    /// The last step as a row of the diagnostics table.
    pub fn diagnostics(&self) -> Row {
        self.last.row()
    }

    /// Each body after the last step, a row each.
    pub fn body_diagnostics(&self) -> Vec<Row> {
        self.bodies.list.iter().map(|body| record::body_row(body, self.steps, self.time, self.last.dt)).collect()
    }

    /// Lines to show when a run ends.
    pub fn summary(&self) -> Vec<String> {
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
}

/// What whoever watches a running simulation may see and do.
impl FluidSimulation {
    /// The search at the last step; without segments, which do not change from step to step.
    pub fn method_frame(&self) -> MethodFrame {
        record::method_frame(&self.bodies.list, &self.particles, &self.scratch)
    }

    /// The triangles of each body with their segments.
    pub fn segment_meshes(&self) -> Vec<Arc<SegmentMesh>> {
        record::segment_meshes(&self.bodies.list)
    }

    pub fn conditions(&self) -> Conditions {
        let FluidSettings { gravity, viscosity, pressure, .. } = self.settings;
        let emission_rate = (!self.settings.emitters.is_empty()).then_some(self.emission.rate);
        Conditions { gravity, viscosity, pressure, emission_rate }
    }

    pub fn set_conditions(&mut self, conditions: Conditions) {
        let Conditions { gravity, viscosity, pressure, emission_rate } = conditions;
        let before = self.potential_energy();
        (self.settings.gravity, self.settings.viscosity, self.settings.pressure) = (gravity, viscosity, pressure);
        self.emission.rate = emission_rate.unwrap_or(self.emission.rate);
        self.ledger.work += self.potential_energy() - before;
    }

    /// The force (N, through the centre of mass) and torque (N m) that act on body `index` from outside until they are set anew; nothing
    /// happens to one that does not float. The ledger books them.
    pub fn set_external_load(&mut self, index: usize, force: DVec3, torque: DVec3) {
        if let BodyKind::Floating(floating) = &mut self.bodies.list[index].kind {
            (floating.force, floating.torque) = (force, torque);
        }
    }

    /// Draws particles within `radius` (m) of `center` towards `velocity` (m/s): those in the middle by the share `1 - exp(-strength)`,
    /// others by less. The ledger books the impulse as one from outside.
    pub fn stir(&mut self, center: DVec3, radius: f64, velocity: DVec3, strength: f64) {
        let mass = self.particle_mass();
        for (velocity_i, position) in self.particles.velocities.iter_mut().zip(&self.particles.positions) {
            let position = position.as_dvec3();
            let nearness = 1.0 - position.distance_squared(center) / (radius * radius);
            if nearness > 0.0 {
                let before = velocity_i.as_dvec3();
                let share = 1.0 - (-strength * nearness).exp();
                *velocity_i += (share * (velocity - before)).as_vec3a();
                let linear = mass * (velocity_i.as_dvec3() - before);
                self.ledger.external += Momentum::at(position, linear);
                self.ledger.work += 0.5 * linear.dot(velocity_i.as_dvec3() + before);
            }
        }
    }

    /// Adds a body, which must be clear of fluid and other bodies. The ledger counts its momentum as there from the start.
    pub fn add_body(&mut self, definition: BodyDefinition) {
        self.bodies.push(definition);
        let times = std::mem::take(&mut self.scratch.times);
        self.scratch = Scratch::new(&self.settings, &self.bodies);
        self.scratch.times = times;
        if let Some(body) = self.bodies.list.last() {
            self.ledger.initial += body.momentum();
            if body.floating().is_some() {
                self.ledger.work += body.kinetic_energy() - body.mass * self.settings.gravity.dot(body.center());
            }
        }
    }
}
