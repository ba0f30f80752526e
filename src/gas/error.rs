//! Errors of a gas, at setup and at run time.

use glam::DVec3;

/// Error of a gas at setup or at run time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GasError {
    /// A periodic axis is too short for the largest spheres.
    #[error(
        "axis {axis}: found a period of {found} m, expected at least {least} m, for a sphere must meet its neighbours before their images"
    )]
    PeriodTooShort {
        /// Name of the axis.
        axis: &'static str,
        /// Length of the period, m.
        found: f64,
        /// Required length, m.
        least: f64,
    },
    /// A sphere starts outside the container.
    #[error("sphere {sphere}: found it at {position} m, outside the walls or in one, expected it inside")]
    Outside {
        /// Index of the sphere in the setup.
        sphere: u32,
        /// Position, m.
        position: DVec3,
    },
    /// Two spheres overlap at time zero.
    #[error("spheres {first} and {second}: found them to overlap by {overlap} m, expected none to overlap")]
    Overlap {
        /// Index of the first sphere in the setup.
        first: u32,
        /// Index of the second sphere in the setup.
        second: u32,
        /// Depth of the overlap, m.
        overlap: f64,
    },
    /// There is not enough room for all spheres of a group.
    #[error("{count} spheres of radius {radius} m: found room for {placed} of them, expected room for all; take fewer or smaller ones")]
    NoRoom {
        /// Number of spheres requested for the group.
        count: usize,
        /// Radius, m.
        radius: f64,
        /// Number of spheres placed.
        placed: usize,
    },
    /// A sphere without room has so many impacts that time does not advance.
    #[error("from {time:.6} s on, sphere {sphere} at {position} m collides again and again and time no longer advances")]
    Squeezed {
        /// Time, s.
        time: f64,
        /// Index of the sphere in the setup.
        sphere: u32,
        /// Position, m.
        position: DVec3,
    },
}
