//! Why a simulation of aggregates cannot begin.

/// Why a simulation cannot begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AggregateError {
    #[error("{count} spheres: found room for {placed} of them at random, expected room for all; take a smaller volume_fraction")]
    NoRoom { count: usize, placed: usize },
    #[error(
        "a box with sides of {side} m: found it too narrow for a sphere of diameter {diameter} m, expected at least three diameters; take more spheres or a smaller volume_fraction"
    )]
    BoxTooSmall { side: f64, diameter: f64 },
}
