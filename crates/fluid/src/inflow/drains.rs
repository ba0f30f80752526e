//! Drains: boxes that remove the fluid inside them.

use plimsoll_base::math::Aabb;

use crate::particles::Particles;

/// Indices of the particles in any of the `drains`, in increasing order.
pub fn drained(drains: &[Aabb], particles: &Particles) -> Vec<u32> {
    if drains.is_empty() {
        return Vec::new();
    }
    particles.places_where(|position| drains.iter().any(|drain| drain.contains(position.as_dvec3())))
}
