//! Drains: boxes that remove the fluid inside them.

use rayon::prelude::*;

use crate::{fluid::particles::Particles, math::Aabb};

/// Indices of the particles in any of the `drains`, in increasing order.
pub fn drained(drains: &[Aabb], particles: &Particles) -> Vec<u32> {
    if drains.is_empty() {
        return Vec::new();
    }
    let within = |place: &usize| drains.iter().any(|drain| drain.contains(particles.positions[*place].as_dvec3()));
    (0..particles.len()).into_par_iter().filter(within).map(|place| place as u32).collect()
}
