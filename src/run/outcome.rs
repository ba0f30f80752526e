//! How a run ended.

use std::path::PathBuf;

/// Why a run stopped without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It reached its end.
    Completed,
    /// It was interrupted; it can be resumed.
    Interrupted,
}

/// The result of a run.
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
    /// Summary of the simulation, line by line.
    pub summary: Vec<String>,
}
