//! How much work the search was.

use serde::{Deserialize, Serialize};

/// What the search has done since time zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RebuildCounters {
    /// How often pairs were searched.
    pub rebuilds: u64,
    /// Cells looked at.
    pub searches: u64,
    /// Pairs whose distance was tested.
    pub tests: u64,
}
