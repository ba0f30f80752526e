//! Velocity of the fluid at points, such as along a line.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};
use crate::probes::Signal;

/// Velocity of the fluid (m/s) at points: the kernel mean of the particles around each. Zero where there is no fluid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Velocities {
    /// m
    pub points: Vec<DVec3>,
}

impl Velocities {
    /// `count` points at equal distances from `from` to `to`.
    pub fn along(from: DVec3, to: DVec3, count: usize) -> Self {
        let share = |place: usize| if count > 1 { place as f64 / (count - 1) as f64 } else { 0.5 };
        Self { points: (0..count).map(|place| from.lerp(to, share(place))).collect() }
    }
}

impl Instrument for Velocities {
    fn quantities(&self) -> Vec<Quantity> {
        if self.points.len() == 1 {
            return Quantity::vector("velocity", "m/s", Signal::State).into();
        }
        (1..=self.points.len()).flat_map(|number| Quantity::vector(&format!("velocity_{number}"), "m/s", Signal::State)).collect()
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        let kernel = sample.kernel();
        let support = f64::from(kernel.support_radius());
        let mut sums = vec![(0.0, DVec3::ZERO); self.points.len()];
        for (&position, velocity) in sample.after.iter().zip(sample.velocities) {
            for (point, (weight, sum)) in self.points.iter().zip(&mut sums) {
                let squared = sample.offset(*point, position).length_squared();
                if squared < support * support {
                    let w = f64::from(kernel.value(squared.sqrt() as f32));
                    *weight += w;
                    *sum += w * velocity.as_dvec3();
                }
            }
        }
        sums.into_iter().flat_map(|(weight, sum)| if weight > 0.0 { (sum / weight).to_array() } else { [0.0; 3] }).collect()
    }
}
