//! Velocity of the fluid at points, such as along a line.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};
use crate::probes::{Signal, means::VelocityMean};

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
        let mean = VelocityMean::new(sample);
        let mut sums = vec![(0.0, DVec3::ZERO); self.points.len()];
        for (&position, &velocity) in sample.after.iter().zip(sample.velocities) {
            for (point, sums) in self.points.iter().zip(&mut sums) {
                mean.add(sums, sample.offset(*point, position), velocity);
            }
        }
        sums.into_iter().flat_map(|sums| mean.value(sums).to_array()).collect()
    }
}
