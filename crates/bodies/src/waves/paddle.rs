//! Paddles and their transfer functions: the height of the waves that a paddle's stroke generates.
//!
//! First-order theory (Biésel & Suquet 1951; Dean & Dalrymple 1991, section 6.2) for a paddle whose stroke at height y above the bottom is
//! `S f(y)`, with `f = 1` at the still water level:
//!
//! ```text
//! H/S = sinh kh · ∫₀ʰ f cosh ky dy / ∫₀ʰ cosh² ky dy
//! piston   f = 1                        H/S = 2 (cosh 2kh − 1) / (sinh 2kh + 2kh)
//! flap     f = (y − b)/(h − b), y > b   H/S = 4 sinh kh / (sinh 2kh + 2kh) · (sinh kh − (cosh kh − cosh kb⁺) / (k (h − b)))
//! ```
//!
//! b is the height of the hinge above the bottom, and b⁺ the greater of b and 0. If the hinge is above the bottom, the wall below it does
//! not move. In shallow water H/S is kh for a piston and kh/2 for a flap hinged at the bottom, in deep water 2 for both.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::LinearWave;

/// How a paddle moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Paddle {
    /// Translates horizontally.
    Piston,
    /// Rotates about a horizontal axis perpendicular to the direction of the waves.
    Flap {
        /// Height of the hinge above the bottom, m; negative below it, less than the depth.
        hinge: f64,
        /// A point on the hinge, world coordinates, m.
        pivot: DVec3,
    },
}

impl Paddle {
    /// Height of the progressive wave per stroke (twice the amplitude) at the still water level.
    pub fn height_per_stroke(&self, wave: &LinearWave) -> f64 {
        let (k, h) = (wave.wave_number, wave.depth);
        let kh = k * h;
        // All terms are multiplied by powers of exp(−kh), so that none overflows, and written as differences from 1, so that none cancels.
        let sinh = -0.5 * (-2.0 * kh).exp_m1();
        let moment = match *self {
            Self::Piston => sinh,
            Self::Flap { hinge, .. } => {
                let low = hinge.max(0.0);
                // cosh kh − cosh kb⁺ = 2 sinh(k (h + b⁺)/2) sinh(k (h − b⁺)/2)
                let difference = 0.5 * (-k * (h + low)).exp_m1() * (-k * (h - low)).exp_m1();
                sinh - difference / (k * (h - hinge))
            }
        };
        8.0 * sinh * moment / (4.0 * kh * (-2.0 * kh).exp() - (-4.0 * kh).exp_m1())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(kh: f64) -> LinearWave {
        let depth = 0.7;
        LinearWave { angular_frequency: 1.0, wave_number: kh / depth, depth }
    }

    fn flap(hinge: f64) -> Paddle {
        Paddle::Flap { hinge, pivot: DVec3::ZERO }
    }

    fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
        assert!((found / expected - 1.0).abs() < tolerance, "{what}: {found}, expected {expected}");
    }

    #[test]
    fn pistons_and_flaps_at_the_bottom_equal_the_textbook() {
        for kh in [0.05, 0.3, 1.0, 2.0, 5.0, 20.0] {
            let denominator = (2.0_f64 * kh).sinh() + 2.0 * kh;
            near(Paddle::Piston.height_per_stroke(&wave(kh)), 2.0 * ((2.0 * kh).cosh() - 1.0) / denominator, 1e-12, "piston");
            let textbook = 4.0 * kh.sinh() / kh * (kh * kh.sinh() - kh.cosh() + 1.0) / denominator;
            near(flap(0.0).height_per_stroke(&wave(kh)), textbook, 1e-11, "flap");
        }
    }

    /// The definition by Simpson's rule, for hinges below, at and above the bottom.
    #[test]
    fn transfer_functions_equal_their_integrals() {
        for kh in [0.2_f64, 0.8, 1.7, 4.0] {
            let wave = wave(kh);
            let (k, h) = (wave.wave_number, wave.depth);
            for hinge in [-5.0, -0.4, 0.0, 0.2, 0.6] {
                let low = f64::max(hinge, 0.0);
                let panels = 2000;
                let simpson = |from: f64, term: &dyn Fn(f64) -> f64| {
                    let step = (h - from) / f64::from(panels);
                    let weight = |i: i32| if i == 0 || i == panels { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                    (0..=panels).map(|i| weight(i) * term(from + step * f64::from(i))).sum::<f64>() * step / 3.0
                };
                let moment = simpson(low, &|y| (y - hinge) / (h - hinge) * (k * y).cosh());
                let expected = kh.sinh() * moment / simpson(0.0, &|y| (k * y).cosh().powi(2));
                near(flap(hinge).height_per_stroke(&wave), expected, 1e-10, &format!("kh {kh}, hinge {hinge}"));
            }
        }
    }

    #[test]
    fn limits_are_those_of_shallow_and_deep_water() {
        near(Paddle::Piston.height_per_stroke(&wave(1e-4)), 1e-4, 1e-7, "shallow piston");
        near(flap(0.0).height_per_stroke(&wave(1e-4)), 0.5e-4, 1e-7, "shallow flap");
        near(flap(-1e9).height_per_stroke(&wave(1.3)), Paddle::Piston.height_per_stroke(&wave(1.3)), 1e-8, "a distant hinge");
        for kh in [400.0, 1e5] {
            near(Paddle::Piston.height_per_stroke(&wave(kh)), 2.0, 1e-12, "deep piston");
            near(flap(0.0).height_per_stroke(&wave(kh)), 2.0 * (1.0 - 1.0 / kh), 1e-12, "deep flap");
        }
    }
}
