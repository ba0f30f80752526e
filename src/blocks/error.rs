//! Errors when a simulation of blocks is set up.

use glam::DVec2;

/// Why a simulation of blocks cannot start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BlocksError {
    /// Two blocks overlap at time zero.
    #[error("blocks {first} and {second}: found them to have {area} m² in common around {place}, expected blocks apart from each other")]
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
    #[error("{what} at {point}: found no block there, expected one")]
    NoBlock {
        /// What the point belongs to.
        what: &'static str,
        /// Position, m.
        point: DVec2,
    },
    /// All blocks are fixed; the field is the number of moving blocks.
    #[error("found {0} blocks that can move, expected at least one")]
    NothingMoves(usize),
}
