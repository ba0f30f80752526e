//! Damping zones, which absorb waves: `J_i = −m (1 − exp(−γ dt)) v_i`.
//!
//! ```text
//! γ(x) = rate · s²,   s = 0 where the zone begins along its direction, 1 where it ends
//! ```
//!
//! The profile is that of Altomare et al. (2017); the exponential makes the decay of a velocity independent of the step length and stable
//! for any. A wave passes a zone of length l with the group velocity c_g, is reflected by the wall behind it, and returns with the amplitude
//! `exp(−rate · l/(3 c_g))`; a rate that is too high reflects the wave within the zone. For zones as long as a wave, the least reflection is
//! between 1.5 and 3 ω, and for any depth `4 √(|g|/l)` lies in this range (docs/theory/waves.md).

use glam::DVec3;
use plimsoll_base::math::{
    Aabb,
    parallel::{InTasks, TASK},
};
use rayon::prelude::*;

use super::term::{ForceContext, Impulses, Term};
use crate::{coupling::Origin, settings::DampingZone};

/// Default rate in units of `√(|g|/l)`.
const DEFAULT_RATE: f64 = 4.0;

pub const TERM: Term = Term { origin: Origin::Outside, is_active: |context| !context.settings.damping_zones.is_empty(), impulses };

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let (zones, masses) = (&context.settings.damping_zones, context.settings.masses());
    let particles = impulses.on_particles.par_iter_mut().zip(context.positions).zip(context.velocities).zip(context.materials);
    particles.in_tasks(TASK).for_each(|(((impulse, position), velocity), &material)| {
        let rate: f64 = zones.iter().map(|zone| zone.rate_at(position.as_dvec3())).sum();
        if rate > 0.0 {
            *impulse = (masses.of(material) * (-rate * context.dt).exp_m1() * velocity.as_dvec3()).as_vec3a();
        }
    });
}

impl DampingZone {
    /// A zone that absorbs waves up to about its own length along `direction`, a vector of any nonzero length, under `gravity` (m/s²).
    pub fn new(region: Aabb, direction: DVec3, gravity: DVec3) -> Self {
        let mut zone = Self { region, direction: direction.normalize(), rate: 0.0 };
        zone.rate = DEFAULT_RATE * (gravity.length() / zone.length()).sqrt();
        zone
    }

    /// Extent of the zone along its direction, m.
    pub fn length(&self) -> f64 {
        self.region.extent().dot(self.direction.abs())
    }

    /// Rate at which the velocity decays at `point`, 1/s; zero outside the zone.
    pub fn rate_at(&self, point: DVec3) -> f64 {
        if !self.region.contains(point) {
            return 0.0;
        }
        let s = 0.5 + (point - self.region.center()).dot(self.direction) / self.length();
        self.rate * s * s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damping_grows_quadratically_along_the_direction() {
        let region = Aabb { min: DVec3::new(1.0, 0.0, 0.0), max: DVec3::new(3.0, 1.0, 4.0) };
        let zone = DampingZone { rate: 8.0, ..DampingZone::new(region, DVec3::new(-2.0, 0.0, 0.0), DVec3::ZERO) };
        assert_eq!((zone.length(), zone.direction), (2.0, DVec3::NEG_X));
        let rates = [3.0, 2.0, 1.0, 3.1, 0.9].map(|x| zone.rate_at(DVec3::new(x, 0.5, 2.0)));
        assert_eq!(rates, [0.0, 2.0, 8.0, 0.0, 0.0]);
        let oblique = DampingZone { rate: 1.0, ..DampingZone::new(region, DVec3::new(1.0, 0.0, 2.0), DVec3::ZERO) };
        assert!((oblique.rate_at(region.max) - 1.0).abs() < 1e-15 && oblique.rate_at(region.min).abs() < 1e-15);
        assert!((oblique.length() - 10.0 / 5.0_f64.sqrt()).abs() < 1e-14);
    }

    #[test]
    fn the_default_rate_follows_froude_scaling() {
        let region = |length: f64| Aabb { min: DVec3::ZERO, max: DVec3::splat(length) };
        let rate = |length: f64, gravity: f64| DampingZone::new(region(length), DVec3::X, DVec3::new(0.0, -gravity, 0.0)).rate;
        assert!((rate(1.0, 9.81) / rate(4.0, 9.81) - 2.0).abs() < 1e-12 && (rate(1.0, 36.0) / rate(1.0, 9.0) - 2.0).abs() < 1e-12);
    }
}
