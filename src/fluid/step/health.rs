//! Recognises what cannot be simulated, so that a run ends with an explanation instead of nonsense.
//!
//! Four signs, each far outside of what sound scenes show (docs/theory/time-step.md has the figures):
//!
//! - a velocity or a body that is not finite;
//! - energy that rises, beyond the work done from outside, by more than all the energy in motion so far;
//! - fluid that stays compressed: more volume is asked of the space than it has;
//! - steps that stay at the minimum although the fluid would need shorter ones.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::{
    bodies::{Body, BodyKind},
    fluid::{
        FluidSettings, PressureSolver,
        particles::Particles,
        record::StepDiagnostics,
        scratch::{particle_mass, support_radius},
        wall::WallContacts,
    },
};

/// Mean compression that is too much, percent. With the implicit solver dam breaks stay below 0.3 and two blobs that collide at 8 m/s, 200
/// particle diameters a second, below 3. The equation of state is meant to give way by one percent, and by more where its speed of sound is
/// too low.
const COMPRESSION: f64 = 8.0;
const COMPRESSION_WCSPH: f64 = 20.0;
/// For how many reference steps it may last.
const COMPRESSED_STEPS: f64 = 10.0;
/// Consecutive steps at the minimum that are too many, and how much longer than the CFL condition asks for they have to be.
const STEPS_AT_MINIMUM: u32 = 300;
const FAR_TOO_LONG: f64 = 4.0;

/// What is remembered from step to step. Part of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Least energy less work so far, J; absent before the first step.
    lowest: Option<f64>,
    greatest_kinetic_energy: f64,
    compressed_seconds: f64,
    steps_at_minimum: u32,
}

/// The fluid and the bodies after a step.
pub struct Patient<'a> {
    pub settings: &'a FluidSettings,
    pub particles: &'a Particles,
    pub bodies: &'a [Body],
    pub contacts: &'a WallContacts,
    pub last: &'a StepDiagnostics,
    /// Step that the CFL condition asks for, s.
    pub wanted_step: f64,
}

/// A simulation that cannot go on, with its likely cause and what would help.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} (at {time:.6} s, step {step}). Likely cause: {cause}. Try: {remedy}")]
pub struct Breakdown {
    pub time: f64,
    pub step: u64,
    pub what: String,
    pub cause: String,
    pub remedy: String,
}

/// Before the contacts between bodies are solved, which needs finite numbers.
///
/// # Errors
/// A body whose velocity or place is not finite, in the step after `steps` from `time`.
pub fn check_bodies(bodies: &[Body], steps: u64, time: f64) -> Result<(), Breakdown> {
    let Some(lost) = bodies.iter().find(|body| !is_finite(body)) else { return Ok(()) };
    Err(Breakdown {
        time,
        step: steps + 1,
        what: format!("the velocity of body \"{}\" is no longer finite", lost.name),
        cause: "numbers too large or too small to compute with".to_owned(),
        remedy: "check mass, inertia and scale of the body".to_owned(),
    })
}

fn is_finite(body: &Body) -> bool {
    body.velocity.length_squared().is_finite() && body.angular_velocity.length_squared().is_finite() && body.center().is_finite()
}

impl Health {
    /// Looks at the fluid after a step.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&mut self, patient: &Patient) -> Result<(), Breakdown> {
        self.check_finite(patient)?;
        self.check_energy(patient)?;
        self.check_compression(patient)?;
        self.check_step(patient)
    }

    fn check_finite(&self, patient: &Patient) -> Result<(), Breakdown> {
        let last = patient.last;
        if last.kinetic_energy.is_finite() && last.potential_energy.is_finite() {
            return Ok(());
        }
        let lost = |place: &usize| !(patient.particles.velocities[*place].is_finite() && patient.particles.positions[*place].is_finite());
        let particle = (0..patient.particles.len()).find(lost).map(|place| format!("particle {}", patient.particles.ids[place]));
        let body = patient.bodies.iter().find(|body| !is_finite(body));
        let body = body.map(|body| format!("body \"{}\"", body.name));
        let who = body.or(particle).unwrap_or_else(|| "the energy".to_owned());
        let what = format!("the state of {who} is no longer finite");
        Err(patient.breakdown(what, "numbers too large or too small to compute with".to_owned(), patient.scales()))
    }

    /// More energy than there was cannot come from anywhere.
    fn check_energy(&mut self, patient: &Patient) -> Result<(), Breakdown> {
        let last = patient.last;
        let energy = last.kinetic_energy + last.potential_energy - last.external_work;
        let lowest = self.lowest.map_or(energy, |lowest| lowest.min(energy));
        self.lowest = Some(lowest);
        // Beside the energy in motion: what lifts all the fluid by a support radius, and what moves it at a hundredth of the speed at
        // which the reference step takes it through a particle.
        let settings = patient.settings;
        let mass = patient.particles.len() as f64 * particle_mass(settings)
            + patient.bodies.iter().filter(|body| body.floating().is_some()).map(|body| body.mass).sum::<f64>();
        let drift = 0.02 * settings.particle_radius / settings.reference_step();
        let rest = mass * (settings.gravity.length() * support_radius(settings) + drift * drift);
        let allowed = self.greatest_kinetic_energy + last.external_work.abs() + rest;
        if energy - lowest > allowed {
            let what = format!(
                "energy rose by {:.3e} J beyond the work done, where {allowed:.3e} J were in motion; the fastest particle goes at {:.3e} m/s",
                energy - lowest,
                last.greatest_speed
            );
            let cause = format!("fluid and bodies that have no room, or contacts that cannot be resolved, {}", patient.near_fastest());
            return Err(patient.breakdown(what, cause, "give bodies and fluid more room, or lower time_step.maximum and cfl".to_owned()));
        }
        self.greatest_kinetic_energy = self.greatest_kinetic_energy.max(last.kinetic_energy);
        Ok(())
    }

    fn check_compression(&mut self, patient: &Patient) -> Result<(), Breakdown> {
        let last = patient.last;
        let allowed = match patient.settings.pressure {
            PressureSolver::Dfsph(_) => COMPRESSION,
            PressureSolver::Wcsph(_) => COMPRESSION_WCSPH,
        };
        self.compressed_seconds = if last.compression_percent > allowed { self.compressed_seconds + last.dt } else { 0.0 };
        if self.compressed_seconds <= COMPRESSED_STEPS * patient.settings.reference_step() {
            return Ok(());
        }
        let place = patient.densest();
        let what = format!(
            "the fluid is compressed by {:.1} % on average, most at [{:.3}, {:.3}, {:.3}]: it has no room",
            last.compression_percent, place.x, place.y, place.z
        );
        Err(patient.breakdown(
            what,
            patient.squeezer(),
            "leave the fluid a way out at least 4 particle diameters wide, less fluid, or less of the motion".to_owned(),
        ))
    }

    fn check_step(&mut self, patient: &Patient) -> Result<(), Breakdown> {
        let minimum = patient.settings.time_step.minimum;
        self.steps_at_minimum = if minimum > FAR_TOO_LONG * patient.wanted_step { self.steps_at_minimum + 1 } else { 0 };
        if self.steps_at_minimum <= STEPS_AT_MINIMUM {
            return Ok(());
        }
        let what = format!(
            "{STEPS_AT_MINIMUM} steps were as short as time_step.minimum allows, {minimum:.1e} s, where the fastest particle, at {:.3e} m/s, asks for {:.1e} s",
            patient.last.greatest_speed, patient.wanted_step
        );
        let cause = format!("particles thrown off {}, or a minimum that is too long", patient.near_fastest());
        Err(patient.breakdown(what, cause, "lower time_step.minimum, or give bodies and fluid more room".to_owned()))
    }
}

impl Patient<'_> {
    fn breakdown(&self, what: String, cause: String, remedy: String) -> Breakdown {
        Breakdown { time: self.last.time, step: self.last.step, what, cause, remedy }
    }

    fn scales(&self) -> String {
        let FluidSettings { particle_radius, density, gravity, .. } = self.settings;
        format!(
            "check the units of the scene (particle_radius {particle_radius:e} m, density {density:e} kg/m³, gravity {:e} m/s²)",
            gravity.length()
        )
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
        let density = |place: &usize| self.particles.densities[*place];
        let densest = (0..self.particles.len()).max_by(|a, b| density(a).total_cmp(&density(b)));
        densest.map_or(DVec3::ZERO, |place| self.particles.positions[place].as_dvec3())
    }

    /// Who may press the fluid together: the moving body that is pushed back most, an emitter, or the floating body that is.
    fn squeezer(&self) -> String {
        let push = |body: &Body| body.load.total().linear.length();
        let most = |of: &dyn Fn(&Body) -> bool| {
            let pushed = self.bodies.iter().filter(|body| of(body) && push(body) > 0.0);
            pushed.max_by(|a, b| push(a).total_cmp(&push(b))).map(|body| body.name.clone())
        };
        if let Some(name) =
            most(&|body| matches!(body.kind, BodyKind::Moving(_)) && body.velocity.length() + body.angular_velocity.length() > 0.0)
        {
            return format!("body \"{name}\" moves into fluid that cannot get out of its way");
        }
        if !self.settings.emitters.is_empty() {
            return "an emitter fills a space that is full".to_owned();
        }
        match most(&|body| body.floating().is_some()) {
            Some(name) => format!("body \"{name}\" presses on fluid that cannot get out of its way"),
            None => "more fluid than there is room for it".to_owned(),
        }
    }
}
