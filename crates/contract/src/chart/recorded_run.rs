//! A recorded run, the input of its figures.

use std::collections::BTreeMap;

use super::{RecordedTable, Setting};
use crate::frame::Frame;

/// The recorded data of a run.
#[derive(Clone, Debug, Default)]
pub struct RecordedRun {
    /// `diagnostics.csv`.
    pub diagnostics: RecordedTable,
    /// Other tables with rows, by name without extension.
    pub tables: BTreeMap<&'static str, RecordedTable>,
    /// Settings of the simulator from `run.json`; missing if there are only tables.
    pub settings: Setting,
    /// The last frame; absent if there are only tables, or if no figure needs it.
    pub last_frame: Option<Frame>,
}
