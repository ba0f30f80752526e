//! Pressure at a point, as a kernel mean.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};

/// Below this share of fluid around the point it is dry.
const DRY: f64 = 0.05;

/// Pressure at a point, Pa. The mean of the particles around it, weighted with the kernel, each with the hydrostatic difference between
/// its height and that of the point: `p = Σ_j (p_j + ρ g·(x − x_j)) W_j / Σ_j W_j`, at least zero. Zero where there is no fluid.
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
        let (kernel, settings) = (sample.kernel(), sample.settings);
        let support = f64::from(kernel.support_radius());
        let (mut weight, mut sum) = (0.0, 0.0);
        for (&position, &pressure) in sample.positions.iter().zip(sample.pressures) {
            let offset = sample.offset(point, position);
            let squared = offset.length_squared();
            if squared < support * support {
                let w = settings.particle_volume() * f64::from(kernel.value(squared.sqrt() as f32));
                weight += w;
                sum += w * (f64::from(pressure) - settings.density * settings.gravity.dot(offset));
            }
        }
        vec![if weight < DRY { 0.0 } else { (sum / weight).max(0.0) }]
    }
}
