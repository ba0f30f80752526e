//! Finds the first collision: broad phase, narrow phase, and the published algorithms.

mod advancement;
mod contact;
mod face;
mod images;
mod region;
mod rounds;
mod sampling;
mod window;

use serde::{Deserialize, Serialize};

use super::cluster::{Cluster, Motion};

pub use contact::{Contact, DEEPEST, Encounter, TOLERANCE};
pub use face::{FaceContact, first_face_contact};
pub use images::images;
pub use region::{DetectionRegion, Extremes};
pub use rounds::{Algorithm, first_collision};
pub use window::window;

/// How to find the first contact of two clusters within a time window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NarrowPhase {
    /// Steps that provably cannot miss a contact.
    #[default]
    Advancement,
    /// Samples with refinement.
    Sampling,
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
