//! Errors when a run is read and drawn.

use std::path::PathBuf;

use plimsoll_output::{OutputError, RecordingError};

/// Why the figures of a run cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The table at `path` is not readable as CSV.
    #[error("{}: cannot read the table", path.display())]
    Read {
        /// Path of the table.
        path: PathBuf,
        /// Error of the CSV reader.
        source: csv::Error,
    },
    /// The table at `path` has a header only.
    #[error("{}: the table has no rows", path.display())]
    NoRows {
        /// Path of the table.
        path: PathBuf,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The frames of the run cannot be read.
    #[error(transparent)]
    Frames(#[from] RecordingError),
    /// The backend failed.
    #[error("cannot draw: {0}")]
    Drawing(String),
}
