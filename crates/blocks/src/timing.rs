//! Stages of a step.

use plimsoll_base::timing;

/// Parts of a step that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlocksStage {
    /// Finding pairs of nearby blocks.
    Search,
    /// Finding vertices near edges in these pairs.
    Detection,
    /// Assembling the matrix.
    Assembly,
    /// Solving the equations.
    Solution,
    /// Updating the contacts to the solution.
    Contacts,
    /// Updating geometry, stresses and contact memory.
    Update,
}

impl timing::Stage for BlocksStage {
    const COLUMNS: &'static [&'static str] =
        &["search_seconds", "detection_seconds", "assembly_seconds", "solution_seconds", "contacts_seconds", "update_seconds"];

    fn place(self) -> usize {
        self as usize
    }
}
