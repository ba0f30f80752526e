//! Errors at the setup of grains.

use glam::DVec3;
use plimsoll_contract::simulator::Interrupted;

/// Error at the setup of grains.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GrainsError {
    /// The user interrupted the setup.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// There is not enough room for all grains of a group.
    #[error("only {placed} of {count} grains of about radius {radius} m fit: use fewer or a larger region")]
    NoRoom {
        /// Index of the group.
        group: usize,
        /// Number of grains requested for the group.
        count: usize,
        /// Radius of the grain that could not be placed, m.
        radius: f64,
        /// Number of grains of the group that were placed.
        placed: usize,
    },
    /// A periodic axis is too short for the largest grains.
    #[error("the period along {axis} is {found} m, it must be at least {least} m: otherwise a grain touches another one twice")]
    PeriodTooShort {
        /// Name of the axis.
        axis: &'static str,
        /// Length of the period, m.
        found: f64,
        /// Required length, m.
        least: f64,
    },
    /// A grain starts inside another one, a wall or a body.
    #[error("the grain at {position} overlaps {other} by {overlap} m: at most a tenth of its radius ({radius} m) is allowed")]
    Overlap {
        /// Index among the grains with given positions.
        grain: usize,
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
    #[error("the time step of {found} s is too long, the limit is {most} s: {reason}; recommended: {advised} s")]
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
    #[error("the scene has no grains: at least one [[grains.group]] or [[grains.grain]] is required")]
    Empty,
}

impl GrainsError {
    /// The key of the scene that the error concerns.
    pub fn key(&self) -> String {
        match self {
            Self::NoRoom { group, .. } => format!("grains.group[{}].count", group + 1),
            Self::Overlap { grain, .. } => format!("grains.grain[{}].position", grain + 1),
            Self::PeriodTooShort { .. } => "grains.box".to_owned(),
            Self::TimeStep { .. } => "grains.time_step".to_owned(),
            Self::Empty | Self::Interrupted(_) => "grains".to_owned(),
        }
    }
}
