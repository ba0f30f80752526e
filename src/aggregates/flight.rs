//! The path of a cluster between two changes.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// What the broad phase needs of a cluster, apart from the rest: one line of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flight {
    /// At `since`, m.
    pub center: DVec3,
    /// Seconds from the beginning of the step.
    pub since: f64,
    /// m/s
    pub velocity: DVec3,
    /// Of the bounding sphere, m.
    pub radius: f64,
}

impl Flight {
    /// Where the center is at `time` (s from the beginning of the step).
    #[inline]
    pub fn center_at(&self, time: f64) -> DVec3 {
        self.center + (time - self.since) * self.velocity
    }
}
