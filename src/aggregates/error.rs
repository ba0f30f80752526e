//! Errors when a simulation of aggregates is set up.

/// Why a simulation cannot start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AggregateError {
    /// There is no room for a sphere.
    #[error("{count} spheres: found room for {placed} of them at random, expected room for all; take a smaller volume_fraction")]
    NoRoom {
        /// Number of spheres requested.
        count: usize,
        /// Number of spheres placed.
        placed: usize,
    },
    /// The box is narrower than three diameters.
    #[error(
        "a box with sides of {side} m: found it too narrow for a sphere of diameter {diameter} m, expected at least three diameters; take more spheres or a smaller volume_fraction"
    )]
    BoxTooSmall {
        /// Length of a side, m.
        side: f64,
        /// Diameter of the sphere, m.
        diameter: f64,
    },
}
