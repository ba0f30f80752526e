//! Enclosed fluid: without a surface, between walls without a gap or periodic along all axes, and without gravity except along periodic axes.
//!
//! The pressure of such a fluid is determined only up to a constant, and particles in motion, which are packed less evenly than those at
//! rest, have no room: no pressure lets all of them have the rest density. The fluid is then taken as slightly compressible about its mean
//! density `s̄`,
//!
//! ```text
//! p = ρ0 c² (s − s̄ + β),     c = 10 U
//! ```
//!
//! with its maximum speed `U` relative to its mean velocity, as in weakly compressible SPH (Monaghan 1994): the flow changes the density by about 1 %. The background
//! pressure `β ρ0 c² = 2 ρ0 U²` keeps voids from opening in vortices. Under other gravity the pressure is zero at the top, and fluid at rest must
//! not bounce under its own weight: there nothing changes.

use std::ops::RangeInclusive;

use glam::Vec3A;
use plimsoll_base::math::parallel::{max, sum};

use crate::{settings::FluidSettings, step_scene::StepScene};

/// Speed of sound in units of the maximum speed.
const MACH: f64 = 10.0;
/// Smallest speed that the speed of sound allows for, in particle radii per reference step; 4 cm/s.
const MIN_SPEED: f64 = 0.01;
/// β: a background pressure of twice ρ0 U², above the suction in a vortex.
const BACKGROUND: f64 = 0.02;
/// Relative density below which a particle is at a surface; in a lattice at rest it is 0.85 there.
const EXPOSED: f32 = 0.86;
/// Maximum share of such particles in enclosed fluid. In a driven cavity of 20 diameters the voids in two corners are 0.25 %; a surface above 100
/// layers is 1 %.
const MAX_EXPOSED_SHARE: f64 = 1e-2;
/// Range of the mean of the relative densities in enclosed fluid, less one. Particles in motion are packed less evenly, with a mean of −0.002 in
/// a Poiseuille flow of 40 diameters after 5 s; if the fluid were not enclosed from one step to the next, it would explode. A drop that hits a
/// wall is compressed at once by more than the upper limit.
const EXCESS: RangeInclusive<f64> = -0.01..=0.05;

/// How the pressure of enclosed fluid is determined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Enclosure {
    /// Compliance in the system of pressure, 1/(Pa s²).
    pub compliance: f32,
    /// Relative density that has no pressure, less one.
    pub excess: f32,
}

impl Enclosure {
    /// `None` where fluid is not enclosed.
    pub fn of(scene: &StepScene, velocities: &[Vec3A], relative_densities: &[f32]) -> Option<Self> {
        let settings = scene.settings;
        if !is_enclosed(settings, relative_densities) {
            return None;
        }
        let reference = settings.reference_step();
        let least = MIN_SPEED * settings.particle_radius / reference;
        let square = max_speed(velocities).powi(2) + least * least;
        let compliance = (1.0 / (settings.max_density() * MACH * MACH * square * scene.dt * scene.dt.max(reference))) as f32;
        Some(Self { compliance, excess: (mean_excess(relative_densities) - BACKGROUND) as f32 })
    }
}

/// Maximum speed of the flow relative to its mean velocity, m/s.
pub fn max_speed(velocities: &[Vec3A]) -> f64 {
    let mean = sum(velocities.len(), |i| velocities[i].as_dvec3()) / velocities.len().max(1) as f64;
    f64::from(max(velocities.len(), |i| (velocities[i] - mean.as_vec3a()).length_squared()).sqrt())
}

/// Whether fluid has neither a surface nor gravity along an axis that is not periodic.
pub fn is_enclosed(settings: &FluidSettings, relative_densities: &[f32]) -> bool {
    let exposed = || sum(relative_densities.len(), |i| f64::from(u8::from(relative_densities[i] < EXPOSED)));
    !settles(settings)
        && EXCESS.contains(&mean_excess(relative_densities))
        && exposed() <= MAX_EXPOSED_SHARE * relative_densities.len() as f64
}

/// Whether gravity pulls fluid against walls: not along periodic axes, where it drives a flow.
fn settles(settings: &FluidSettings) -> bool {
    (0..3).any(|axis| !settings.domain.periodic[axis] && settings.gravity[axis] != 0.0)
}

fn mean_excess(relative_densities: &[f32]) -> f64 {
    sum(relative_densities.len(), |i| f64::from(relative_densities[i]) - 1.0) / relative_densities.len() as f64
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn enclosed_fluid_stays_enclosed_while_its_particles_get_uneven() {
        let weightless = FluidSettings { gravity: DVec3::ZERO, ..FluidSettings::new(0.01) };
        // Densities about `mean`, as far apart as in a flow.
        let uneven = |mean: f32| -> Vec<f32> { (0..4000).map(|i| mean + 0.04 * ((i % 9) as f32 - 4.0) / 4.0).collect() };
        for mean in [0.993, 0.9979, 0.9981, 1.0, 1.01] {
            assert!(is_enclosed(&weightless, &uneven(mean)), "{mean}");
        }
        // A drop that hits a wall; a slab of forty layers with two surfaces at rest.
        assert!(!is_enclosed(&weightless, &uneven(1.06)));
        let slab: Vec<f32> = (0..4000).map(|i| if i % 40 < 2 { 0.85 } else { 1.0 }).collect();
        assert!(!is_enclosed(&weightless, &slab));
        // A driven cavity with voids in two corners.
        let cavity: Vec<f32> = (0..4000).map(|i| if i % 400 < 2 { 0.85 } else { 1.0 }).collect();
        assert!(is_enclosed(&weightless, &cavity));
        assert!(!is_enclosed(&FluidSettings::new(0.01), &uneven(1.0)), "gravity");
    }
}
