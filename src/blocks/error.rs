//! Errors when a simulation of blocks is set up.

use glam::DVec2;

use crate::simulator::Interrupted;

/// Why a simulation of blocks cannot start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BlocksError {
    /// The user interrupted the setup.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Two blocks overlap at time zero.
    #[error("blocks {first} and {second} overlap by {area} m² around {place}")]
    Overlap {
        /// Number of the first block, from 1.
        first: usize,
        /// Number of the second block, from 1.
        second: usize,
        /// Common area, m².
        area: f64,
        /// Center of the common area, m.
        place: DVec2,
    },
    /// A point of the scene is outside all blocks.
    #[error("{what} at {point} is outside all blocks")]
    NoBlock {
        /// What the point belongs to.
        what: &'static str,
        /// Position, m.
        point: DVec2,
    },
    /// All blocks are fixed.
    #[error("all blocks are fixed: at least one must be able to move")]
    NothingMoves,
}
