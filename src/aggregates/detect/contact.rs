//! What a contact of two clusters is, and how deep it may be.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Two spheres count as touching when `ε = |x_m − x_n| / (r_m + r_n)` is between this and one.
pub const DEEPEST: f64 = 0.95;

/// `1 − ε` of a contact found by [`super::NarrowPhase::Advancement`] is between this and twice this.
pub const TOLERANCE: f64 = 1e-6;

/// A contact of two clusters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// Seconds from the instant for which the motions were given.
    pub time: f64,
    /// Of the deepest pair.
    pub epsilon: f64,
    /// The deepest pair, by places among the members.
    pub members: [u32; 2],
}

/// The first collision of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter {
    /// Places in the population, the lower first.
    pub pair: [usize; 2],
    /// By which the second is shifted to meet the first, m.
    pub shift: DVec3,
    /// When and where the two touch.
    pub contact: Contact,
}
