//! Why a run cannot begin or go on.

use std::path::PathBuf;

use crate::{
    output::{OutputError, checkpoint::CheckpointError},
    simulator::SimulationError,
};

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error("{path}: found an earlier run there, expected a folder without one (go on with that run by --resume {path})", path = .0.display())]
    Occupied(PathBuf),
    #[error("{}: found no {missing} there, expected the folder of a run with a checkpoint", folder.display())]
    NoRun { folder: PathBuf, missing: &'static str },
    #[error("{}: found a run that is still going on there, expected one that has ended", .0.display())]
    Busy(PathBuf),
    #[error("step {step} from {time} s failed: {reason}")]
    Panic { step: u64, time: f64, reason: String },
    #[error("{error}\n{}", last_good(.checkpoint))]
    Simulation {
        error: SimulationError,
        /// Its path and simulated time (s); absent if there is none yet.
        checkpoint: Option<(PathBuf, f64)>,
    },
}

impl RunError {
    /// Whether the fault is in what was asked for and not in the running.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Checkpoint(_) | Self::Occupied(_) | Self::NoRun { .. } | Self::Busy(_) => true,
            Self::Output(_) | Self::Panic { .. } | Self::Simulation { .. } => false,
        }
    }
}

fn last_good(checkpoint: &Option<(PathBuf, f64)>) -> String {
    match checkpoint {
        Some((path, time)) => format!("last good checkpoint: {} at {time:.6} s", path.display()),
        None => "there is no checkpoint yet".to_owned(),
    }
}
