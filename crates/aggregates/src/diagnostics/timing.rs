//! Stages of a step.

use plimsoll_base::timing;

/// Parts of a step that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateStage {
    /// Drawing velocities and their durations.
    Velocities,
    /// Collisions and mergers.
    Search,
    /// Moving all clusters to the end of the step.
    Motion,
}

impl timing::Stage for AggregateStage {
    const COLUMNS: &'static [&'static str] = &["velocities_seconds", "search_seconds", "motion_seconds"];

    fn place(self) -> usize {
        self as usize
    }
}
