//! Forces other than pressure, one file per term. To add one, write its file and list it in `TERMS`.

mod damping;
mod gravity;
mod linear_flow;
mod stirring;
mod surface_tension;
mod term;
mod viscosity;
mod wall_shear;

use glam::Mat3A;
use term::{ForceContext, Impulses, Term};

use crate::{
    fluid::{
        coupling::{BodyResponse, Cause, Pushed},
        particles::Particles,
        step_scene::StepScene,
    },
    simulator::Stirring,
};

/// All terms, in the order in which they act; each acts on the velocities left by the previous one.
const TERMS: [Term; 6] = [viscosity::TERM, wall_shear::TERM, surface_tension::TERM, damping::TERM, gravity::TERM, stirring::TERM];

/// The forces of the fluid, with their buffers.
#[derive(Clone, Debug, Default)]
pub struct Forces {
    impulses: Impulses,
}

impl Forces {
    /// The isotropy corrections of the particles, until viscosity needs their memory.
    pub fn corrections(&mut self) -> &mut Vec<Mat3A> {
        &mut self.impulses.flows.stresses
    }

    /// Applies all terms over the step.
    pub fn apply(&mut self, scene: &StepScene, stirring: Option<Stirring>, pushed: &mut Pushed) {
        let &StepScene { settings, pairs, contacts, dt } = scene;
        for term in &TERMS {
            let response = &BodyResponse::of(pushed.bodies);
            let Particles { positions, velocities, inverse_masses, materials, .. } = &*pushed.particles;
            let context =
                ForceContext { settings, dt, positions, velocities, inverse_masses, materials, pairs, contacts, response, stirring };
            if !(term.is_active)(&context) {
                continue;
            }
            self.impulses.clear(positions.len());
            (term.impulses)(&context, &mut self.impulses);
            let Pushed { particles, bodies, ledger } = pushed;
            ledger.push_particles(particles, &self.impulses.on_particles, term.origin, &settings.masses());
            ledger.push_bodies(bodies, self.impulses.on_bodies.iter().copied(), 1.0, Cause::Friction);
        }
    }
}
