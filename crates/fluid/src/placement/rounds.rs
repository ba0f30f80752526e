//! Rounds of displacements: how placed fluid moves before the first step.
//!
//! The rounds reuse the system of pressure with a time step of one second, so that velocities and accelerations are displacements. Bodies
//! are held at rest, and no particle crosses a triangle.

use std::sync::Arc;

use glam::{Mat3A, Vec3A};
use plimsoll_base::math::parallel::{InTasks, TASK};
use plimsoll_bodies::Body;
use plimsoll_contract::simulator::Watch;
use rayon::prelude::*;

use crate::{
    FluidSettings,
    coupling::{BodyResponse, WallSearch},
    neighbourhood::Neighbourhood,
    particles::Particles,
    path_check::{PathScene, Stop},
    pressure::{ConjugateGradients, Load, PressureSystem, SolveLimits},
    walls::WallSurface,
};

/// Maximum displacement of a particle in a round, in particle radii.
const STRIDE: f32 = 0.2;
/// Maximum number of sweeps of a solve.
const SWEEPS: u32 = 50;

/// Fluid among bodies that moves in rounds.
pub struct Rounds<'a> {
    pub settings: &'a FluidSettings,
    pub watch: &'a dyn Watch,
    bodies: &'a [Body],
    response: BodyResponse,
    neighbourhood: Neighbourhood,
    walls: WallSearch,
    solver: ConjugateGradients,
    isotropy: Vec<Mat3A>,
    sources: Vec<f32>,
    /// Positions before the last push, m: the buffer of the next ones.
    pub last_positions: Vec<Vec3A>,
}

impl<'a> Rounds<'a> {
    pub fn new(settings: &'a FluidSettings, bodies: &'a [Body], watch: &'a dyn Watch) -> Self {
        Self {
            settings,
            watch,
            bodies,
            response: BodyResponse::fixed(bodies),
            neighbourhood: Neighbourhood::default(),
            walls: WallSearch::default(),
            solver: ConjugateGradients::default(),
            isotropy: Vec::new(),
            sources: Vec::new(),
            last_positions: Vec::new(),
        }
    }

    /// The surfaces of the bodies, ready for integration.
    pub fn into_surfaces(self) -> Vec<Arc<WallSurface>> {
        self.walls.surfaces
    }

    /// Finds pairs, walls and densities.
    pub fn search(&mut self, particles: &mut Particles) {
        particles.wrap(&self.settings.domain, |_, _, _| {});
        self.neighbourhood.find_pairs(self.settings, particles);
        self.walls.update(self.bodies, &self.neighbourhood.grid, &particles.positions, self.settings.wall_cutoff());
        self.neighbourhood.compute_densities(self.settings, particles, &self.walls.contacts, &mut self.isotropy);
    }

    /// Moves the particles by the displacements `wanted`, corrected so that they do not become too dense: the mean density error is at most
    /// `tolerance` percent. Starts from the pressures of the last round.
    pub fn push(&mut self, particles: &mut Particles, wanted: &[Vec3A], tolerance: f64) {
        let Self { settings, response, neighbourhood, walls, solver, sources, .. } = self;
        let Particles { positions, inverse_masses, relative_densities, density_pressures, .. } = particles;
        let volume = settings.particle_volume() as f32;
        let (pairs, contacts) = (&neighbourhood.pairs, &walls.contacts);
        relative_densities.par_iter().map(|s| s - 1.0).in_tasks(TASK).collect_into(sources);
        let load = Load { dt: 1.0, velocities: wanted, sources };
        let system = PressureSystem { volume, positions, inverse_masses, pairs, contacts, compliance: 0.0, response, load };
        let limits = SolveLimits { tolerance_percent: tolerance, iterations: SWEEPS, least: 0, percent_per_residual: 100.0 };
        solver.solve(&system, density_pressures, limits);
        let impulses = solver.impulses(&system, density_pressures);
        let stride = STRIDE * settings.particle_radius as f32;
        let moved = positions.par_iter().zip(wanted).zip(impulses).zip(inverse_masses);
        let moved = moved.map(|(((&position, &wanted), &impulse), &mut w)| position + (wanted + w * impulse).clamp_length_max(stride));
        moved.in_tasks(TASK).collect_into(&mut self.last_positions);
        std::mem::swap(positions, &mut self.last_positions);
        for stop in self.stops(particles, self.settings.wall_clearance()) {
            particles.positions[stop.particle as usize] = stop.target.as_vec3a();
        }
    }

    /// Moves the particles by the displacements `wanted`, without pressure. Those that would come closer to a triangle than `clearance` (m)
    /// stay.
    ///
    /// Displacements must be shorter than the cutoff of walls.
    pub fn displace(&mut self, particles: &mut Particles, wanted: &[Vec3A], clearance: f64) {
        let positions = &mut particles.positions;
        positions
            .par_iter()
            .zip(wanted)
            .map(|(&position, &wanted)| position + wanted)
            .in_tasks(TASK)
            .collect_into(&mut self.last_positions);
        std::mem::swap(positions, &mut self.last_positions);
        for stop in self.stops(particles, clearance) {
            let place = stop.particle as usize;
            particles.positions[place] = self.last_positions[place];
        }
    }

    /// The particles that have come too close to a triangle.
    fn stops(&self, particles: &Particles, clearance: f64) -> Vec<Stop> {
        let Self { bodies, walls, settings, .. } = self;
        let (surfaces, near) = (&walls.surfaces, &walls.mapping.near);
        let scene = PathScene { bodies, surfaces, deformed: &[], near, domain: &settings.domain, clearance };
        scene.stops(&walls.contacts, &self.last_positions, |i| Some(particles.positions[i].as_dvec3()))
    }
}
