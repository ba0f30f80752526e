//! How a run ended.

use std::path::PathBuf;

/// Why a run stopped without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It reached its end.
    Completed,
    /// It was asked to stop; it can be resumed.
    Interrupted,
}

/// How a run ended, and what it left.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether it reached its end.
    pub ending: Ending,
    /// Where its files are.
    pub folder: PathBuf,
    /// Steps from time zero.
    pub steps: u64,
    /// Frames from time zero.
    pub frames: u64,
    /// Simulated seconds.
    pub time: f64,
    /// Of all processes that took part in the run.
    pub wall_seconds: f64,
    /// Particles, grains or blocks at the end.
    pub particles: usize,
    /// What the simulation has to say at the end, line by line.
    pub summary: Vec<String>,
}
