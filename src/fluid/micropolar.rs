//! Micropolar fluids (Eringen 1966), whose particles have a spin ω beside their velocity:
//!
//! ```text
//! dv/dt   = … − ν_r curl(curl v − 2 ω)
//! Θ dω/dt = 2 ν_r (curl v − 2 ω) + γ ∇²ω
//! ```
//!
//! The torque on the spin is the reaction to the force on the flow: momentum and angular momentum, which includes that of the spin, are
//! conserved, and the energy `½ v² + ½ Θ ω²` per mass only decreases.

use serde::{Deserialize, Serialize};

use crate::fluid::{FluidSettings, step_length::LAMINAR_EIGENVALUE};

/// Maximum eigenvalue of the diffusion of the spin, in units of `γ/(Θ h²)`: four times `Σ_j V |W'|/r`, which is 12/h² where neighbours surround a
/// particle.
const DIFFUSION_EIGENVALUE: f64 = 48.0;
/// Share of the stable range, which ends at 2, for force and diffusion together; the torque takes at most 1.
const STABLE_SHARE: f64 = 0.5;

/// The constants of a micropolar fluid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Micropolar {
    /// ν_r, m²/s: how strongly the spin is coupled to the flow.
    pub rotational_viscosity: f64,
    /// Θ, m²: the spin's moment of inertia per mass.
    pub inertia: f64,
    /// γ, m⁴/s: how the spin diffuses.
    pub spin_viscosity: f64,
}

impl Micropolar {
    /// `ν_r dt` for a step of `dt` (s), m²; less if the spin would overtake the flow within the step, which it approaches at the rate `4 ν_r/Θ`.
    pub(super) fn coupling(&self, dt: f64) -> f64 {
        let Self { rotational_viscosity, inertia, .. } = self;
        -0.25 * inertia * (-4.0 * rotational_viscosity * dt / inertia).exp_m1()
    }
}

impl FluidSettings {
    /// Longest step that is stable with the coupling and the diffusion of the spin, s; infinite if the fluid has none.
    pub fn micropolar_step(&self) -> f64 {
        let Some(Micropolar { rotational_viscosity, inertia, spin_viscosity }) = self.micropolar else { return f64::INFINITY };
        let (h, densities) = (self.support_radius(), self.densities());
        let heavier = self.max_density() / (0..self.material_count() as u8).map(|index| densities.of(index)).fold(f64::INFINITY, f64::min);
        STABLE_SHARE * h * h / (heavier * (LAMINAR_EIGENVALUE * rotational_viscosity + DIFFUSION_EIGENVALUE * spin_viscosity / inertia))
    }

    /// Moment of inertia of the spin per mass, m²; zero if the fluid has no spin.
    pub fn spin_inertia(&self) -> f64 {
        self.micropolar.map_or(0.0, |micropolar| micropolar.inertia)
    }
}
