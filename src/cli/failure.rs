//! Why a command failed, as the exit code shows it.

/// What went wrong: each kind has its own exit code.
#[derive(Debug)]
pub enum Failure {
    BadInput(anyhow::Error),
    Running(anyhow::Error),
}

impl Failure {
    /// The fault is in what was asked for.
    pub fn bad_input(error: impl Into<anyhow::Error>) -> Self {
        Self::BadInput(error.into())
    }
}
