//! Definition of a force: the state it depends on and the impulses it writes.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::parallel::{InTasks, TASK};
use plimsoll_contract::simulator::Stirring;
use rayon::prelude::*;

use super::viscosity::{linear_flow::LinearFlows, particle_factors::ParticleFactors};
use crate::{
    FluidSettings,
    coupling::{BodyResponse, Origin, WallContacts, Wrench},
    neighbourhood::Pairs,
};

/// A force term.
pub struct Term {
    /// Where its impulses come from.
    pub origin: Origin,
    /// Whether the term acts now.
    pub is_active: fn(&ForceContext) -> bool,
    /// Writes the impulses of the step.
    pub impulses: fn(&ForceContext, &mut Impulses),
}

/// All state that a force may depend on.
#[derive(Clone, Copy)]
pub struct ForceContext<'a> {
    pub settings: &'a FluidSettings,
    /// Length of the step, s.
    pub dt: f64,
    pub positions: &'a [Vec3A],
    pub velocities: &'a [Vec3A],
    pub spins: &'a [Vec3A],
    pub inverse_masses: &'a [f32],
    /// Indices of the materials.
    pub materials: &'a [u8],
    pub relative_densities: &'a [f32],
    pub pairs: &'a Pairs,
    pub contacts: &'a WallContacts,
    pub response: &'a BodyResponse,
    /// Changes of velocity by acceleration fields, m/s; empty without any.
    pub field_changes: &'a [Vec3A],
    pub stirring: Option<Stirring>,
}

/// Output of a force. Buffers are reused from step to step.
#[derive(Clone, Debug, Default)]
pub struct Impulses {
    /// On each particle, N s.
    pub on_particles: Vec<Vec3A>,
    /// On the spin of each particle, N m s; left empty by terms without.
    pub on_spins: Vec<Vec3A>,
    /// On each body by friction, N s; left empty by terms without.
    pub on_bodies: Vec<Wrench>,
    /// On each body by attraction, N s; left empty by terms without. It counts with the pressure, which balances it.
    pub attraction: Vec<Wrench>,
    /// Work of both on surfaces that deform, J.
    pub surface_work: f64,
    /// Between particle and body at each wall contact, N s; a buffer of the shear at walls.
    pub at_contacts: Vec<DVec3>,
    /// Buffers of surface tension.
    pub normals: Vec<Vec3A>,
    pub images: Vec<Vec3A>,
    pub by_images: Vec<Vec3A>,
    /// Buffers of viscosity.
    pub flows: LinearFlows,
    pub factors: ParticleFactors,
    /// Buffers of hyperviscosity and of the coupling to spins.
    pub copied: LinearFlows,
    pub deviations: Vec<Vec3A>,
}

impl Impulses {
    /// Sets all impulses to zero, for `particles` particles.
    pub fn clear(&mut self, particles: usize) {
        self.on_spins.clear();
        self.on_bodies.clear();
        self.attraction.clear();
        self.surface_work = 0.0;
        self.on_particles.resize(particles, Vec3A::ZERO);
        self.on_particles.par_chunks_mut(TASK).in_tasks(1).for_each(|impulses| impulses.fill(Vec3A::ZERO));
    }
}
