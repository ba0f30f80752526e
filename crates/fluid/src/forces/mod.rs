//! Forces other than pressure, one file per term. To add one, write its file and list it in `TERMS`.

mod acceleration;
mod air;
mod damping;
mod gravity;
mod stirring;
mod surface_tension;
mod term;
mod viscosity;

use glam::{Mat3A, Vec3A};
use plimsoll_contract::simulator::Stirring;
use term::{ForceContext, Impulses, Term};
pub use viscosity::Predicted;
use viscosity::{ViscositySolve, hyper, micropolar, wall_shear};

use crate::{
    acceleration::{FieldError, FieldStep},
    coupling::{BodyResponse, Cause, Origin, Pushed},
    particles::Particles,
    pressure::SolveReport,
    step_scene::StepScene,
};

/// All terms, in the order in which they act; each acts on the velocities left by the previous one.
const TERMS: [Term; 10] = [
    micropolar::TERM,
    hyper::TERM,
    viscosity::TERM,
    wall_shear::TERM,
    surface_tension::TERM,
    damping::TERM,
    gravity::TERM,
    acceleration::TERM,
    air::TERM,
    stirring::TERM,
];

/// The forces of the fluid, with their buffers.
#[derive(Clone, Debug, Default)]
pub struct Forces {
    impulses: Impulses,
    viscosity: ViscositySolve,
    field_changes: Vec<Vec3A>,
}

impl Forces {
    /// The isotropy corrections of the particles, until viscosity needs their memory.
    pub fn corrections(&mut self) -> &mut Vec<Mat3A> {
        &mut self.impulses.flows.stresses
    }

    /// Applies all terms over the step.
    ///
    /// # Errors
    /// A value of `fields` is not finite; then nothing is applied.
    pub fn apply(
        &mut self,
        scene: &StepScene,
        fields: &FieldStep,
        stirring: Option<Stirring>,
        pushed: &mut Pushed,
    ) -> Result<(), FieldError> {
        let &StepScene { settings, pairs, contacts, dt } = scene;
        self.field_changes.clear();
        if !fields.is_empty() {
            fields.change_fluid(&pushed.particles.positions, &mut self.field_changes)?;
        }
        for term in &TERMS {
            let response = &BodyResponse::of(pushed.bodies);
            let Particles { positions, velocities, spins, inverse_masses, materials, relative_densities, .. } = &*pushed.particles;
            let field_changes = &self.field_changes;
            let context = ForceContext {
                settings,
                dt,
                positions,
                velocities,
                spins,
                inverse_masses,
                materials,
                relative_densities,
                pairs,
                contacts,
                response,
                field_changes,
                stirring,
            };
            if !(term.is_active)(&context) {
                continue;
            }
            self.impulses.clear(positions.len());
            (term.impulses)(&context, &mut self.impulses);
            let Pushed { particles, bodies, ledger } = pushed;
            ledger.push_particles(particles, &self.impulses.on_particles, term.origin, &settings.masses());
            ledger.push_spins(particles, &self.impulses.on_spins, settings);
            ledger.push_bodies(bodies, self.impulses.on_bodies.iter().copied(), 1.0, Cause::Friction);
            ledger.push_bodies(bodies, self.impulses.attraction.iter().copied(), 1.0, Cause::Pressure);
            ledger.work -= self.impulses.surface_work;
        }
        Ok(())
    }

    /// Applies implicit viscosity to fluid and bodies that would otherwise move as `predicted`.
    pub fn resist(&mut self, scene: &StepScene, response: &BodyResponse, predicted: Predicted, pushed: &mut Pushed) -> SolveReport {
        let Pushed { particles, bodies, ledger } = pushed;
        let Self { impulses, viscosity, .. } = self;
        let (on_particles, on_bodies, surface_work, report) =
            viscosity.solve(scene, particles, response, predicted, &mut impulses.flows.stresses);
        ledger.push_particles(particles, on_particles, Origin::Inside, &scene.settings.masses());
        ledger.push_bodies(bodies, on_bodies.into_iter(), 1.0, Cause::Friction);
        ledger.work -= surface_work;
        report
    }
}
