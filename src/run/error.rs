//! Why a run cannot begin or go on.

use std::path::PathBuf;

use super::simulation::SimulationError;
use crate::output::{OutputError, checkpoint::CheckpointError};

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
    #[error("{error}\nlast good checkpoint: {} at {checkpoint_time:.6} s", checkpoint.display())]
    Simulation { error: SimulationError, checkpoint: PathBuf, checkpoint_time: f64 },
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
