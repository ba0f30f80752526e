//! The path of a cluster between two changes.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The data of a cluster that the broad phase needs, stored separately in one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flight {
    /// Center at `since`, m.
    pub center: DVec3,
    /// Seconds from the beginning of the step.
    pub since: f64,
    /// m/s
    pub velocity: DVec3,
    /// Radius of the bounding sphere, m.
    pub radius: f64,
}

impl Flight {
    /// Position of the center at `time` (s from the beginning of the step).
    #[inline]
    pub fn center_at(&self, time: f64) -> DVec3 {
        self.center + (time - self.since) * self.velocity
    }
}
