//! Momentum, and impulse, which is a change of it.

use std::ops::{AddAssign, Neg, Sub};

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Linear and angular momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Momentum {
    /// kg m/s
    pub linear: DVec3,
    /// About a point that the context says, kg m²/s.
    pub angular: DVec3,
}

/// Change of momentum: N s and N m s.
pub type Impulse = Momentum;

impl AddAssign for Momentum {
    fn add_assign(&mut self, other: Self) {
        self.linear += other.linear;
        self.angular += other.angular;
    }
}

impl Sub for Momentum {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

impl Neg for Momentum {
    type Output = Self;
    fn neg(self) -> Self {
        Self { linear: -self.linear, angular: -self.angular }
    }
}
