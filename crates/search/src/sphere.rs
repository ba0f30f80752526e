//! A sphere, the input of the searches for many sizes.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A sphere, or a disc in the plane `z = 0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sphere {
    /// Meters.
    pub center: DVec3,
    /// Meters.
    pub radius: f64,
}
