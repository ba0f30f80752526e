//! Who meets whom first, and when: broad phase, narrow phase, and the algorithms of the literature.

mod advancement;
mod face;
mod images;
mod region;
mod rounds;
mod sampling;
mod window;

use serde::{Deserialize, Serialize};

use super::cluster::{Cluster, Motion};

pub use face::{FaceContact, first_face_contact};
pub use images::images;
pub use region::{DetectionRegion, Extremes};
pub use rounds::{Algorithm, Encounter, first_collision};
pub use window::window;

/// Two spheres count as touching when `ε = |x_m − x_n| / (r_m + r_n)` is between this and one.
pub const DEEPEST: f64 = 0.95;

/// `1 − ε` of a contact found by [`NarrowPhase::Advancement`] is between this and twice this.
pub const TOLERANCE: f64 = 1e-6;

/// How the first contact of two clusters within a window of time is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NarrowPhase {
    /// Steps that provably cannot miss a contact.
    #[default]
    Advancement,
    /// Samples that become denser.
    Sampling,
}

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

impl NarrowPhase {
    /// The first contact of `a` and `b` within `window` (s).
    pub fn first_contact(self, a: (&Cluster, &Motion), b: (&Cluster, &Motion), window: (f64, f64)) -> Option<Contact> {
        match self {
            Self::Advancement => advancement::first_contact(a, b, window),
            Self::Sampling => sampling::first_contact(a, b, window),
        }
    }
}
