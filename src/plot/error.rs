//! Errors of reading and drawing a run.

use std::path::PathBuf;

use crate::output::{OutputError, RecordingError};

#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    #[error("{}: cannot read, expected a table of a run", path.display())]
    Read { path: PathBuf, source: csv::Error },
    #[error("{}: found {found}, expected {expected}", path.display())]
    Content { path: PathBuf, found: String, expected: &'static str },
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Frames(#[from] RecordingError),
    #[error("cannot draw: {0}")]
    Drawing(String),
}
