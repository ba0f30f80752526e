//! Why a case has no outcome.

use plimsoll_contract::simulator::{Interrupted, SimulationError};
use plimsoll_fluid::SetupError;

/// Why a case has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The fluid cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The simulation failed.
    #[error(transparent)]
    Failed(#[from] SimulationError),
    /// The user interrupted.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
}
