//! Errors of a gas, at setup and at run time.

use glam::DVec3;
use plimsoll_contract::simulator::Interrupted;

/// Error of a gas at setup or at run time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GasError {
    /// The user interrupted the setup.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A periodic axis is too short for the largest spheres.
    #[error("the period along {axis} is {found} m, it must be at least {least} m: a sphere must meet its neighbours before their images")]
    PeriodTooShort {
        /// Name of the axis.
        axis: &'static str,
        /// Length of the period, m.
        found: f64,
        /// Required length, m.
        least: f64,
    },
    /// A sphere starts outside the container.
    #[error("sphere {sphere} at {position} m is outside the box or overlaps a wall")]
    Outside {
        /// Index of the sphere in the setup.
        sphere: u32,
        /// Position, m.
        position: DVec3,
    },
    /// Two spheres overlap at time zero.
    #[error("spheres {first} and {second} overlap by {overlap} m")]
    Overlap {
        /// Index of the first sphere in the setup.
        first: u32,
        /// Index of the second sphere in the setup.
        second: u32,
        /// Depth of the overlap, m.
        overlap: f64,
    },
    /// There is not enough room for the spheres of a region.
    #[error(
        "no room: the spheres fill {packing:.3} of their region, and were placed without overlap only up to {reached:.3}: use fewer or smaller ones"
    )]
    NoRoom {
        /// Index of the first of the groups.
        group: usize,
        /// Number of spheres requested for that group.
        count: usize,
        /// Share of the region that the spheres fill.
        packing: f64,
        /// The same at the largest size at which they did not overlap.
        reached: f64,
    },
    /// A sphere without room has so many impacts that time does not advance.
    #[error("time does not advance after {time:.6} s: sphere {sphere} at {position} m collides repeatedly")]
    Squeezed {
        /// Time, s.
        time: f64,
        /// Index of the sphere in the setup.
        sphere: u32,
        /// Position, m.
        position: DVec3,
    },
    /// A wall moves farther than the spheres leave room for, and they heat up without limit.
    #[error(
        "wall {wall} has {travel:.2e} m left to move, but the spheres, which fill {packing:.3} of the box, leave it about {room:.1e} m: after {time:.6} s they collide ever more often"
    )]
    Jammed {
        /// Time, s.
        time: f64,
        /// Name of the wall: `x_min` to `z_max`.
        wall: &'static str,
        /// What the walls of its axis still approach each other, m.
        travel: f64,
        /// What the free paths of the spheres leave them, m.
        room: f64,
        /// Share of the box that the spheres fill.
        packing: f64,
    },
    /// Inelastic spheres collide ever more often, and time does not advance.
    #[error(
        "inelastic collapse: time does not advance after {time:.6} s, sphere {sphere} at {position} m and its neighbours collide ever more often"
    )]
    Collapse {
        /// Time, s.
        time: f64,
        /// Index of the sphere in the setup.
        sphere: u32,
        /// Position, m.
        position: DVec3,
        /// A sufficient `elastic_below`, m/s.
        advised: f64,
    },
}

impl GasError {
    /// The key of the scene that the error concerns.
    pub fn key(&self) -> String {
        match self {
            Self::PeriodTooShort { .. } => "gas.box".to_owned(),
            // Spheres with given positions are the first ones, and groups are placed without overlaps.
            Self::Outside { sphere, .. } | Self::Overlap { second: sphere, .. } => format!("gas.sphere[{}].position", sphere + 1),
            Self::NoRoom { group, .. } => format!("gas.group[{}].count", group + 1),
            Self::Interrupted(_) | Self::Squeezed { .. } | Self::Jammed { .. } | Self::Collapse { .. } => "gas".to_owned(),
        }
    }
}
