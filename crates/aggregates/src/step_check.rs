//! Checks whether the steps of a motion law give the collision rates and the diffusion of the medium.
//!
//! A law moves equal spheres of diameter `d` with a mean speed `v̄` and a diffusivity `D`. The rate constant of their collisions, from free
//! flight to diffusion, is that of Dahneke (1983), close to Fuchs (1964):
//!
//! `K = 8π D d (1 + Kn) / (1 + 2 Kn (1 + Kn))`, `Kn = 4 D / (√2 v̄ d)`.
//!
//! In the medium `D = kT/f` and `v̄ = √(8 kT / π m)`. With `fixed` the diffusivity is `kT δt / 2m`; with `brownian` the mean square of a velocity
//! component is `2 D / δt`. SI units.

use std::f64::consts::PI;

use super::{
    cluster::Cluster,
    medium::diffusion_kernel,
    settings::{AggregateSettings, MotionLaw},
};

/// Factor by which the collision rate may deviate from that of the medium.
const RATE_TOLERANCE: f64 = 1.25;
/// Factor by which the diffusivity may deviate. Large, because collisions in free flight do not depend on it.
const DIFFUSION_TOLERANCE: f64 = 30.0;

impl AggregateSettings {
    /// What is wrong with the time step of the motion law, if anything: the step, what it changes, and what would be right.
    pub fn step_warning(&self) -> Option<String> {
        let sphere = Cluster::sphere(0, 0.5 * self.diameter, self.density);
        let (energy, relaxation, diffusivity) =
            (self.medium.thermal_energy(), self.medium.relaxation_time(&sphere), self.medium.diffusivity(&sphere));
        let square = energy / sphere.mass;
        let (step, model_diffusivity, model_square) = match self.law {
            MotionLaw::Relaxation => return None,
            MotionLaw::Fixed { time_step } => (time_step, 0.5 * square * time_step, square),
            MotionLaw::Brownian { time_step } => (time_step, diffusivity, 2.0 * diffusivity / time_step),
        };
        let rate = kernel(self.diameter, model_diffusivity, model_square) / kernel(self.diameter, diffusivity, square);
        let spread = model_diffusivity / diffusivity;
        let is_off = |ratio: f64, tolerance: f64| !(1.0 / tolerance..=tolerance).contains(&ratio);
        if !is_off(rate, RATE_TOLERANCE) && !is_off(spread, DIFFUSION_TOLERANCE) {
            return None;
        }
        let steps = format!(
            "steps of {step:e} s are {} relaxation times and {} diameters along each axis",
            significant(step / relaxation),
            significant(model_square.sqrt() * step / self.diameter)
        );
        let effects = format!("spheres collide {} and diffuse {} times as fast as in this medium", significant(rate), significant(spread));
        Some(format!("{steps}: {effects}; use {}", self.advice(relaxation, diffusivity)))
    }

    /// A law and a step that are right for spheres with a relaxation time (s) and a diffusivity (m²/s).
    fn advice(&self, relaxation: f64, diffusivity: f64) -> String {
        // Paths of a tenth of a diameter are short against the distance to a partner at contact.
        let (least, most) = (2.0 * relaxation, (0.1 * self.diameter).powi(2) / (2.0 * diffusivity));
        match self.law {
            MotionLaw::Brownian { .. } if least <= most => format!("a time_step from {least:.2e} s to {most:.2e} s"),
            MotionLaw::Brownian { .. } => format!("law = \"relaxation\": free flights, of {least:.2e} s, are not short here"),
            _ => format!("law = \"relaxation\", or a time_step of {least:.2e} s"),
        }
    }
}

/// Rate constant of collisions of spheres of `diameter` (m) with a mean square `square` of each velocity component (m²/s²), m³/s.
fn kernel(diameter: f64, diffusivity: f64, square: f64) -> f64 {
    let speed = (8.0 / PI * square).sqrt();
    let knudsen = 4.0 * diffusivity / (2_f64.sqrt() * speed * diameter);
    diffusion_kernel(diameter, diffusivity) * (1.0 + knudsen) / (1.0 + 2.0 * knudsen * (1.0 + knudsen))
}

/// Three significant digits.
fn significant(value: f64) -> String {
    if (0.01..1e4).contains(&value) {
        let decimals = (2 - value.log10().floor() as i32).max(0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ATMOSPHERE, Medium, medium::free_flight_kernel};

    /// Spheres of 30 nm in a flame (free flights), and of 1 µm in air.
    fn settings(law: MotionLaw, diameter: f64) -> AggregateSettings {
        let temperature = if diameter < 1e-7 { 1700.0 } else { 300.0 };
        AggregateSettings { diameter, medium: Medium::air(temperature, ATMOSPHERE), ..AggregateSettings::soot(100, 1e-4, law) }
    }

    #[test]
    fn the_rate_has_both_limits() {
        let sphere = Cluster::sphere(0, 15e-9, 1800.0);
        let energy = 2e-20;
        let free = free_flight_kernel(30e-9, sphere.mass, energy);
        assert!((kernel(30e-9, 1.0, energy / sphere.mass) / free - 1.0).abs() < 1e-3);
        assert!((kernel(30e-9, 1e-14, energy / sphere.mass) / diffusion_kernel(30e-9, 1e-14) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn steps_that_are_too_short_or_too_long_are_reported() {
        let warning = |law, diameter| settings(law, diameter).step_warning();
        assert_eq!(warning(MotionLaw::Relaxation, 30e-9), None);
        // The step of the source: collisions are right within 3 %, diffusion within a factor of 6.
        assert_eq!(warning(MotionLaw::Fixed { time_step: 1e-6 }, 30e-9), None);
        let sphere = Cluster::sphere(0, 0.5e-6, 1800.0);
        let relaxation = settings(MotionLaw::Relaxation, 1e-6).medium.relaxation_time(&sphere);
        assert_eq!(warning(MotionLaw::Fixed { time_step: 2.0 * relaxation }, 1e-6), None);
        assert_eq!(warning(MotionLaw::Brownian { time_step: 4.0 * relaxation }, 1e-6), None);
        for (law, diameter) in [
            (MotionLaw::Fixed { time_step: 18_000.0 * relaxation }, 1e-6),
            (MotionLaw::Fixed { time_step: 0.02 * relaxation }, 1e-6),
            // Displacements of many diameters in a straight line, and speeds above the thermal one.
            (MotionLaw::Brownian { time_step: 1e6 * relaxation }, 1e-6),
            (MotionLaw::Brownian { time_step: 1e-8 }, 30e-9),
            (MotionLaw::Brownian { time_step: 1e-6 }, 30e-9),
        ] {
            let warning = warning(law, diameter).unwrap_or_else(|| panic!("a warning of {law:?}"));
            assert!(warning.contains("relaxation times") && warning.contains("; use "), "{warning}");
        }
    }
}
