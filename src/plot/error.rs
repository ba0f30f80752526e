//! Errors of reading and drawing a run.

use std::path::PathBuf;

use crate::output::{OutputError, RecordingError};

#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    #[error("{}: cannot read the table", path.display())]
    Read { path: PathBuf, source: csv::Error },
    #[error("{}: the table has no rows", path.display())]
    NoRows { path: PathBuf },
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Frames(#[from] RecordingError),
    #[error("cannot draw: {0}")]
    Drawing(String),
}
