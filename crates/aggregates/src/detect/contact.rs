//! A contact of two clusters, and its depth limits.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Two spheres count as touching if `ε = |x_m − x_n| / (r_m + r_n)` is between this and 1.
pub const DEEPEST: f64 = 0.95;

/// `1 − ε` of a contact found by [`super::NarrowPhase::Advancement`] is between one and two times this.
pub const TOLERANCE: f64 = 1e-6;

/// A contact of two clusters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// Seconds from the instant of the given motions.
    pub time: f64,
    /// Relative distance `ε` of the deepest pair.
    pub epsilon: f64,
    /// The deepest pair, as indices into the members.
    pub members: [u32; 2],
}

/// The first collision of all pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter {
    /// Places in the population, the lower first.
    pub pair: [usize; 2],
    /// Periodic shift of the second cluster with which it meets the first, m.
    pub shift: DVec3,
    /// Time and place of the contact.
    pub contact: Contact,
}
