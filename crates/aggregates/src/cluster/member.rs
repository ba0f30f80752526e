//! One sphere of a cluster.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// One sphere of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Number of the sphere; mergers do not change it.
    pub id: u32,
    /// m
    pub radius: f64,
    /// Vector from the center of the cluster to that of the sphere, in cluster axes, m.
    pub offset: DVec3,
}
