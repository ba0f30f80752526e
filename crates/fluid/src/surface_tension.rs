//! Surface tensions and contact angles, and what they mean for the length of a step.

use std::{f64::consts::TAU, ops::RangeInclusive};

use crate::{FluidSettings, material::ByMaterial};

/// Longest step with surface tension, in units of `√(ρ h³/(2π σ))`, the period of the shortest capillary waves over 2π (Brackbill et al. 1992).
const CAPILLARY_SHARE: f64 = 0.25;
/// Time within which fluid with surface tension may close up to the rest density, in units of `√(ρ h³/σ)`.
const CLOSING_SHARE: f64 = 1.0;

/// Contact angles that walls can have, degrees. Beyond them drops leave the wall or spread into a film of one layer, which has no tension.
pub const CONTACT_ANGLES: RangeInclusive<f64> = 60.0..=120.0;

impl FluidSettings {
    /// Contact angles at walls, rad.
    pub fn contact_angles(&self) -> ByMaterial<f64> {
        ByMaterial::new(&self.materials, |material| material.map_or(self.contact_angle, |material| material.contact_angle))
    }

    /// Surface tensions, N/m.
    pub fn tensions(&self) -> ByMaterial<f64> {
        ByMaterial::new(&self.materials, |material| material.map_or(self.surface_tension, |material| material.surface_tension))
    }

    /// The largest surface tension, N/m.
    pub fn max_tension(&self) -> f64 {
        let largest = self.materials.iter().map(|material| material.surface_tension).reduce(f64::max);
        largest.unwrap_or(self.surface_tension)
    }

    /// The largest surface tension over the smallest density, m³/s².
    pub(super) fn max_kinematic_tension(&self) -> f64 {
        self.max_tension() / self.min_density()
    }

    /// `√(ρ h³/σ)`, s; infinite without surface tension.
    fn capillary_time(&self) -> f64 {
        (self.support_radius().powi(3) / self.max_kinematic_tension()).sqrt()
    }

    /// Longest step that is stable with the surface tension, s; infinite without it.
    pub fn capillary_step(&self) -> f64 {
        CAPILLARY_SHARE / TAU.sqrt() * self.capillary_time()
    }

    /// Time (s) within which a step of `dt` (s) lets fluid below its rest density be compressed to it. Without surface tension it is the step.
    /// Surface tension always pulls at the surface: within a step, particles would fall inward at speeds at which the rest of the fluid cannot
    /// move, and a drop would oscillate. Where gravity dominates, at large Bond numbers of the support radius, the time approaches the step.
    pub(super) fn closing_time(&self, dt: f64) -> f64 {
        if self.max_tension() == 0.0 {
            return dt;
        }
        let bond = self.gravity.length() * self.support_radius().powi(2) / self.max_kinematic_tension();
        dt.max(CLOSING_SHARE * self.capillary_time() / (1.0 + bond))
    }
}
