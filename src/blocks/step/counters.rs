//! Counters and extremes of a step.

use glam::DVec2;
use serde::{Deserialize, Serialize};

/// What the last step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Seconds.
    pub dt: f64,
    /// Open–close iterations, those of attempts that were cut included.
    pub iterations: u32,
    /// How often the step was cut.
    pub cuts: u32,
    /// Whether contacts had come to rest; if not, the step was taken as it was after its last cut.
    pub settled: bool,
    /// Box tests of the search, and pairs of blocks it found.
    pub checks: u64,
    /// Pairs of blocks found by the search.
    pub pairs: u64,
    /// Vertices near edges; of these closed, and sliding.
    pub contacts: u64,
    /// Closed contacts.
    pub closed: u64,
    /// Sliding contacts.
    pub sliding: u64,
    /// Meters.
    pub max_displacement: f64,
    /// Greatest penetration of a contact, m.
    pub max_penetration: f64,
    /// Force of the blocks on all that is fixed, N.
    pub support: DVec2,
}
