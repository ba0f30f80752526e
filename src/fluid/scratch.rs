//! What a step computes anew: search structures, contacts, room for the solvers. Never part of a checkpoint.

use glam::Vec3A;

use crate::{
    bodies::{Bodies, Body, Mapping},
    fluid::{
        FluidSettings,
        particles::{Kernel, Links, Particles},
        placement::Held,
        pressure::ConjugateGradients,
        record::Stage,
        wall::{WallContacts, WallTriangle},
    },
    search::CellGrid,
    timing::StageTimes,
};

/// Scratch of a fluid simulation.
#[derive(Default)]
pub struct Scratch {
    pub kernel: Option<Kernel>,
    pub grid: CellGrid,
    pub links: Links,
    pub mapping: Mapping,
    pub contacts: WallContacts,
    /// The triangles of each body's segments, ready for integration.
    pub triangles: Vec<Vec<WallTriangle>>,
    pub solver: ConjugateGradients,
    pub accelerations: Vec<Vec3A>,
    /// Particles in the nozzles of emitters.
    pub held: Vec<Held>,
    pub times: StageTimes<Stage>,
}

impl Scratch {
    pub fn new(settings: &FluidSettings, bodies: &Bodies) -> Self {
        let triangles = bodies.list.iter().map(wall_triangles).collect();
        Self { kernel: Some(Kernel::new(support_radius(settings) as f32)), triangles, ..Self::default() }
    }

    pub fn kernel(&self) -> Kernel {
        self.kernel.expect("scratch is made for settings")
    }

    /// Sorts the particles and finds who is near whom: particles, walls, kernel gradients, densities.
    pub fn search(&mut self, settings: &FluidSettings, particles: &mut Particles, bodies: &[Body]) {
        let kernel = self.kernel();
        particles.sort(&mut self.grid, kernel.support_radius());
        self.links.neighbours.rebuild(&self.grid, &particles.positions);
        self.times.finish(Stage::Neighbours);
        let reach = wall_reach(settings);
        self.mapping.update(bodies, &self.grid, &particles.positions, reach);
        self.contacts.integrate(bodies, &self.triangles, &self.mapping, &particles.positions, reach);
        self.times.finish(Stage::Walls);
        let (mass, rest_density) = (particle_mass(settings) as f32, settings.density as f32);
        particles.densities = self.links.update(&kernel, mass, rest_density, &particles.positions, &self.contacts);
        self.accelerations.resize(particles.len(), Vec3A::ZERO);
        self.times.finish(Stage::Densities);
    }
}

/// Support radius of the kernel, m.
pub fn support_radius(settings: &FluidSettings) -> f64 {
    4.0 * settings.particle_radius
}

/// Distance up to which a wall acts on a particle, m.
pub fn wall_reach(settings: &FluidSettings) -> f64 {
    2.0 * settings.particle_radius
}

/// Mass of a particle, kg.
pub fn particle_mass(settings: &FluidSettings) -> f64 {
    settings.density * (2.0 * settings.particle_radius).powi(3)
}

fn wall_triangles(body: &Body) -> Vec<WallTriangle> {
    let segmentation = &body.segmentation;
    let corners = (0..segmentation.mesh.triangles.len()).map(|index| segmentation.mesh.corners(index));
    corners.zip(&segmentation.sharp_edges).map(|(corners, &sharp)| WallTriangle::new(corners, sharp)).collect()
}
