//! Momentum, and impulse as a change of momentum.

use std::ops::{AddAssign, Mul, Neg, Sub};

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Linear and angular momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Momentum {
    /// kg m/s
    pub linear: DVec3,
    /// About a point given by the context, kg m²/s.
    pub angular: DVec3,
}

/// Change of momentum: N s and N m s.
pub type Impulse = Momentum;

impl Impulse {
    /// Mean force (N) and torque (N m) over `dt` seconds; zero if `dt` is zero.
    pub fn mean(self, dt: f64) -> (DVec3, DVec3) {
        let inverse_dt = if dt > 0.0 { 1.0 / dt } else { 0.0 };
        (self.linear * inverse_dt, self.angular * inverse_dt)
    }
}

impl Momentum {
    /// Momentum (or impulse) `linear` at `point`, with its angular part about the origin.
    pub fn at(point: DVec3, linear: DVec3) -> Self {
        Self { linear, angular: point.cross(linear) }
    }

    /// The same with `angular` (kg m²/s) in addition, of something that turns in itself.
    pub fn with_spin(mut self, angular: DVec3) -> Self {
        self.angular += angular;
        self
    }
}

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

impl Mul<f64> for Momentum {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { linear: factor * self.linear, angular: factor * self.angular }
    }
}
