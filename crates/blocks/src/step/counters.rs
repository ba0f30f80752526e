//! Counters and maxima of a step.

use glam::DVec2;
use serde::{Deserialize, Serialize};

/// Report of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Seconds.
    pub dt: f64,
    /// Open–close iterations, including those of rejected attempts.
    pub iterations: u32,
    /// How often the step was cut.
    pub cuts: u32,
    /// Whether the contacts converged; if not, the step was accepted as it was after its last cut.
    pub settled: bool,
    /// Box tests of the search.
    pub checks: u64,
    /// Pairs of blocks found by the search.
    pub pairs: u64,
    /// Vertices near edges.
    pub contacts: u64,
    /// Closed contacts.
    pub closed: u64,
    /// Sliding contacts.
    pub sliding: u64,
    /// Meters.
    pub max_displacement: f64,
    /// Maximum penetration of a contact, m.
    pub max_penetration: f64,
    /// Force of the blocks on fixed blocks and fixed points, N.
    pub support: DVec2,
}
