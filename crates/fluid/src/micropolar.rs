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
