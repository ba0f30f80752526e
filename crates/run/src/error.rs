//! Errors of a run.

use std::path::PathBuf;

use plimsoll_contract::simulator::SimulationError;
use plimsoll_output::{OutputError, checkpoint::CheckpointError};

/// An error that prevents the start or the continuation of a run.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum RunError {
    /// A file cannot be written or read.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The checkpoint cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The folder contains an earlier run.
    #[error("{path}: the folder contains an earlier run (resume it with --resume {path})", path = .0.display())]
    Occupied(PathBuf),
    /// The folder of a run cannot be created, because something else is in its place.
    #[error("{}: found {found}, expected a folder for the run", path.display())]
    NotAFolder { path: PathBuf, found: &'static str },
    /// The folder does not contain a run that can be resumed.
    #[error("{}: missing {missing}, expected the folder of a run with a checkpoint", folder.display())]
    NoRun { folder: PathBuf, missing: &'static str },
    /// Another process is running in the folder.
    #[error("{}: the run is still in progress; resume it after it has ended", .0.display())]
    Busy(PathBuf),
    /// A step panicked.
    #[error("step {step} from {time} s failed: {reason}")]
    Panic { step: u64, time: f64, reason: String },
    /// The simulation cannot continue.
    #[error("{error}\n{}", last_good(.checkpoint))]
    Simulation {
        /// The error of the simulation.
        error: SimulationError,
        /// Path and simulated time (s) of the last checkpoint; absent if there is none yet.
        checkpoint: Option<(PathBuf, f64)>,
    },
}

impl RunError {
    /// Whether the input is invalid, in contrast to a failure while running.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Checkpoint(_) | Self::Occupied(_) | Self::NotAFolder { .. } | Self::NoRun { .. } | Self::Busy(_) => true,
            Self::Output(_) | Self::Panic { .. } | Self::Simulation { .. } => false,
        }
    }
}

fn last_good(checkpoint: &Option<(PathBuf, f64)>) -> String {
    match checkpoint {
        Some((path, time)) => format!("last good checkpoint: {} at {time:.6} s", path.display()),
        None => "no checkpoint yet".to_owned(),
    }
}
