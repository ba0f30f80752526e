//! Relaxation of placed fluid before the first step.
//!
//! Where the lattice was carved, it is too dense and would expand violently. Relaxation changes positions, not velocities: particles move
//! as the pressure solve would move fluid at rest without gravity, until no density exceeds the rest density by more than two thousandths.
//! If that is not reached, particles that exceed it by more than a hundredth have no room and are dropped.
//!
//! Fluid that should start at rest is also settled: gravity moves it in the same way, with damped displacements carried over from the last
//! round, until it hardly moves. A lattice is not a state of rest: its surface packs more densely than its inside, which would set the pool
//! in motion.

use glam::{DVec3, Mat3A, Vec3A};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bodies::Body,
    fluid::{
        FluidSettings,
        coupling::{BodyResponse, WallSearch},
        neighbourhood::Neighbourhood,
        particles::Particles,
        path_check::PathScene,
        pressure::{ConjugateGradients, Load, PressureSystem, SolveLimits},
        walls::WallSurface,
    },
    math::parallel::max,
    simulator::{Interrupted, Watch},
};

/// Target for the maximum excess of density, relative to the rest density.
const EXCESS: f32 = 0.002;
const ROUNDS: u32 = 60;
/// Maximum excess of density allowed after these rounds: denser particles have no room.
const MAX_EXCESS: f32 = 0.01;
/// Tolerance of the mean density error in the solve of a round, percent. It is small because the few particles along an edge that are too
/// dense contribute little to a mean over all.
const TOLERANCE: f64 = 1e-4;
/// Maximum displacement of a particle in a round, in particle radii.
const STRIDE: f32 = 0.2;
/// How far gravity moves a particle in the first and the last round of settling, in particle radii: strongly at first, and at the end about
/// as far as in a typical step. With a smaller first value a few particles stay caught between the layers along a wall and fall into place
/// after the start.
const SETTLING_FALLS: [f64; 2] = [0.16, 0.02];
/// Share of the last round's displacement that is carried over in settling.
const SETTLING_KEPT: f32 = 0.95;
const SETTLING_ROUNDS: u32 = 600;

/// Result of the relaxation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relaxation {
    pub rounds: u32,
    /// Maximum excess of density, relative to the rest density.
    pub excess: f32,
    pub dropped: u64,
    pub settled: bool,
}

impl Relaxation {
    /// A warning for the user if particles were dropped.
    pub fn warning(&self) -> Option<String> {
        (self.dropped > 0).then(|| format!("{} placed particles had no room and were left out", self.dropped))
    }
}

/// Relaxes `particles` among `bodies`, which are held at rest. Also returns the surfaces of the bodies, for reuse.
///
/// # Errors
/// `watch` interrupts.
pub fn relax(
    settings: &FluidSettings,
    particles: &mut Particles,
    bodies: &[Body],
    watch: &dyn Watch,
) -> Result<(Relaxation, Vec<WallSurface>), Interrupted> {
    let mut relaxer = Relaxer::new(settings, bodies, watch);
    let mut relaxation = Relaxation::default();
    relaxer.remove_excess(particles, &mut relaxation)?;
    if settings.settle && settings.gravity != DVec3::ZERO {
        relaxer.settle(particles)?;
        relaxation.settled = true;
    }
    // The pressures of the relaxation are not pressures of the fluid.
    particles.density_pressures.fill(0.0);
    particles.divergence_pressures.fill(0.0);
    Ok((relaxation, relaxer.walls.surfaces))
}

struct Relaxer<'a> {
    settings: &'a FluidSettings,
    bodies: &'a [Body],
    watch: &'a dyn Watch,
    response: BodyResponse,
    neighbourhood: Neighbourhood,
    walls: WallSearch,
    solver: ConjugateGradients,
    corrections: Vec<Vec3A>,
    isotropy: Vec<Mat3A>,
}

impl<'a> Relaxer<'a> {
    fn new(settings: &'a FluidSettings, bodies: &'a [Body], watch: &'a dyn Watch) -> Self {
        Self {
            settings,
            bodies,
            watch,
            response: BodyResponse::fixed(bodies),
            neighbourhood: Neighbourhood::default(),
            walls: WallSearch::default(),
            solver: ConjugateGradients::default(),
            corrections: Vec::new(),
            isotropy: Vec::new(),
        }
    }

    /// Finds pairs, walls and densities.
    fn search(&mut self, particles: &mut Particles) {
        particles.wrap(&self.settings.domain, |_, _, _| {});
        self.neighbourhood.find_pairs(self.settings, particles);
        self.walls.update(self.bodies, &self.neighbourhood.grid, &particles.positions, self.settings.wall_cutoff());
        self.neighbourhood.compute_densities(self.settings, particles, &self.walls.contacts, &mut self.isotropy);
    }

    fn remove_excess(&mut self, particles: &mut Particles, relaxation: &mut Relaxation) -> Result<(), Interrupted> {
        loop {
            self.search(particles);
            relaxation.excess = max(particles.len(), |i| particles.relative_densities[i] - 1.0);
            let done = relaxation.rounds >= ROUNDS;
            if relaxation.excess <= if done { MAX_EXCESS } else { EXCESS } {
                return Ok(());
            }
            if !done {
                relaxation.rounds += 1;
                self.watch.progress("relaxing fluid", relaxation.rounds as usize, ROUNDS as usize)?;
                particles.density_pressures.fill(0.0);
                let still = vec![Vec3A::ZERO; particles.len()];
                self.round(particles, &still);
            } else {
                let dense: Vec<bool> = particles.relative_densities.iter().map(|s| s - 1.0 > MAX_EXCESS).collect();
                relaxation.dropped += dense.iter().filter(|&&dense| dense).count() as u64;
                relaxation.rounds = 0;
                particles.retain(|index| !dense[index]);
            }
        }
    }

    fn settle(&mut self, particles: &mut Particles) -> Result<(), Interrupted> {
        let [first, last] = SETTLING_FALLS;
        let down = self.settings.gravity.normalize() * self.settings.particle_radius;
        // The velocity array carries the displacements through the sorting; the fluid's velocities are restored by id.
        let mut velocities = vec![Vec3A::ZERO; particles.len()];
        for (&id, &velocity) in particles.ids.iter().zip(&particles.velocities) {
            velocities[id as usize] = velocity;
        }
        particles.velocities.fill(Vec3A::ZERO);
        particles.density_pressures.fill(0.0);
        for round in 0..SETTLING_ROUNDS {
            self.watch.progress("settling fluid", round as usize, SETTLING_ROUNDS as usize)?;
            let fall = (down * first * (last / first).powf(f64::from(round) / f64::from(SETTLING_ROUNDS))).as_vec3a();
            self.search(particles);
            let wanted: Vec<Vec3A> = particles.velocities.par_iter().map(|&last| fall + SETTLING_KEPT * last).collect();
            let before = particles.positions.clone();
            self.round(particles, &wanted);
            let moved = particles.velocities.par_iter_mut().zip(&particles.positions).zip(&before);
            moved.for_each(|((displacement, &after), &before)| *displacement = after - before);
        }
        for (velocity, &id) in particles.velocities.iter_mut().zip(&particles.ids) {
            *velocity = velocities[id as usize];
        }
        Ok(())
    }

    /// Moves the particles by the displacements `wanted`, corrected so that they do not become too dense.
    fn round(&mut self, particles: &mut Particles, wanted: &[Vec3A]) {
        let Self { settings, bodies, response, neighbourhood, walls, solver, corrections, .. } = self;
        let Particles { positions, inverse_masses, relative_densities, density_pressures, .. } = particles;
        let volume = settings.particle_volume() as f32;
        let (pairs, contacts) = (&neighbourhood.pairs, &walls.contacts);
        // With a time step of one second, velocities and accelerations are displacements.
        let sources: Vec<f32> = relative_densities.iter().map(|s| s - 1.0).collect();
        let load = Load { dt: 1.0, velocities: wanted, sources: &sources };
        let system = PressureSystem { volume, positions, inverse_masses, pairs, contacts, compliance: 0.0, response, load };
        let limits = SolveLimits { tolerance_percent: TOLERANCE, iterations: 50, least: 0, percent_per_residual: 100.0 };
        solver.solve(&system, density_pressures, limits);
        corrections.resize(wanted.len(), Vec3A::ZERO);
        system.accelerate(density_pressures, corrections);
        let stride = STRIDE * settings.particle_radius as f32;
        let start = &*positions;
        let target = |i: usize| start[i] + (wanted[i] + corrections[i]).clamp_length_max(stride);
        let scene = PathScene {
            bodies,
            surfaces: &walls.surfaces,
            near: &walls.mapping.near,
            domain: &settings.domain,
            clearance: settings.wall_clearance(),
        };
        let stops = scene.stops(contacts, start, |i| Some(target(i).as_dvec3()));
        let mut moved: Vec<Vec3A> = (0..wanted.len()).into_par_iter().map(target).collect();
        for stop in stops {
            moved[stop.particle as usize] = stop.target.as_vec3a();
        }
        *positions = moved;
    }
}
