//! Linear (Airy) waves over a flat bottom (Dean & Dalrymple 1991, chapter 3).
//!
//! ```text
//! ω² = g k tanh kh                                    dispersion
//! c = ω/k,   c_g = c (1 + 2kh/sinh 2kh)/2             celerity, group velocity
//! H_b = 0.142 L tanh kh                               breaking height (Miche 1944)
//! ```

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

/// Newton steps from Guo's formula, which is within 0.75 %: the fourth is below rounding.
const NEWTON_STEPS: usize = 4;
/// Steepness H/L of the highest wave in deep water (Miche 1944).
const BREAKING_STEEPNESS: f64 = 0.142;

/// A linear wave in water of constant depth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearWave {
    /// ω, rad/s.
    pub angular_frequency: f64,
    /// k, rad/m.
    pub wave_number: f64,
    /// Depth of the still water h, m.
    pub depth: f64,
}

impl LinearWave {
    /// The wave of `period` (s) in water of `depth` (m) under `gravity` (m/s²). All three must be positive.
    pub fn new(period: f64, depth: f64, gravity: f64) -> Self {
        let angular_frequency = TAU / period;
        let wave_number = relative_depth(angular_frequency * angular_frequency * depth / gravity) / depth;
        Self { angular_frequency, wave_number, depth }
    }

    /// T, s.
    pub fn period(&self) -> f64 {
        TAU / self.angular_frequency
    }

    /// L, m.
    pub fn length(&self) -> f64 {
        TAU / self.wave_number
    }

    /// kh: above π the water is deep, below π/10 shallow.
    pub fn relative_depth(&self) -> f64 {
        self.wave_number * self.depth
    }

    /// Speed of the crests, m/s.
    pub fn celerity(&self) -> f64 {
        self.angular_frequency / self.wave_number
    }

    /// Speed of the energy, m/s.
    pub fn group_velocity(&self) -> f64 {
        let twice = 2.0 * self.relative_depth();
        // 2kh/sinh 2kh, which overflows in deep water.
        let share = if twice < 700.0 { twice / twice.sinh() } else { 0.0 };
        0.5 * self.celerity() * (1.0 + share)
    }

    /// Height at which the wave breaks, m (Miche 1944).
    pub fn breaking_height(&self) -> f64 {
        BREAKING_STEEPNESS * self.length() * self.relative_depth().tanh()
    }
}

/// kh from `α = ω² h/g`: the positive solution of `x tanh x = α`, by Newton's method from the explicit formula of Guo (2002).
fn relative_depth(alpha: f64) -> f64 {
    let mut x = alpha * (-(-alpha.powf(1.25)).exp_m1()).powf(-0.4);
    for _ in 0..NEWTON_STEPS {
        let tanh = x.tanh();
        x -= (x * tanh - alpha) / (tanh + x * (1.0 - tanh * tanh));
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dispersion_relation_holds_to_rounding() {
        for exponent in -100..=50 {
            let alpha = 10_f64.powf(0.1 * f64::from(exponent));
            let x = relative_depth(alpha);
            let error = (x * x.tanh() / alpha - 1.0).abs();
            assert!(error < 4.0 * f64::EPSILON, "α = {alpha}: {error:e}");
        }
    }

    #[test]
    fn waves_are_those_of_shallow_and_deep_water_in_the_limits() {
        let gravity = 9.81;
        let shallow = LinearWave::new(1000.0, 1.0, gravity);
        assert!((shallow.celerity() / gravity.sqrt() - 1.0).abs() < 1e-5 && (shallow.group_velocity() / gravity.sqrt() - 1.0).abs() < 2e-5);
        let deep = LinearWave::new(2.0, 1000.0, gravity);
        let celerity = gravity * 2.0 / TAU;
        assert!((deep.celerity() / celerity - 1.0).abs() < 1e-14 && (deep.group_velocity() / celerity - 0.5).abs() < 1e-14);
        assert!((deep.breaking_height() / deep.length() - 0.142).abs() < 1e-14);
        assert!((deep.period() - 2.0).abs() < 1e-14 && deep.relative_depth() > 600.0);
    }

    /// The group velocity is dω/dk, here by central differences.
    #[test]
    fn the_group_velocity_is_the_derivative_of_the_frequency() {
        for period in [0.6, 1.0, 2.0, 5.0] {
            let wave = |period: f64| LinearWave::new(period, 0.4, 9.81);
            let (slow, fast) = (wave(period * 1.0001), wave(period * 0.9999));
            let slope = (fast.angular_frequency - slow.angular_frequency) / (fast.wave_number - slow.wave_number);
            assert!((wave(period).group_velocity() / slope - 1.0).abs() < 1e-7, "{period} s");
        }
    }
}
