//! Result of a run.

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
    /// The folder of its files.
    pub folder: PathBuf,
    /// Steps since time zero.
    pub steps: u64,
    /// Frames since time zero.
    pub frames: u64,
    /// Simulated seconds.
    pub time: f64,
    /// Wall time of all processes of the run.
    pub wall_seconds: f64,
    /// Particles, grains or blocks at the end.
    pub particles: usize,
    /// Elements at the end as results count them, and their name in the plural.
    pub elements: (usize, &'static str),
    /// Summary of the simulation, line by line.
    pub summary: Vec<String>,
}
