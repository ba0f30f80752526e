//! Work done by the search.

use serde::{Deserialize, Serialize};

/// Work done by the search since time zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RebuildCounters {
    /// Number of pair searches.
    pub rebuilds: u64,
    /// Number of cells visited.
    pub searches: u64,
    /// Number of pairs whose distance was tested.
    pub tests: u64,
}
