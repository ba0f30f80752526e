//! Failures of a command, classified by exit code.

/// An error with its exit code.
#[derive(Debug)]
pub enum Failure {
    BadInput(anyhow::Error),
    Running(anyhow::Error),
}

impl Failure {
    /// The input is invalid.
    pub fn bad_input(error: impl Into<anyhow::Error>) -> Self {
        Self::BadInput(error.into())
    }
}
