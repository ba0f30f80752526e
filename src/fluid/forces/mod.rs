//! Forces other than pressure, a file per term. To add one, write its file and list it in `TERMS`.

mod gravity;
mod stirring;
mod term;
mod viscosity;
mod wall_friction;

use glam::Vec3A;
use term::{ForceContext, Impulses, Term};

use crate::{
    bodies::Bodies,
    fluid::{
        FluidSettings,
        coupling::{BodyResponse, Cause, Ledger, WallContacts},
        neighbourhood::PairGradients,
        particles::Particles,
    },
    simulator::Stirring,
};

/// All terms, in the order in which they act; each acts on the velocities that the one before has left.
const TERMS: [Term; 4] = [viscosity::TERM, wall_friction::TERM, gravity::TERM, stirring::TERM];

/// The forces of the fluid, with their buffers.
#[derive(Clone, Debug, Default)]
pub struct Forces {
    impulses: Impulses,
}

/// What forces act on in a step.
pub struct ForceScene<'a> {
    pub settings: &'a FluidSettings,
    pub pairs: &'a PairGradients,
    pub contacts: &'a WallContacts,
    pub stirring: Option<Stirring>,
}

impl Forces {
    /// Lets all terms act over `dt` (s).
    pub fn apply(&mut self, scene: &ForceScene, dt: f64, particles: &mut Particles, bodies: &mut Bodies, ledger: &mut Ledger) {
        let &ForceScene { settings, pairs, contacts, stirring } = scene;
        for term in &TERMS {
            let response = BodyResponse::of(&bodies.list);
            let Particles { positions, velocities, inverse_masses, .. } = &*particles;
            let response = &response;
            let context = ForceContext { settings, dt, positions, velocities, inverse_masses, pairs, contacts, response, stirring };
            if !(term.is_active)(&context) {
                continue;
            }
            self.impulses.on_bodies.clear();
            self.impulses.on_particles.clear();
            self.impulses.on_particles.resize(particles.len(), Vec3A::ZERO);
            (term.impulses)(&context, &mut self.impulses);
            ledger.push_particles(particles, &self.impulses.on_particles, term.origin, settings.particle_mass());
            ledger.push_bodies(bodies, self.impulses.on_bodies.iter().copied(), 1.0, Cause::Friction);
        }
    }
}
