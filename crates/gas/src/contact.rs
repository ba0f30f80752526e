//! Collision time of two spheres, and the impulse of their impact.
//!
//! With `r = r_j − r_i`, `v = v_j − v_i`, `b = r·v` and `σ = R_i + R_j`, two spheres approach only if `b < 0`. They touch at the smaller
//! root of `v² t² + 2 b t + r² − σ² = 0`, written in the form that avoids cancellation,
//!
//! `t = (r² − σ²) / (−b + √(b² − v² (r² − σ²)))`.
//!
//! The impact reverses the relative velocity along the line of centers and scales it by the restitution `e`:
//! `Δv_i = (1 + e) m_j / (m_i + m_j) (r·v / r²) r`, and `Δv_j = −(m_i / m_j) Δv_i`.
//! (Alder & Wainwright 1959; Kim, Guibas & Shin 1998.) SI units.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Minimum separation speed after an inelastic impact, divided by the speed of the fastest sphere. Slower separations would be lost in
/// rounding, and the spheres would collide again and again at one instant.
pub const MIN_SEPARATION: f64 = 1e-10;

/// Restitution of impacts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Impact {
    /// Ratio of separation speed to approach speed, from 0 to 1.
    pub restitution: f64,
    /// Impacts slower than this (m/s) are elastic. This avoids an infinite series of ever weaker impacts.
    pub elastic_below: f64,
}

impl Impact {
    /// Impacts without energy loss.
    pub const ELASTIC: Self = Self { restitution: 1.0, elastic_below: 0.0 };

    /// Restitution at the approach speed `speed`, with a separation speed of at least `least` unless all impacts are elastic (m/s).
    pub fn at(self, speed: f64, least: f64) -> f64 {
        if self.restitution == 1.0 {
            return 1.0;
        }
        let restitution = if speed < self.elastic_below { 1.0 } else { self.restitution };
        restitution.max(least / speed)
    }
}

/// Time (s) until two spheres with relative position `r` and relative velocity `v` come within `sigma`; `None` if they never do. Spheres
/// that approach and already overlap by rounding touch at once.
#[inline]
pub fn time_to_contact(r: DVec3, v: DVec3, sigma: f64) -> Option<f64> {
    let b = r.dot(v);
    let gap = r.length_squared() - sigma * sigma;
    let discriminant = b * b - v.length_squared() * gap;
    // `|` instead of `||`: the branch predictor handles one rarely taken branch better than two that are each taken half the time.
    if (b >= 0.0) | (discriminant < 0.0) {
        return None;
    }
    Some((gap / (discriminant.sqrt() - b)).max(0.0))
}

/// Impulse (N s) on the second of two spheres with `masses` (kg), relative position `r` and relative velocity `v`; the first gets the
/// opposite. Zero if they do not approach. `least` is the minimum separation speed after an inelastic impact, m/s.
#[inline]
pub fn impulse(r: DVec3, v: DVec3, masses: [f64; 2], impact: Impact, least: f64) -> DVec3 {
    let b = r.dot(v);
    if b >= 0.0 {
        return DVec3::ZERO;
    }
    let square = r.length_squared();
    let reduced = masses[0] * masses[1] / (masses[0] + masses[1]);
    let restitution = if impact.restitution == 1.0 { 1.0 } else { impact.at(-b / square.sqrt(), least) };
    -(1.0 + restitution) * reduced * (b / square) * r
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_on_and_grazing_contacts_are_found() {
        let r = DVec3::new(3.0, 0.0, 0.0);
        assert_eq!(time_to_contact(r, DVec3::new(-2.0, 0.0, 0.0), 1.0), Some(1.0));
        assert_eq!(time_to_contact(r, DVec3::new(2.0, 0.0, 0.0), 1.0), None);
        assert_eq!(time_to_contact(r + DVec3::Y * 1.000_001, -DVec3::X, 1.0), None);
        let grazing = time_to_contact(r + DVec3::Y * 0.999_999_999, -DVec3::X, 1.0).expect("a contact");
        assert!((grazing - 3.0).abs() < 1e-4, "{grazing}");
        assert_eq!(time_to_contact(DVec3::X * 0.999_999, -DVec3::X, 1.0), Some(0.0));
    }

    #[test]
    fn equal_masses_swap_and_a_wall_of_mass_reflects() {
        let (r, v) = (DVec3::X, DVec3::new(-1.0, 0.5, 0.0));
        let impulse = |v: DVec3, masses, impact| impulse(r, v, masses, impact, 1e-12);
        assert_eq!(impulse(v, [2.0, 2.0], Impact::ELASTIC), DVec3::new(2.0, 0.0, 0.0));
        let heavy = impulse(v, [1.0, 1e12], Impact::ELASTIC);
        assert!((heavy.x - 2.0).abs() < 1e-9, "{heavy}");
        let soft = Impact { restitution: 0.5, elastic_below: 0.1 };
        assert_eq!(impulse(v, [2.0, 2.0], soft).x, 1.5);
        assert_eq!(impulse(0.05 * v, [2.0, 2.0], soft).x, 0.1);
        let plastic = Impact { restitution: 0.0, elastic_below: 0.0 };
        let separation = impulse(v, [2.0, 2.0], plastic).x - 1.0;
        assert!(separation > 1e-13 && separation < 2e-12, "{separation}");
    }
}
