//! Pressure at a point, as a kernel mean.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};
use crate::neighbourhood::Kernel;

/// Support radius of the mean, in particle radii: from a point on a wall it reaches the third layer of particles.
const SUPPORT: f64 = 6.0;
/// Relative density that a flat wall adds to the layer next to it.
const FULL_CONTACT: f32 = 0.15;
/// Below this share of fluid around the point it is dry.
const DRY: f64 = 0.05;

/// Pressure at a point, Pa. The mean of the particles around it, weighted with the kernel, each with the hydrostatic difference between
/// its height and that of the point: `p = Σ_j (p_j + ρ g·(x − x_j)) W_j / Σ_j W_j`, at least zero. Zero where there is no fluid.
///
/// The unknown of the layer at a wall is not quite the pressure there: at rest it is 15 % too high, and that of the next layer 9 % too low.
/// Particles in contact with a wall therefore count only as far as the contact is incomplete, which balances both within 8 %. The force on a
/// wall is right; a [`super::Patch`] measures it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PressurePoint {
    /// World coordinates, or those of `body`; m.
    pub position: DVec3,
    /// Index of the body with which the point moves.
    pub body: Option<usize>,
}

impl Instrument for PressurePoint {
    fn quantities(&self) -> Vec<Quantity> {
        vec![Quantity::mean("pressure", "Pa")]
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        let point = self.body.map_or(self.position, |body| sample.bodies[body].previous_pose.transform_point(self.position));
        let settings = sample.settings;
        let densities = settings.densities();
        let support = SUPPORT * settings.particle_radius;
        let kernel = Kernel::new(support as f32);
        let (mut weights, mut sum) = (0.0, 0.0);
        for (i, (&position, &pressure)) in sample.positions.iter().zip(sample.pressures).enumerate() {
            let offset = sample.offset(point, position);
            let squared = offset.length_squared();
            if squared < support * support {
                let free = (1.0 - sample.walls.contacts.share(i) / FULL_CONTACT).max(0.0);
                let weight = settings.particle_volume() * f64::from(free * kernel.value(squared.sqrt() as f32));
                weights += weight;
                sum += weight * (f64::from(pressure) - densities.of(sample.materials[i]) * settings.gravity.dot(offset));
            }
        }
        vec![if weights < DRY { 0.0 } else { (sum / weights).max(0.0) }]
    }
}
