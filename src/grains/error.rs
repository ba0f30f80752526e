//! Errors at the setup of grains.

use glam::DVec3;

use crate::simulator::Interrupted;

/// Error at the setup of grains.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GrainsError {
    /// The user interrupted the preparation.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// There is not enough room for all grains of a group.
    #[error(
        "{count} grains of about radius {radius} m: found room for {placed} of them, expected room for all; take fewer, or a larger region"
    )]
    NoRoom {
        /// Number of grains requested for the group.
        count: usize,
        /// Radius of the grain that could not be placed, m.
        radius: f64,
        /// Number of grains of the group that were placed.
        placed: usize,
    },
    /// A periodic axis is too short for the largest grains.
    #[error("axis {axis}: found a period of {found} m, expected at least {least} m, so that no grain touches another twice")]
    PeriodTooShort {
        /// Name of the axis.
        axis: &'static str,
        /// Length of the period, m.
        found: f64,
        /// Required length, m.
        least: f64,
    },
    /// A grain starts inside another one, a wall or a body.
    #[error("grain at {position}: found it to overlap {other} by {overlap} m, expected at most a tenth of its radius, {radius} m")]
    Overlap {
        /// Center of the grain, m.
        position: DVec3,
        /// The object it overlaps.
        other: String,
        /// Depth of the overlap, m.
        overlap: f64,
        /// Radius of the grain, m.
        radius: f64,
    },
    /// The time step is too long.
    #[error("a time step of {found} s, expected at most {most} s: {reason}; about {advised} s would do")]
    TimeStep {
        /// Time step of the scene, s.
        found: f64,
        /// Longest time step allowed, s.
        most: f64,
        /// Recommended time step, s.
        advised: f64,
        /// Reason for the limit.
        reason: &'static str,
    },
    /// The scene has no grains.
    #[error("found no grain, expected at least one")]
    Empty,
}
