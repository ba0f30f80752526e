//! Errors when a simulation of blocks is set up.

use glam::DVec2;
use plimsoll_contract::simulator::Interrupted;

/// Why a simulation of blocks cannot start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BlocksError {
    /// The user interrupted the setup.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Two blocks overlap at time zero.
    #[error("block {second} overlaps block {first} by {area} m² around {place}")]
    Overlap {
        /// Key of the scene that describes the second block.
        key: String,
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
        /// Key of the scene with the point.
        key: String,
        /// What the point belongs to.
        what: &'static str,
        /// Position, m.
        point: DVec2,
    },
    /// All blocks are fixed.
    #[error("all blocks are fixed: at least one must be able to move")]
    NothingMoves,
}

impl BlocksError {
    /// The key of the scene that the error concerns.
    pub fn key(&self) -> &str {
        match self {
            Self::Overlap { key, .. } | Self::NoBlock { key, .. } => key,
            Self::NothingMoves | Self::Interrupted(_) => "blocks",
        }
    }
}
