//! Why a table cannot be drawn.

use std::path::PathBuf;

use crate::output::OutputError;

#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    #[error("{}: cannot read, expected a table of a run", path.display())]
    Read { path: PathBuf, source: csv::Error },
    #[error("{}: found {found}, expected {expected}", path.display())]
    Content { path: PathBuf, found: String, expected: &'static str },
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("cannot draw: {0}")]
    Drawing(String),
}
