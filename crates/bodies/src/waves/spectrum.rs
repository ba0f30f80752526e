//! Irregular waves: components whose energy follows the JONSWAP spectrum.
//!
//! ```text
//! S(f) ∝ f⁻⁵ exp(−5/4 (f_p/f)⁴) γ^exp(−(f/f_p − 1)²/2σ²),   σ = 0.07 for f ≤ f_p, otherwise 0.09
//! ```
//!
//! (Hasselmann et al. 1973). With γ = 1 this is the spectrum of Pierson & Moskowitz (1964). The frequencies from 0.5 to 3 f_p are divided into
//! bands of equal width. Each band has one component with the energy of the band and a random phase, at a random frequency in the band:
//! with equidistant frequencies the signal would repeat after the inverse of their distance.

use std::f64::consts::TAU;

use plimsoll_base::math::Random;
use serde::{Deserialize, Serialize};

/// Lowest and highest frequency, relative to the peak. Beyond them are 2e-9 and 1.5 % of the energy with γ = 1; it is added to the others.
const RANGE: [f64; 2] = [0.5, 3.0];
/// Intervals of Simpson's rule over each band: narrow compared with the peak, even with few bands.
const INTERVALS: u32 = 64;

/// Irregular waves in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IrregularWaves {
    /// Four times the standard deviation of the surface, m.
    pub significant_height: f64,
    /// Period at the peak of the spectrum, s.
    pub peak_period: f64,
    /// Peak enhancement γ: 3.3 for the mean JONSWAP spectrum, 1 for that of Pierson & Moskowitz.
    pub peak_enhancement: f64,
    /// Number of components, at least 1.
    pub components: usize,
    /// Seed of their frequencies and phases.
    pub seed: u64,
}

/// A component of irregular waves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpectrumComponent {
    /// Hz
    pub frequency: f64,
    /// Of the surface, m.
    pub amplitude: f64,
    /// rad
    pub phase: f64,
}

impl IrregularWaves {
    /// The components in ascending order of frequency. Half the sum of their squared amplitudes is exactly `significant_height²/16`.
    pub fn components(&self) -> Vec<SpectrumComponent> {
        let mut random = Random::new(self.seed);
        let width = (RANGE[1] - RANGE[0]) / self.components as f64;
        let low = |band: usize| RANGE[0] + width * band as f64;
        let energies: Vec<f64> = (0..self.components).map(|band| self.energy(low(band), width)).collect();
        let total: f64 = energies.iter().sum();
        let component = |(band, energy): (usize, &f64)| SpectrumComponent {
            frequency: random.between(low(band), low(band + 1)) / self.peak_period,
            amplitude: self.significant_height * (energy / (8.0 * total)).sqrt(),
            phase: random.between(0.0, TAU),
        };
        energies.iter().enumerate().map(component).collect()
    }

    /// Integral of the shape over a band, by Simpson's rule.
    fn energy(&self, low: f64, width: f64) -> f64 {
        let step = width / f64::from(INTERVALS);
        let weight = |i: u32| if i == 0 || i == INTERVALS { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
        (0..=INTERVALS).map(|i| weight(i) * self.shape(low + step * f64::from(i))).sum::<f64>() * step / 3.0
    }

    /// S(f) at `relative = f/f_p`, up to a factor.
    fn shape(&self, relative: f64) -> f64 {
        let spread = if relative <= 1.0 { 0.07 } else { 0.09 };
        let distance = (relative - 1.0) / spread;
        relative.powi(-5) * (-1.25 * relative.powi(-4)).exp() * self.peak_enhancement.powf((-0.5 * distance * distance).exp())
    }
}
