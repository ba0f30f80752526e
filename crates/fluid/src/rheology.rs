//! Viscosity: how much a fluid has, how it depends on the shear rate, and how it is integrated.

use serde::{Deserialize, Serialize};

/// Viscosity of the fluid and at walls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Viscosity {
    /// Kinematic viscosity at rest, m²/s, unless there are materials.
    pub kinematic: f64,
    /// How it depends on the shear rate, unless there are materials.
    #[serde(default)]
    pub law: Rheology,
    /// Artificial viscosity α (Monaghan 1992) of deviations from the smooth flow, dimensionless.
    pub artificial: f64,
    /// The same where the neighbours of a particle move at random rather than with the flow, if it is larger; without effect if `artificial` is zero.
    #[serde(default)]
    pub noise: f64,
    /// Whether the artificial viscosity is applied twice, so that it damps noise but hardly vortices.
    #[serde(default)]
    pub hyperviscosity: bool,
    /// XSPH smoothing factor (Schechter & Bridson 2012), dimensionless, 0 to 1.
    pub xsph: f64,
    /// Kinematic viscosity at walls, m²/s, instead of that of the fluid: zero lets fluid slip freely; a larger one, such as an eddy viscosity,
    /// stands for rough walls or for boundary layers thinner than a particle.
    pub wall: Option<f64>,
    /// How viscous forces are integrated.
    #[serde(default)]
    pub solver: ViscositySolver,
    /// Residual at which the implicit solve ends, in units of the first one.
    #[serde(default = "default_tolerance")]
    pub tolerance: f64,
    /// Maximum number of sweeps of the implicit solve.
    #[serde(default = "default_iterations")]
    pub iterations: u32,
}

impl Viscosity {
    /// Artificial viscosity of noise.
    pub fn of_noise(&self) -> f64 {
        if self.artificial > 0.0 { self.artificial.max(self.noise) } else { 0.0 }
    }
}

fn default_tolerance() -> f64 {
    Viscosity::default().tolerance
}

fn default_iterations() -> u32 {
    Viscosity::default().iterations
}

/// Water, which sticks to walls.
impl Default for Viscosity {
    fn default() -> Self {
        Self {
            kinematic: 1e-6,
            law: Rheology::Newtonian,
            artificial: 0.05,
            noise: 0.3,
            hyperviscosity: false,
            xsph: 0.0,
            wall: None,
            solver: ViscositySolver::Auto,
            tolerance: 1e-3,
            iterations: 1000,
        }
    }
}

/// How viscous forces are integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ViscositySolver {
    /// Implicitly if explicit forces would shorten the steps or a viscosity depends on the shear rate.
    #[default]
    Auto,
    /// From the velocities at the beginning of the step, which limits its length.
    Explicit,
    /// From those at its end: stable for any step.
    Implicit,
}

/// How the viscosity of a fluid depends on the shear rate `γ̇ = √(2 D:D)`, with the deviatoric strain rate D.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Rheology {
    /// Not at all.
    #[default]
    Newtonian,
    /// From the viscosity at rest to another one at high rates (Carreau 1972):
    /// `ν = ν_∞ + (ν_0 − ν_∞) (1 + (λ γ̇)²)^((n − 1)/2)`.
    Carreau {
        /// ν_∞, m²/s.
        infinite: f64,
        /// λ, s.
        time: f64,
        /// n: below 1 the fluid thins, above it thickens.
        index: f64,
    },
    /// A yield stress, above which the fluid flows with a power law, regularized by the viscosity at rest (de Souza Mendes & Dutra 2004):
    /// `η = (1 − exp(−η_0 γ̇/τ_y)) (τ_y/γ̇ + K γ̇^(n − 1))`.
    HerschelBulkley {
        /// τ_y, Pa.
        yield_stress: f64,
        /// K, Pa sⁿ.
        consistency: f64,
        /// n; 1 for a Bingham fluid.
        index: f64,
    },
}

impl Rheology {
    /// Kinematic viscosity (m²/s) at a shear rate of `rate` (1/s), of a fluid of `density` (kg/m³) with the viscosity `at_rest` (m²/s).
    pub fn kinematic(&self, at_rest: f64, density: f64, rate: f64) -> f64 {
        match *self {
            Self::Newtonian => at_rest,
            Self::Carreau { infinite, time, index } => {
                infinite + (at_rest - infinite) * (1.0 + (time * rate).powi(2)).powf(0.5 * (index - 1.0))
            }
            Self::HerschelBulkley { .. } if rate <= f64::MIN_POSITIVE => at_rest,
            Self::HerschelBulkley { yield_stress, consistency, index } => {
                let yielded = -(-density * at_rest * rate / yield_stress).exp_m1();
                yielded * (yield_stress / rate + consistency * rate.powf(index - 1.0)) / density
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carreau_lies_between_its_limits() {
        let law = Rheology::Carreau { infinite: 1e-5, time: 2.0, index: 0.4 };
        let at = |rate| law.kinematic(1e-2, 1000.0, rate);
        assert!((at(0.0) - 1e-2).abs() < 1e-15 && (at(1e12) - 1e-5).abs() < 1e-8);
        // In the power law region the slope is n − 1.
        let slope = (at(2e2) - 1e-5).ln() - (at(1e2) - 1e-5).ln();
        assert!((slope / 2.0_f64.ln() + 0.6).abs() < 1e-3, "{slope}");
    }

    #[test]
    fn a_yield_stress_is_regularized_by_the_viscosity_at_rest() {
        let law = Rheology::HerschelBulkley { yield_stress: 20.0, consistency: 3.0, index: 0.5 };
        let stress = |rate: f64| 1200.0 * law.kinematic(0.5, 1200.0, rate) * rate;
        let at_rest = law.kinematic(0.5, 1200.0, 1e-9);
        assert!((at_rest / 0.5 - 1.0).abs() < 1e-4 && law.kinematic(0.5, 1200.0, 0.0) == 0.5, "{at_rest}");
        for rate in [1.0_f64, 10.0, 100.0] {
            assert!((stress(rate) / (20.0 + 3.0 * rate.sqrt()) - 1.0).abs() < 1e-9, "{}", stress(rate));
        }
    }
}
