//! Errors when a simulation of aggregates is set up.

use plimsoll_contract::simulator::Interrupted;

/// Why a simulation cannot start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AggregateError {
    /// The user interrupted the setup.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// There is no room for a sphere.
    #[error("only {placed} of {count} spheres fit: use a smaller volume_fraction")]
    NoRoom {
        /// Number of spheres requested.
        count: usize,
        /// Number of spheres placed.
        placed: usize,
    },
    /// The box is narrower than three diameters.
    #[error(
        "the box is too small: its side is {side} m, it must be at least three diameters of the largest sphere ({diameter} m); use more spheres or a smaller volume_fraction"
    )]
    BoxTooSmall {
        /// Length of a side, m.
        side: f64,
        /// Diameter of the sphere, m.
        diameter: f64,
    },
}

impl AggregateError {
    /// The key of the scene that the error concerns.
    pub fn key(&self) -> &'static str {
        match self {
            Self::NoRoom { .. } => "aggregates.volume_fraction",
            Self::BoxTooSmall { .. } => "aggregates.count",
            Self::Interrupted(_) => "aggregates",
        }
    }
}
