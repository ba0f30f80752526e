//! Elastic impacts of clusters that touch and do not stick.
//!
//! The two touching spheres exchange an impulse `J n` along the line of their centers, at their point of contact. It reverses the relative
//! velocity of the two points along `n`: `J = −2 n·Δv / (Y_a + Y_b)`, where `Y = 1/m + n·(I⁻¹ (q × n) × q)` is the velocity along `n` that
//! a unit impulse along `n` gives the point `q` of a cluster. This conserves momentum, angular momentum and energy, including rotational
//! energy. A face of the box does not move. SI units.

use glam::{DMat3, DVec3};

use super::cluster::{Cluster, Motion};

/// A cluster and the point where it is hit.
pub struct Struck {
    inverse_mass: f64,
    /// World axes.
    inverse_inertia: DMat3,
    /// From the center to the contact point, m.
    arm: DVec3,
}

impl Struck {
    /// `cluster` hit at `point` (m). Without `turns`, the impact does not change the spin.
    pub fn new(cluster: &Cluster, motion: &Motion, point: DVec3, turns: bool) -> Self {
        let inverse_inertia = if turns { cluster.world_inertia(motion.orientation).inverse() } else { DMat3::ZERO };
        Self { inverse_mass: 1.0 / cluster.mass, inverse_inertia, arm: point - motion.center }
    }

    /// Velocity of the point, m/s.
    fn velocity(&self, motion: &Motion) -> DVec3 {
        motion.velocity + motion.spin.cross(self.arm)
    }

    /// Velocity of the point along `normal` per unit impulse along it, 1/kg.
    fn yielding(&self, normal: DVec3) -> f64 {
        self.inverse_mass + normal.dot((self.inverse_inertia * self.arm.cross(normal)).cross(self.arm))
    }

    /// Applies an `impulse`, kg m/s.
    fn take(&self, motion: &mut Motion, impulse: DVec3) {
        motion.velocity += self.inverse_mass * impulse;
        motion.spin += self.inverse_inertia * self.arm.cross(impulse);
    }
}

/// Two clusters bounce; `normal` points from the first to the second.
pub fn bounce(struck: [&Struck; 2], motions: [&mut Motion; 2], normal: DVec3) {
    let [a, b] = struck;
    let [motion_a, motion_b] = motions;
    let approach = normal.dot(b.velocity(motion_b) - a.velocity(motion_a));
    let impulse = -2.0 * approach / (a.yielding(normal) + b.yielding(normal)) * normal;
    a.take(motion_a, -impulse);
    b.take(motion_b, impulse);
}

/// A cluster bounces off a face with a `normal` that points towards it.
pub fn rebound(struck: &Struck, motion: &mut Motion, normal: DVec3) {
    let impulse = -2.0 * normal.dot(struck.velocity(motion)) / struck.yielding(normal);
    struck.take(motion, impulse * normal);
}
