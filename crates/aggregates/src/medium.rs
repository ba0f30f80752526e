//! The fluid between the clusters: friction, relaxation, diffusion.
//!
//! A sphere of radius `r` has the friction `f = 6π μ r / C(λ/r)` with Cunningham's `C(Kn) = 1 + Kn (1.257 + 0.4 exp(−1.1/Kn))` (constants
//! of Davies 1945), from the continuum to the free-molecular regime. A cluster is either
//!
//! - an adjusted sphere (Dahneke 1973; Zhang et al. 2012): `f = 6π μ R_H / C(π λ R_H / A)`, with the hydrodynamic radius of Kirkwood and
//!   Bloomfield, `R_H = Σr / (1 + Σ_{m≠n} r_m r_n / |x_m − x_n| / Σr)`, and the mean projected area `A = N^{−0.08} Σ π r²` (Medalia 1967);
//! - free-draining: the sum of the frictions of its spheres.
//!
//! Relaxation time `τ = m/f`, diffusivity `D = kT/f`; rotation `f_r = 8π μ R_H³ / C` with the same `C`. SI units.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::cluster::Cluster;

/// Boltzmann's constant, J/K.
pub const BOLTZMANN: f64 = 1.380_649e-23;

/// Gas constant, J/(mol K), and molar mass of air, kg/mol.
const GAS_CONSTANT: f64 = 8.314_462_618;
const MOLAR_MASS: f64 = 0.028_964_7;

/// Standard atmosphere, Pa.
pub const ATMOSPHERE: f64 = 101_325.0;

/// Friction law of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Drag {
    /// An adjusted sphere with the hydrodynamic radius of the cluster.
    #[default]
    AdjustedSphere,
    /// The sum of the frictions of its spheres.
    FreeDraining,
}

/// A fluid at rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Medium {
    /// K
    pub temperature: f64,
    /// Pa s
    pub viscosity: f64,
    /// Mean free path of its molecules, m; zero for a liquid.
    pub mean_free_path: f64,
    /// Friction law of a cluster.
    pub drag: Drag,
}

/// Viscosity of air at `temperature` (K) by Sutherland's law, Pa s.
pub fn viscosity_of_air(temperature: f64) -> f64 {
    1.716e-5 * (temperature / 273.15).powf(1.5) * (273.15 + 110.4) / (temperature + 110.4)
}

/// Mean free path in air, `μ/p √(π R T / 2M)`, m.
pub fn mean_free_path_in_air(temperature: f64, pressure: f64) -> f64 {
    viscosity_of_air(temperature) / pressure * (PI * GAS_CONSTANT * temperature / (2.0 * MOLAR_MASS)).sqrt()
}

/// Cunningham's correction at a Knudsen number (mean free path over radius).
pub fn cunningham(knudsen: f64) -> f64 {
    if knudsen == 0.0 { 1.0 } else { 1.0 + knudsen * (1.257 + 0.4 * (-1.1 / knudsen).exp()) }
}

impl Medium {
    /// Air at `temperature` (K) and `pressure` (Pa), clusters as adjusted spheres.
    pub fn air(temperature: f64, pressure: f64) -> Self {
        let (viscosity, mean_free_path) = (viscosity_of_air(temperature), mean_free_path_in_air(temperature, pressure));
        Self { temperature, viscosity, mean_free_path, drag: Drag::default() }
    }

    /// `kT`, J.
    pub fn thermal_energy(&self) -> f64 {
        BOLTZMANN * self.temperature
    }

    /// Friction coefficients of translation (kg/s) and rotation (kg m²/s).
    pub fn frictions(&self, cluster: &Cluster) -> (f64, f64) {
        let sphere = |radius: f64| 6.0 * PI * self.viscosity * radius / cunningham(self.mean_free_path / radius);
        let members = &cluster.members;
        if let [only] = members.as_slice() {
            return (sphere(only.radius), 4.0 / 3.0 * only.radius.powi(2) * sphere(only.radius));
        }
        match self.drag {
            Drag::FreeDraining => {
                // Each sphere resists its motion about the center and its own rotation; each axis has a third of |x|², twice.
                let parts = members.iter().map(|member| {
                    let own = sphere(member.radius);
                    (own, own * (2.0 / 3.0 * member.offset.length_squared() + 4.0 / 3.0 * member.radius.powi(2)))
                });
                parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
            }
            Drag::AdjustedSphere => {
                let radii: f64 = members.iter().map(|member| member.radius).sum();
                let hydrodynamic = radii / (1.0 + cluster.pair_sum / radii);
                let spheres: f64 = members.iter().map(|member| PI * member.radius.powi(2)).sum();
                let area = spheres * (members.len() as f64).powf(-0.08);
                let correction = cunningham(PI * self.mean_free_path * hydrodynamic / area);
                let stokes = 6.0 * PI * self.viscosity * hydrodynamic / correction;
                (stokes, 4.0 / 3.0 * hydrodynamic.powi(2) * stokes)
            }
        }
    }

    /// `m/f`, s.
    pub fn relaxation_time(&self, cluster: &Cluster) -> f64 {
        cluster.mass / self.frictions(cluster).0
    }

    /// `kT/f`, m²/s.
    pub fn diffusivity(&self, cluster: &Cluster) -> f64 {
        self.thermal_energy() / self.frictions(cluster).0
    }
}

/// Rate constant of collisions of equal spheres of `diameter` (m) and `mass` (kg) in free flight: `√2 π d² v̄`, `v̄ = √(8 kT / π m)`; m³/s.
pub fn free_flight_kernel(diameter: f64, mass: f64, thermal_energy: f64) -> f64 {
    2_f64.sqrt() * PI * diameter * diameter * (8.0 * thermal_energy / (PI * mass)).sqrt()
}

/// Rate constant of collisions of equal spheres of `diameter` (m) and `diffusivity` (m²/s) after Smoluchowski: `8π D d`; m³/s.
pub fn diffusion_kernel(diameter: f64, diffusivity: f64) -> f64 {
    8.0 * PI * diffusivity * diameter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn air_and_its_limits_are_those_of_tables() {
        // Tables for 20 °C and 1 atm: 1.81e-5 Pa s, 66 nm, and C = 2.91 for a diameter of 0.1 µm (Hinds 1999, within its constants).
        assert!((viscosity_of_air(293.15) / 1.813e-5 - 1.0).abs() < 0.005);
        assert!((mean_free_path_in_air(293.15, ATMOSPHERE) / 66e-9 - 1.0).abs() < 0.03);
        assert!((cunningham(2.0 * 66e-9 / 1e-7) / 2.91 - 1.0).abs() < 0.03, "{}", cunningham(1.32));
        assert_eq!(cunningham(0.0), 1.0);
    }

    #[test]
    fn a_pair_is_slower_than_one_and_faster_than_two() {
        for mean_free_path in [0.0, 1e-7, 1e-4] {
            for drag in [Drag::AdjustedSphere, Drag::FreeDraining] {
                let medium = Medium { temperature: 300.0, viscosity: 1.8e-5, mean_free_path, drag };
                let one = Cluster::sphere(0, 1e-7, 1000.0);
                let mut motion = crate::Motion {
                    center: glam::DVec3::ZERO,
                    velocity: glam::DVec3::ZERO,
                    orientation: glam::DQuat::IDENTITY,
                    spin: glam::DVec3::ZERO,
                };
                let here = motion;
                motion.center.x = 2e-7;
                let (pair, _) = Cluster::merged((&one, &here), (&one, &motion), true);
                let ratio = medium.frictions(&pair).0 / medium.frictions(&one).0;
                let expected = match (drag, mean_free_path) {
                    (Drag::FreeDraining, _) => 2.0,
                    (_, 0.0) => 4.0 / 3.0,
                    _ => 1.6,
                };
                assert!((ratio - expected).abs() < if expected == 1.6 { 0.35 } else { 1e-9 }, "{mean_free_path} {drag:?} {ratio}");
            }
        }
    }
}
