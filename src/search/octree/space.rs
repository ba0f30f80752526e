//! Where spheres are: a box in the plane or in space, some axes of which may be periodic.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A sphere, or a disc in the plane `z = 0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sphere {
    /// Metres.
    pub center: DVec3,
    /// Metres.
    pub radius: f64,
}

/// A box. Along a periodic axis what leaves at one end enters at the other; along the others spheres may be anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// Lowest corner, metres.
    pub low: DVec3,
    /// Edges, metres.
    pub size: DVec3,
    /// Whether each axis is periodic.
    pub periodic: [bool; 3],
    /// 2 or 3. In two dimensions z is zero for all.
    pub dimension: usize,
}

impl Space {
    /// m³, or m² in two dimensions.
    pub fn volume(&self) -> f64 {
        (0..self.dimension).map(|axis| self.size[axis]).product()
    }

    /// Whether any axis is periodic.
    pub fn is_periodic(&self) -> bool {
        self.periodic.contains(&true)
    }

    /// The shortest of `offset` and its periodic images.
    #[inline]
    pub fn nearest_image(&self, mut offset: DVec3) -> DVec3 {
        for axis in 0..3 {
            if self.periodic[axis] {
                offset[axis] -= self.size[axis] * (offset[axis] / self.size[axis]).round();
            }
        }
        offset
    }

    /// The image of `position` within the box along periodic axes.
    #[inline]
    pub(crate) fn wrapped(&self, mut position: DVec3) -> DVec3 {
        for axis in 0..3 {
            if self.periodic[axis] {
                let turns = ((position[axis] - self.low[axis]) / self.size[axis]).floor();
                if turns != 0.0 {
                    position[axis] -= turns * self.size[axis];
                }
            }
        }
        position
    }
}
