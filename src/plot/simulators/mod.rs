//! Pictures that some simulators have beside those of their tables: of the last frame of a run.

pub mod aggregates;
pub mod gas;
pub mod grains;

use std::path::Path;

use super::{Image, Panel, Picture, PlotError, PlotTable, Scale, Series};
use crate::{
    frame::Frame,
    output::{Recording, RecordingError, RunInfo},
};

/// What is known of the run in `folder` and its last frame, if it has one; tables alone can be drawn too.
fn last_frame(folder: &Path) -> Result<Option<(RunInfo, Frame)>, PlotError> {
    let recording = match Recording::open(folder) {
        Err(RecordingError::NotARun { .. }) => return Ok(None),
        opened => opened?,
    };
    let Some(last) = recording.len().checked_sub(1) else { return Ok(None) };
    Ok(Some((recording.info().clone(), recording.frame(last)?)))
}
