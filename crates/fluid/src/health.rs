//! Detects invalid simulations, so that a run ends with an explanation instead of wrong results.
//!
//! It checks five signs, each far outside the range of valid scenes (docs/theory/time-step.md gives the numbers):
//!
//! - a velocity, a position or an energy is not finite;
//! - the external work is so large that the energy is lost in its rounding error;
//! - the energy rises beyond the external work by more than the maximum kinetic energy so far;
//! - the fluid stays compressed, by much for a short time or by less for longer: there is more fluid than space;
//! - the step stays at its minimum although the CFL condition requires a much shorter one.

use glam::DVec3;
use plimsoll_bodies::Body;
use plimsoll_contract::simulator::SimulationError;
use serde::{Deserialize, Serialize};

use crate::{
    Emitter, FieldError, FluidSettings, PressureSolver,
    coupling::{Load, WallContacts},
    diagnostics::StepDiagnostics,
    particles::Particles,
};

/// Limit of the mean compression, percent. With the implicit solver, dam breaks stay below 0.3, and two blobs that collide at 8 m/s (200
/// particle diameters per second) stay below 3. With the equation of state about one percent is normal, and more if the speed of sound is
/// too low.
const COMPRESSION: f64 = 8.0;
const COMPRESSION_WCSPH: f64 = 20.0;
/// How many reference steps the compression may exceed its limit.
const COMPRESSED_STEPS: f64 = 10.0;
/// The compression, percent, that the fluid of the implicit solver may not exceed for this number of reference steps: of the shipped scenes none
/// exceeds 1.8 %, and in a full tank 3 % are reached when an emitter has pressed 3 % more fluid into it. Fluid with an equation of state may be as soft as
/// its user wants.
const LASTING_COMPRESSION: f64 = 3.0;
const LASTING_STEPS: f64 = 50.0;
/// Limit of consecutive steps at the minimum length, and the factor by which they have to exceed the CFL step to be counted.
const STEPS_AT_MINIMUM: u32 = 300;
const MAX_CFL_RATIO: f64 = 4.0;

/// State of the checks from step to step. Part of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Minimum of energy minus external work so far, J; absent before the first step.
    lowest: Option<f64>,
    /// Maximum kinetic energy so far, J, minus the energy rise at that time: a runaway must not raise its own limit.
    max_motion: f64,
    compressed_seconds: f64,
    /// The same with a lower limit that may be exceeded for longer.
    #[serde(default)]
    lasting_seconds: f64,
    steps_at_minimum: u32,
}

/// The simulation after a step.
pub struct StepState<'a> {
    pub settings: &'a FluidSettings,
    pub particles: &'a Particles,
    pub bodies: &'a [Body],
    pub loads: &'a [Load],
    pub contacts: &'a WallContacts,
    pub last: &'a StepDiagnostics,
    /// Step required by the CFL condition, s.
    pub wanted_step: f64,
}

/// Checks the bodies before their contacts are solved, which needs finite numbers.
///
/// # Errors
/// A body whose velocity or position is not finite, in the step after `steps` from `time`.
pub fn check_bodies(bodies: &[Body], steps: u64, time: f64) -> Result<(), SimulationError> {
    let Some(body) = bodies.iter().find(|body| !is_finite(body)) else { return Ok(()) };
    let remedy = "check the mass, inertia and scale of the body".to_owned();
    Err(SimulationError::not_finite(time, steps + 1, &format!("body \"{}\"", body.name), remedy))
}

/// A value of an acceleration field with which the step after `steps` from `time` (s) cannot be computed.
pub fn invalid_field(error: &FieldError, steps: u64, time: f64) -> SimulationError {
    SimulationError {
        time,
        step: steps + 1,
        what: error.to_string(),
        cause: "a division by zero, or a root or logarithm of a negative number".to_owned(),
        remedy: "change the expression, or limit the field by `region`, `start` or `end`".to_owned(),
    }
}

fn is_finite(body: &Body) -> bool {
    body.velocity.length_squared().is_finite() && body.angular_velocity.length_squared().is_finite() && body.center().is_finite()
}

impl Health {
    /// Checks the simulation after a step.
    ///
    /// # Errors
    /// The first sign found.
    pub fn check(&mut self, state: &StepState) -> Result<(), SimulationError> {
        state.check_finite()?;
        self.check_energy(state)?;
        self.check_compression(state)?;
        self.check_minimum(state)
    }

    fn check_energy(&mut self, state: &StepState) -> Result<(), SimulationError> {
        let last = state.last;
        let energy = last.kinetic_energy + last.potential_energy - last.external_work;
        let lowest = self.lowest.map_or(energy, |lowest| lowest.min(energy));
        self.lowest = Some(lowest);
        let rise = energy - lowest;
        let allowed = self.max_motion + state.energy_at_rest();
        // A solve may remove speeds whose squares exceed single precision, and leave no other trace.
        if f64::EPSILON * last.external_work.abs() > allowed {
            let left = last.kinetic_energy + last.potential_energy;
            let what =
                format!("the external work is {:.3e} J and leaves an energy of {left:.3e} J: too little for a balance", last.external_work);
            let remedy = "check the units of forces, motions and stirring".to_owned();
            return Err(state.breakdown(what, "a force or a motion that is too large".to_owned(), remedy));
        }
        if rise > allowed {
            // The energy then comes from the removal of the compression, whose cause is known.
            if 2.0 * state.last.compression_percent > state.allowed_compression() {
                return Err(state.compressed());
            }
            let what = format!(
                "the energy rose by {rise:.3e} J beyond the external work, the limit is {allowed:.3e} J; the fastest particle moves at {:.3e} m/s",
                last.max_speed
            );
            let cause = format!("fluid and bodies without room, or a step that is too long, {}", state.near_fastest());
            let remedy = "give bodies and fluid more room, or lower time_step.maximum and time_step.minimum".to_owned();
            return Err(state.breakdown(what, cause, remedy));
        }
        self.max_motion = self.max_motion.max(last.kinetic_energy - rise);
        Ok(())
    }

    fn check_compression(&mut self, state: &StepState) -> Result<(), SimulationError> {
        let (limit, reference) = (state.allowed_compression(), state.settings.reference_step());
        let lasts = |seconds: &mut f64, limit: f64, steps: f64| {
            *seconds = if state.last.compression_percent > limit { *seconds + state.last.dt } else { 0.0 };
            *seconds > steps * reference
        };
        let is_compressed = lasts(&mut self.compressed_seconds, limit, COMPRESSED_STEPS);
        let lasting_limit = if matches!(state.settings.pressure, PressureSolver::Dfsph(_)) { LASTING_COMPRESSION } else { limit };
        let stays_compressed = lasts(&mut self.lasting_seconds, lasting_limit, LASTING_STEPS);
        if is_compressed || stays_compressed { Err(state.compressed()) } else { Ok(()) }
    }

    fn check_minimum(&mut self, state: &StepState) -> Result<(), SimulationError> {
        let minimum = state.settings.time_step.minimum;
        self.steps_at_minimum = if minimum > MAX_CFL_RATIO * state.wanted_step { self.steps_at_minimum + 1 } else { 0 };
        if self.steps_at_minimum <= STEPS_AT_MINIMUM {
            return Ok(());
        }
        let what = format!(
            "{STEPS_AT_MINIMUM} steps in a row were limited by time_step.minimum, {minimum:.1e} s; the fastest particle, at {:.3e} m/s, requires {:.1e} s",
            state.last.max_speed, state.wanted_step
        );
        let cause = format!("fluid ejected {}, or a minimum step that is too long", state.near_fastest());
        Err(state.breakdown(what, cause, "lower time_step.minimum, or give bodies and fluid more room".to_owned()))
    }
}

impl StepState<'_> {
    fn breakdown(&self, what: String, cause: String, remedy: String) -> SimulationError {
        SimulationError { time: self.last.time, step: self.last.step, what, cause, remedy }
    }

    fn check_finite(&self) -> Result<(), SimulationError> {
        let StepDiagnostics { kinetic_energy, potential_energy, time, step, .. } = *self.last;
        if kinetic_energy.is_finite() && potential_energy.is_finite() {
            return Ok(());
        }
        check_bodies(self.bodies, step - 1, time)?;
        let Particles { positions, velocities, ids, .. } = self.particles;
        let lost = (0..ids.len()).find(|&place| !(velocities[place].is_finite() && positions[place].is_finite()));
        let who = lost.map_or_else(|| "the fluid".to_owned(), |place| format!("particle {}", ids[place]));
        let FluidSettings { particle_radius, gravity, .. } = self.settings;
        let density = self.settings.max_density();
        let remedy = format!(
            "check the units of the scene (particle_radius {particle_radius:e} m, density {density:e} kg/m³, gravity {:e} m/s²)",
            gravity.length()
        );
        Err(SimulationError::not_finite(time, step, &who, remedy))
    }

    fn allowed_compression(&self) -> f64 {
        match self.settings.pressure {
            PressureSolver::Dfsph(_) => COMPRESSION,
            PressureSolver::Wcsph(_) => COMPRESSION_WCSPH,
        }
    }

    fn compressed(&self) -> SimulationError {
        let place = self.densest();
        let what = format!(
            "the fluid is compressed by {:.1} % on average, most at [{:.3}, {:.3}, {:.3}]: there is more fluid than space",
            self.last.compression_percent, place.x, place.y, place.z
        );
        let remedy = "leave an outlet at least 4 particle diameters wide, use less fluid, or stop the motion earlier".to_owned();
        self.breakdown(what, self.compressor(), remedy)
    }

    /// Allowed rise of the energy before anything has moved, J: the energy that lifts everything by a support radius, or moves it by a
    /// hundredth of a particle diameter in a reference step, or is in the surface of single particles.
    fn energy_at_rest(&self) -> f64 {
        let settings = self.settings;
        let floating = self.bodies.iter().filter(|body| body.floating().is_some()).map(|body| body.mass).sum::<f64>();
        let masses = settings.masses();
        let mass = self.particles.materials.iter().map(|&material| masses.of(material)).sum::<f64>() + floating;
        let drift = 0.01 * 2.0 * settings.particle_radius / settings.reference_step();
        let surface = 6.0 * (2.0 * settings.particle_radius).powi(2) * settings.max_tension() * self.particles.len() as f64;
        surface + mass * (settings.gravity.length() * settings.support_radius() + 0.5 * drift * drift)
    }

    /// "at body …, particle … at […]" of the fastest particle.
    fn near_fastest(&self) -> String {
        let speed = |place: &usize| self.particles.velocities[*place].length_squared();
        let Some(fastest) = (0..self.particles.len()).max_by(|a, b| speed(a).total_cmp(&speed(b))) else { return String::new() };
        let x = self.particles.positions[fastest];
        let body = self.contacts.of(fastest).first().map(|contact| format!("body \"{}\", ", self.bodies[contact.body as usize].name));
        format!("at {}particle {} at [{:.3}, {:.3}, {:.3}]", body.unwrap_or_default(), self.particles.ids[fastest], x.x, x.y, x.z)
    }

    fn densest(&self) -> DVec3 {
        let density = |place: &usize| self.particles.relative_densities[*place];
        let densest = (0..self.particles.len()).max_by(|a, b| density(a).total_cmp(&density(b)));
        densest.map_or(DVec3::ZERO, |place| self.particles.positions[place].as_dvec3())
    }

    /// What probably compresses the fluid: the moving or deforming body with the largest reaction, the last emitter that was active, or the
    /// floating body with the largest reaction.
    fn compressor(&self) -> String {
        let most = |of: &dyn Fn(&Body) -> bool| {
            let reactions = self.bodies.iter().zip(self.loads).map(|(body, load)| (body, load.total().linear.length()));
            let loaded = reactions.filter(|&(body, reaction)| of(body) && reaction > 0.0);
            loaded.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(body, _)| body.name.clone())
        };
        let moves = |body: &Body| body.velocity != DVec3::ZERO || body.angular_velocity != DVec3::ZERO || body.deformation().is_some();
        if let Some(name) = most(&|body| body.prescribed_motion().is_some() && moves(body)) {
            return format!("body \"{name}\" moves into fluid that cannot escape");
        }
        if let Some(number) = self.last_emitter() {
            return format!("emitter {number} fills a space that is already full");
        }
        match most(&|body| body.floating().is_some()) {
            Some(name) => format!("body \"{name}\" presses on fluid that cannot escape"),
            None => "more fluid than the space between the bodies holds".to_owned(),
        }
    }

    /// Number of the emitter that was active last, from 1 as in the scene; of several that are active, of the first one.
    fn last_emitter(&self) -> Option<usize> {
        let time = self.last.time;
        let started = self.settings.emitters.iter().enumerate().filter(|(_, emitter)| emitter.start <= time);
        let active_until = |emitter: &Emitter| emitter.end.unwrap_or(time).min(time);
        let latest = started.rev().max_by(|(_, one), (_, other)| active_until(one).total_cmp(&active_until(other)));
        latest.map(|(index, _)| index + 1)
    }
}
