//! Theory of hard spheres in equilibrium, including mixtures.
//!
//! With number densities `n_i`, diameters `d_i`, `d_ij = (d_i + d_j) / 2`, packing fraction `η` and moments `ξ_k = c Σ n_i d_i^k`
//! (`c = π/6`; in two dimensions `π/4`):
//!
//! - 3-D: compressibility factor of Boublík (1970) and Mansoori et al. (1971); for one species it is that of Carnahan & Starling (1969):
//!   `Z = 1/(1−η) + 3 ξ_1 ξ_2 / (ξ_0 (1−η)²) + ξ_2³ (3−η) / (ξ_0 (1−η)³)`; at contact
//!   `χ_ij = 1/(1−η) + (3/2) ξ_2 q / (1−η)² + (1/2) ξ_2² q² / (1−η)³`, `q = d_i d_j / d_ij`.
//! - 2-D: `Z = (1 + η²/8) / (1−η)²` for one species (Henderson 1975) and, for mixtures, `Z = (1−ζ)/(1−η) + ζ Z(η)`, `ζ = <d>²/<d²>`
//!   (Santos, Yuste & López de Haro 1999); at contact `χ_ij = 1/(1−η) + (9/16) ξ_1 q / (1−η)²` (Jenkins & Mancini 1987).
//! - Impacts per volume and second (Enskog): `½ Σ n_i n_j d_ij² χ_ij √(8π kT/μ_ij)`, in 2-D `½ Σ n_i n_j d_ij χ_ij √(2π kT/μ_ij)`, with the
//!   reduced mass `μ_ij`.
//!
//! The equations are those of the fluid, and end where it freezes: `η = 0.494` for spheres, about 0.70 for discs.

use std::f64::consts::PI;

use super::{container::Dimension, settings::Species};

/// Packing fractions at which equal discs and spheres freeze (Bernard & Krauth 2011; Hoover & Ree 1968).
const FREEZING: [f64; 2] = [0.70, 0.494];

/// Number of spheres of each species in a volume (m³; area in m² in two dimensions).
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Two or three dimensions.
    pub dimension: Dimension,
    /// m³; m² in two dimensions.
    pub volume: f64,
    /// Each species and its number of spheres.
    pub parts: Vec<(Species, usize)>,
}

impl Mixture {
    fn moment(&self, power: i32) -> f64 {
        let factor = if self.dimension == Dimension::Two { PI / 4.0 } else { PI / 6.0 };
        let parts = self.parts.iter();
        factor / self.volume * parts.map(|(species, count)| *count as f64 * (2.0 * species.radius).powi(power)).sum::<f64>()
    }

    /// Packing fraction.
    pub fn packing(&self) -> f64 {
        self.moment(self.dimension.count() as i32)
    }

    /// Whether the theory holds: not beyond freezing.
    pub fn is_fluid(&self) -> bool {
        self.packing() <= FREEZING[self.dimension.count() - 2]
    }

    /// `p V / (N kT)` of the fluid.
    pub fn compressibility(&self) -> f64 {
        let packing = self.packing();
        let free = 1.0 - packing;
        let [none, first, second] = [0, 1, 2].map(|power| self.moment(power));
        match self.dimension {
            Dimension::Two => {
                let alike = first * first / (none * second);
                (1.0 - alike) / free + alike * (1.0 + packing * packing / 8.0) / (free * free)
            }
            Dimension::Three => {
                1.0 / free + 3.0 * first * second / (none * free * free) + second.powi(3) * (3.0 - packing) / (none * free.powi(3))
            }
        }
    }

    /// Impacts between spheres per second in the whole volume at `temperature` (kT in J).
    pub fn impact_rate(&self, temperature: f64) -> f64 {
        let packing = self.packing();
        let free = 1.0 - packing;
        let [first, second] = [1, 2].map(|power| self.moment(power));
        let mut rate = 0.0;
        for (a, count_a) in &self.parts {
            for (b, count_b) in &self.parts {
                let sigma = a.radius + b.radius;
                let q = 4.0 * a.radius * b.radius / sigma;
                let reduced = a.mass * b.mass / (a.mass + b.mass);
                let pairs = 0.5 * *count_a as f64 * *count_b as f64 / self.volume;
                rate += pairs
                    * match self.dimension {
                        Dimension::Two => {
                            let chi = 1.0 / free + 9.0 / 16.0 * first * q / (free * free);
                            sigma * chi * (2.0 * PI * temperature / reduced).sqrt()
                        }
                        Dimension::Three => {
                            let chi = 1.0 / free + 1.5 * second * q / (free * free) + 0.5 * (second * q).powi(2) / free.powi(3);
                            sigma * sigma * chi * (8.0 * PI * temperature / reduced).sqrt()
                        }
                    };
            }
        }
        rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_species_gives_the_equations_named_after_its_authors() {
        let part = (Species { radius: 0.5, mass: 2.0 }, 1000);
        for packing in [0.05, 0.2, 0.4_f64] {
            let mixture =
                |dimension, own: f64| Mixture { dimension, volume: 1000.0 * own / packing, parts: vec![(part.0, 400), (part.0, 600)] };
            let (space, plane) = (mixture(Dimension::Three, PI / 6.0), mixture(Dimension::Two, PI / 4.0));
            assert!((space.packing() / packing - 1.0).abs() < 1e-14 && (plane.packing() / packing - 1.0).abs() < 1e-14);
            let free = 1.0 - packing;
            let starling = (1.0 + packing + packing * packing - packing.powi(3)) / free.powi(3);
            assert!((space.compressibility() / starling - 1.0).abs() < 1e-14);
            assert!((plane.compressibility() / ((1.0 + packing * packing / 8.0) / (free * free)) - 1.0).abs() < 1e-14);
            // Z = 1 + 4 η χ (3-D) and Z = 1 + 2 η χ (2-D) relate Z to χ. In 2-D they agree except for the third digit.
            let rate = |mixture: &Mixture| 2.0 * mixture.impact_rate(3.0) / 1000.0;
            let chi = (starling - 1.0) / (4.0 * packing);
            let enskog = 4.0 * (PI * 3.0 / 2.0).sqrt() * 1000.0 / space.volume * chi;
            assert!((rate(&space) / enskog - 1.0).abs() < 1e-12);
            let chi = (1.0 - 7.0 * packing / 16.0) / (free * free);
            let enskog = 2.0 * (PI * 3.0 / 2.0).sqrt() * 1000.0 / plane.volume * chi;
            assert!((rate(&plane) / enskog - 1.0).abs() < 1e-12);
        }
    }
}
