//! Simulations that start from the state of another.
//!
//! The particles continue with all their data, the bodies as described in `bodies/continuation.rs`, and emitters that are still there with
//! their last layer. Steps follow as if the other simulation had gone on, bit by bit if nothing else differs. Everything that is counted
//! (momentum, work, leaks, emitted and drained particles) starts at zero.

use plimsoll_base::math::{Domain, format::list};
use plimsoll_bodies::{Bodies, Body, BodyDefinition, Mismatch};
use plimsoll_contract::simulator::Watch;

use super::{
    FluidSettings, FluidSimulation, Material, SetupError,
    inflow::Inflow,
    particles::Particles,
    placement::Obstacles,
    probes::Probes,
    settings::{Emitter, PressureSolver},
};

/// The differences between a simulation and the one that it continues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Continuation {
    /// Names of the bodies that the other simulation does not have.
    pub new_bodies: Vec<String>,
    /// Names of the bodies that only the other simulation has.
    pub gone_bodies: Vec<String>,
    /// Particles that new bodies cover, which are removed.
    pub removed_particles: u64,
}

/// Why a simulation cannot start from the state of another.
#[derive(Debug, thiserror::Error)]
pub enum ContinuationError {
    /// The fluid there is another.
    #[error("the fluid has {found}, expected {expected}")]
    Fluid {
        /// A property of the other fluid.
        found: String,
        /// The property of this one.
        expected: String,
    },
    /// Bodies do not fit.
    #[error("{} bodies differ", .0.len())]
    Bodies(Vec<Mismatch>),
    /// The simulation cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl FluidSimulation {
    /// Starts at `time` (s) from the state of `earlier`. Fluid and domain must be the same; `settings.fills` are ignored, and so are the
    /// positions and velocities of bodies that `earlier` has too. New bodies displace the fluid that they cover.
    ///
    /// # Errors
    /// Fluid or bodies do not fit, no fluid is left, or `watch` interrupts.
    pub fn continue_from(
        settings: FluidSettings,
        definitions: Vec<BodyDefinition>,
        earlier: Self,
        time: f64,
        watch: &dyn Watch,
    ) -> Result<(Self, Continuation), ContinuationError> {
        check_fluid(&settings, &earlier.settings)?;
        let mismatches = earlier.bodies.mismatches(&definitions, time);
        if !mismatches.is_empty() {
            return Err(ContinuationError::Bodies(mismatches));
        }
        let of_scene = definitions.len();
        let carrier = |index: usize| (definitions[index].kind.clone(), definitions[index].pose);
        let nozzle =
            |(index, emitter): (usize, &Emitter)| emitter.body(format!("emitter {}", index + 1), settings.particle_radius, carrier);
        let nozzles: Vec<BodyDefinition> = settings.emitters.iter().enumerate().map(nozzle).collect();
        let definitions = definitions.into_iter().chain(nozzles).collect();
        let (bodies, succession) =
            Bodies::continue_from(definitions, &settings.mechanism, earlier.bodies, time, watch).map_err(SetupError::from)?;
        let overlaps = bodies.overlaps(&succession.new);
        if !overlaps.is_empty() {
            return Err(ContinuationError::Bodies(overlaps));
        }
        let mut particles = earlier.particles;
        let new: Vec<&Body> = succession.new.iter().map(|&index| &bodies.list[index]).collect();
        let present: Vec<&Body> = new.iter().copied().filter(|body| body.meets_particles()).collect();
        let removed_particles = displace(&mut particles, &present, &settings);
        if particles.is_empty() && settings.emitters.is_empty() {
            return Err(SetupError::NoFluid.into());
        }
        particles.release(&settings.inverse_masses());
        if let PressureSolver::Wcsph(_) = settings.pressure {
            // This solver has only one pressure.
            particles.divergence_pressures.fill(0.0);
        }
        let mut inflow = Inflow::new(&settings, &bodies.list[..of_scene]);
        inflow.continue_from(&earlier.inflow);
        let new_bodies = new.iter().map(|body| body.name.clone()).collect();
        let probes = Probes::new(&settings.probes, time);
        let simulation = Self { step_length: earlier.step_length, ..Self::at(time, settings, particles, bodies, inflow, probes) };
        Ok((simulation.begun(), Continuation { new_bodies, gone_bodies: succession.gone, removed_particles }))
    }
}

/// Checks what the state depends on.
fn check_fluid(settings: &FluidSettings, earlier: &FluidSettings) -> Result<(), ContinuationError> {
    let differs = |found: String, expected: String| Err(ContinuationError::Fluid { found, expected });
    if earlier.origin != settings.origin {
        let of = |settings: &FluidSettings| format!("origin {}", list(settings.origin));
        return differs(of(earlier), of(settings));
    }
    if earlier.particle_radius != settings.particle_radius {
        let of = |settings: &FluidSettings| format!("particle_radius {}", settings.particle_radius);
        return differs(of(earlier), of(settings));
    }
    if fluids(earlier) != fluids(settings) {
        return differs(fluids(earlier), fluids(settings));
    }
    if earlier.domain != settings.domain {
        let of = |settings: &FluidSettings| periods(&settings.domain);
        return differs(of(earlier), of(settings));
    }
    Ok(())
}

/// The fluids with their densities, on which the masses of the particles depend.
fn fluids(settings: &FluidSettings) -> String {
    if settings.materials.is_empty() {
        return format!("density {}", settings.density);
    }
    let of = |material: &Material| format!("\"{}\" of density {}", material.name, material.density);
    format!("the materials {}", settings.materials.iter().map(of).collect::<Vec<_>>().join(", "))
}

fn periods(domain: &Domain) -> String {
    let period = |axis: usize| format!("{} = [{}, {}]", ["x", "y", "z"][axis], domain.low[axis], domain.high()[axis]);
    let periods: Vec<String> = (0..3).filter(|&axis| domain.periodic[axis]).map(period).collect();
    if periods.is_empty() { "no periodic axes".to_owned() } else { format!("periodic axes {}", periods.join(", ")) }
}

/// Removes the particles that new bodies cover; returns their number.
fn displace(particles: &mut Particles, new: &[&Body], settings: &FluidSettings) -> u64 {
    let covered = covered(particles, new, settings);
    particles.remove(&covered);
    covered.len() as u64
}

/// Indices of the particles inside `bodies`, and of those closer to one than a particle radius, which would be pushed away violently.
pub(super) fn covered(particles: &Particles, bodies: &[&Body], settings: &FluidSettings) -> Vec<u32> {
    let obstacles = Obstacles::new(bodies, &settings.domain, settings.particle_radius);
    particles.places_where(|position| obstacles.take(position.as_dvec3()))
}
