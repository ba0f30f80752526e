//! Why blocks cannot begin.

use glam::DVec2;

/// Why blocks cannot begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BlocksError {
    #[error("blocks {first} and {second}: found them to have {area} m² in common around {place}, expected blocks apart from each other")]
    Overlap { first: usize, second: usize, area: f64, place: DVec2 },
    #[error("{what} at {point}: found no block there, expected one")]
    NoBlock { what: &'static str, point: DVec2 },
    #[error("found {0} blocks that can move, expected at least one")]
    NothingMoves(usize),
}
