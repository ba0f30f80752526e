//! A warning of floating bodies that are thinner than a particle.

use plimsoll_base::math::format::significant;
use plimsoll_fluid::FluidSettings;

use crate::{body::PlacedBody, read::Document};

/// Error of a draft, in particle radii: the maximum for boxes and plates from 0.5 to 4 radii high that are half as dense as the fluid
/// (`cargo test --release --test fluid small_bodies`).
const DRAFT_ERROR: f64 = 0.4;
/// Height, in particle radii, below which this error is more than half of it.
const LEAST: f64 = 0.8;

/// Warns of floating bodies whose draft is uncertain because they are thinner than a particle.
pub(crate) fn warn_of_thin_bodies(document: &Document, settings: &FluidSettings, bodies: &[PlacedBody]) {
    for body in bodies.iter().filter(|body| body.is_floating() && body.definition.presence.for_particles && body.size_hint.is_none()) {
        let size = body.definition.mesh.aabb().extent().min_element();
        if size < LEAST * settings.particle_radius {
            let text = format!(
                "the smallest extent of this body is {} m, {} times fluid.particle_radius: the height at which it floats has an error of up to \
                 {} m",
                significant(size),
                significant(size / settings.particle_radius),
                significant(DRAFT_ERROR * settings.particle_radius)
            );
            document.warn(body.line, &body.key, &text);
        }
    }
}
