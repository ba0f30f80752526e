//! Stages of a step.

use plimsoll_base::timing;

/// Parts of a step that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrainsStage {
    /// Sorting into cells, pair search, search of walls near each grain.
    Search,
    /// Forces between grains.
    Contacts,
    /// Forces of walls.
    Walls,
    /// Motion of grains and bodies.
    Motion,
}

impl timing::Stage for GrainsStage {
    const COLUMNS: &'static [&'static str] = &["search_seconds", "contacts_seconds", "walls_seconds", "motion_seconds"];

    fn place(self) -> usize {
        self as usize
    }
}
