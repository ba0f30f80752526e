//! Stiffness of contacts, and the substeps that it needs.
//!
//! Contacts of the library are springs of angular frequency ω times their effective mass, so that a contact that carries the force F with n points, where a
//! mass m moves, is 4 F / (n m ω²) deep. The frequency is chosen so that this is a small share of the size of the smallest body, also under a stack or a
//! heavy body.

use std::f64::consts::TAU;

use rapier3d_f64::prelude::{IntegrationParameters, PhysicsWorld, RigidBodyHandle};
use serde::{Deserialize, Serialize};

/// Diagonal of the body for which rates and speeds are those of the library, m.
const REFERENCE_SIZE: f64 = 0.05;
/// Frequency of contacts relative to the library's default. With the default, bodies settle for a second, and creep while they do.
const MIN_FACTOR: f64 = 8.0;
/// This holds a thousand times the weight (`crates/bodies/tests/bodies/contacts.rs`); more costs substeps.
const MAX_FACTOR: f64 = 112.0;
/// Depth of a contact at rest relative to the length unit.
const DEPTH: f64 = 2e-4;
/// The factor is set to this times what the loads want, and falls by `DECAY` in a step in which they want less than `LESS` of it: contacts at rest must not
/// change their stiffness all the time.
const MARGIN: f64 = 1.25;
const LESS: f64 = 0.6;
const DECAY: f64 = 0.95;
/// Largest phase by which a contact oscillates in a substep, rad. Beyond, stacks creep and gain energy.
const PHASE: f64 = 0.6;
/// Within this distance, relative to the length unit, contacts are found before bodies touch.
const PREDICTION: f64 = 0.02;
/// The limit for fast bodies.
const MAX_PREDICTION: f64 = 0.25;
/// By how much that distance exceeds the way of the fastest body in a step.
const PREDICTION_MARGIN: f64 = 1.2;

/// What is the same in all worlds.
pub(super) fn configure(parameters: &mut IntegrationParameters) {
    // The speed limit scales with the length unit. This is far above any real speed.
    parameters.normalized_max_linear_velocity = 1e9;
    // It would reduce the contacts of a pair of bodies to four.
    parameters.contact_clustering = false;
    // Contacts are searched again as soon as bodies have moved by this, relative to the length unit. With the default, ten times as much, a body at
    // 4 m/s enters another by 7 mm; with zero stacks of ten creep.
    parameters.normalized_contact_recycle_distance = 0.005;
}

/// Makes the lengths of the library proportional to a body of this `size` (m), if it is the smallest one.
pub(super) fn scale_to(parameters: &mut IntegrationParameters, size: f64) {
    parameters.length_unit = parameters.length_unit.min(size);
}

/// How much stiffer contacts are than the default of the library.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Stiffness {
    factor: f64,
}

impl Default for Stiffness {
    /// The loads of bodies that touch at the start are not known.
    fn default() -> Self {
        Self { factor: MAX_FACTOR }
    }
}

impl Stiffness {
    /// Prepares a step of `dt` seconds in which no point of a body is faster than `speed` (m/s), with the loads of the last step.
    pub fn prepare(&mut self, world: &mut PhysicsWorld, dt: f64, speed: f64) {
        let wanted = Self::wanted(world);
        if wanted > self.factor {
            self.factor = (MARGIN * wanted).min(MAX_FACTOR);
        } else if wanted < LESS * self.factor {
            self.factor = (DECAY * self.factor).max(MIN_FACTOR);
        }
        let parameters = &mut world.integration_parameters;
        let default = IntegrationParameters::default();
        let rate = rate(parameters.length_unit);
        for (softness, default) in [
            (&mut parameters.contact_softness, default.contact_softness),
            (&mut parameters.static_contact_softness, default.static_contact_softness),
        ] {
            softness.natural_frequency = self.factor * rate * default.natural_frequency;
        }
        // In length units per second.
        parameters.normalized_max_corrective_velocity = self.factor * rate * default.normalized_max_corrective_velocity;
        parameters.dt = dt;
        let phase = TAU * parameters.contact_softness.natural_frequency * dt;
        parameters.num_solver_iterations = default.num_solver_iterations.max((phase / PHASE).ceil() as usize);
        let way = PREDICTION_MARGIN * speed * dt / parameters.length_unit;
        parameters.normalized_prediction_distance = way.clamp(PREDICTION, MAX_PREDICTION);
    }

    /// The factor with which no contact of the last step would be deeper than it should be.
    fn wanted(world: &PhysicsWorld) -> f64 {
        let parameters = &world.integration_parameters;
        let dt = parameters.dt;
        let default = IntegrationParameters::default();
        let mut square = 0.0_f64;
        for pair in world.narrow_phase.contact_pairs() {
            for manifold in pair.solver_manifolds() {
                let handles = [manifold.data.rigid_body1, manifold.data.rigid_body2];
                let masses = handles.map(|handle| handle.and_then(|handle| inverse_mass(world, handle)));
                let softness = if masses.contains(&None) { default.static_contact_softness } else { default.contact_softness };
                let inverse_mass: f64 = masses.into_iter().flatten().sum();
                let impulses = manifold.points.iter().map(|point| point.data.impulse).filter(|impulse| *impulse > 0.0);
                let (count, impulse) = impulses.fold((0, 0.0), |(count, sum), impulse| (count + 1, sum + impulse));
                if count > 0 {
                    let frequency = TAU * rate(parameters.length_unit) * softness.natural_frequency;
                    let depth = 4.0 * impulse / dt * inverse_mass / (f64::from(count) * frequency * frequency);
                    square = square.max(depth / (DEPTH * parameters.length_unit));
                }
            }
        }
        square.sqrt()
    }
}

/// Rates under gravity of a body of this `size` (m), relative to those of the reference: a tank of a millimeter behaves like one of a kilometer.
fn rate(size: f64) -> f64 {
    (REFERENCE_SIZE / size).sqrt()
}

/// Of a body that contacts move.
fn inverse_mass(world: &PhysicsWorld, handle: RigidBodyHandle) -> Option<f64> {
    let body = &world.bodies[handle];
    body.is_dynamic().then(|| 1.0 / body.mass())
}
