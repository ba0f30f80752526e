//! One sphere of a cluster.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// One sphere of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Number of the sphere, kept through all mergers.
    pub id: u32,
    /// m
    pub radius: f64,
    /// Of its center from the center of the cluster, along the axes of the cluster; m.
    pub offset: DVec3,
}
