//! A recorded run: what its figures are made from.

use std::collections::BTreeMap;

use super::{RecordedTable, Setting};
use crate::frame::Frame;

/// What was read of a run.
#[derive(Clone, Debug, Default)]
pub struct RecordedRun {
    /// `diagnostics.csv`.
    pub diagnostics: RecordedTable,
    /// Further tables with rows, by name without extension.
    pub tables: BTreeMap<&'static str, RecordedTable>,
    /// Settings of the simulator as recorded in `run.json`; missing if there are tables only.
    pub settings: Setting,
    /// Absent if there are tables only, or if no figure needs it.
    pub last_frame: Option<Frame>,
}
