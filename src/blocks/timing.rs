//! Stages of a step.

use crate::timing;

/// Parts of a step that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlocksStage {
    /// Pairs of blocks near each other.
    Search,
    /// Vertices near edges in these pairs.
    Detection,
    /// The matrix.
    Assembly,
    /// The solution.
    Solution,
    /// Contacts brought up to date with it.
    Contacts,
    /// Geometry, stresses, memory of contacts.
    Update,
}

impl timing::Stage for BlocksStage {
    const COLUMNS: &'static [&'static str] =
        &["search_seconds", "detection_seconds", "assembly_seconds", "solution_seconds", "contacts_seconds", "update_seconds"];

    fn place(self) -> usize {
        self as usize
    }
}
