//! Air around the fluid, which drags on drops and spray: the shape and the drag of a drop (Gissler, Band, Peer, Ihmsen & Teschner 2017,
//! Approximate air-fluid interactions for SPH).
//!
//! A drop of radius L in air of relative speed v oscillates about a flattened shape (Taylor analogy, O'Rourke & Amsden 1987). Its deformation y,
//! from 0 (sphere) to 1 (disc of the radius 1.5 L), follows
//!
//! ```text
//! y'' = (C_F/C_b) ρ_a v²/(ρ L²) − (C_k σ/(ρ L³)) y − (C_d μ/(ρ L²)) y',     y(0) = y'(0) = 0
//! ```
//!
//! and its first maximum is `y = min(1, C_def We C_F/(C_k C_b))`, `We = ρ_a v² L/σ`, where the maximum of a damped oscillation at half its period is
//! `C_def = 1 + exp(−π/(ω t_d))`. The drag has the cross section `A = π L² (1 + C_b y)²` and the coefficient `C_D = C_sphere (1 + 2.632 y)`
//! (Liu, Mather & Reitz 1993).

use std::f64::consts::PI;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Constants of the Taylor analogy.
const C_F: f64 = 1.0 / 3.0;
const C_B: f64 = 0.5;
const C_K: f64 = 8.0;
const C_D: f64 = 5.0;
/// Increase of the drag coefficient from a sphere to a disc.
const DISC: f64 = 2.632;
/// Reynolds number from which the drag coefficient of a sphere is constant, and this constant.
const TURBULENT: f64 = 1000.0;
const TURBULENT_COEFFICIENT: f64 = 0.424;
/// Drag coefficient of a particle within a surface, of which the cross section is the square of its diameter.
const SURFACE_COEFFICIENT: f64 = 1.0;

/// The air around the fluid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Air {
    /// kg/m³
    pub density: f64,
    /// Dynamic viscosity, Pa s.
    pub viscosity: f64,
    /// The wind, m/s.
    pub velocity: DVec3,
    /// Surface tension of the fluid, N/m: how much the drag flattens drops.
    pub surface_tension: f64,
}

/// Calm air at 20 °C, around water.
impl Default for Air {
    fn default() -> Self {
        Self { density: 1.2, viscosity: 1.8e-5, velocity: DVec3::ZERO, surface_tension: 0.0724 }
    }
}

/// A particle as a drop in air.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Droplet {
    /// Radius of a sphere of the particle's volume, m.
    radius: f64,
    /// The side of the cube that the particle fills in the fluid, m.
    side: f64,
    /// Reynolds number per speed, s/m.
    reynolds: f64,
    /// Deformation per squared speed, s²/m².
    deformation: f64,
}

impl Droplet {
    /// A drop that fills a cube of this `side` (m), of a fluid of this `density` (kg/m³) and dynamic `viscosity` (Pa s), in `air`.
    pub fn new(air: &Air, side: f64, density: f64, viscosity: f64) -> Self {
        let radius = side * (0.75 / PI).cbrt();
        let damping = 0.5 * C_D * viscosity / (density * radius.powi(2));
        let frequency_squared = C_K * air.surface_tension / (density * radius.powi(3)) - damping.powi(2);
        let overshoot = if frequency_squared > 0.0 { (-PI * damping / frequency_squared.sqrt()).exp() } else { 0.0 };
        let weber = air.density * radius / air.surface_tension;
        Self {
            radius,
            side,
            reynolds: 2.0 * air.density * radius / air.viscosity,
            deformation: (1.0 + overshoot) * weber * C_F / (C_K * C_B),
        }
    }

    /// Drag coefficient times cross section (m²) at a relative `speed` (m/s) above 0, of a drop that is the share `bulk` (0 to 1) of the way
    /// to a particle in a flat surface.
    pub fn drag_area(&self, speed: f64, bulk: f64) -> f64 {
        let reynolds = self.reynolds * speed;
        let sphere = match reynolds < TURBULENT {
            true => 24.0 / reynolds * (1.0 + reynolds.powf(2.0 / 3.0) / 6.0),
            false => TURBULENT_COEFFICIENT,
        };
        let y = (self.deformation * speed * speed).min(1.0);
        let coefficient = sphere * (1.0 + DISC * y);
        let area = PI * (self.radius * (1.0 + C_B * y)).powi(2);
        let blend = |drop: f64, surface: f64| drop + bulk * (surface - drop);
        blend(coefficient, SURFACE_COEFFICIENT) * blend(area, self.side * self.side)
    }
}
