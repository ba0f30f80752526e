//! Settings of a simulation of aggregates: spheres, medium, motion law, search, stop criteria.

use serde::{Deserialize, Serialize};

use super::{
    detect::{Algorithm, NarrowPhase},
    medium::{ATMOSPHERE, Medium},
};

/// A scene of aggregates. SI units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AggregateSettings {
    /// Number of primary spheres.
    pub count: usize,
    /// Volume fraction of the spheres; the side of the box follows from it.
    pub volume_fraction: f64,
    /// Median diameter, m.
    pub diameter: f64,
    /// Geometric standard deviation of the log-normal diameters, 1 for equal spheres.
    pub spread: f64,
    /// kg/m³
    pub density: f64,
    /// The fluid between the clusters.
    pub medium: Medium,
    /// When and how clusters draw velocities.
    pub law: MotionLaw,
    /// Factor on the rotational diffusion of clusters; 0 disables rotation.
    pub rotation: f64,
    /// Probability that two touching clusters stick; otherwise they bounce.
    pub sticking: f64,
    /// Boundary condition at the sides of the box.
    pub boundary: Boundary,
    /// How to find collisions.
    pub method: Method,
    /// How to find the first contact of two clusters.
    pub narrow: NarrowPhase,
    /// Criteria for ending the run early.
    pub stop: Stop,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// When clusters draw new velocities, and how fast they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum MotionLaw {
    /// All at once after each `time_step` (s), from the Maxwell distribution.
    Fixed {
        /// Seconds.
        time_step: f64,
    },
    /// Each after twice its own relaxation time, from the Maxwell distribution, so that it diffuses with `D = kT τ / m`.
    #[default]
    Relaxation,
    /// All at once after each `time_step` (s), such that each diffuses with its `D`: `<v²> = 2 D / time_step` along each axis.
    Brownian {
        /// Seconds.
        time_step: f64,
    },
}

/// Boundary condition at the faces of the cube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Boundary {
    /// Periodic: continues at the opposite face.
    #[default]
    Periodic,
    /// Walls off which clusters bounce elastically.
    Walls,
}

/// How to find collisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// Cells and a queue: predicts only changed clusters again.
    #[default]
    Cells,
    /// Predicts everything again after each collision, by a published algorithm.
    Rounds(Algorithm),
}

/// Criteria for ending a run early: it ends at the merger by which one of them is met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// Maximum number of clusters left.
    pub clusters: Option<u64>,
    /// Minimum mean number of primaries per cluster.
    pub mean_size: Option<f64>,
}

impl Stop {
    /// The mean number of primaries per cluster at which a run with `primaries` ends.
    pub fn mean_size_of(self, primaries: usize) -> Option<f64> {
        let of_clusters = self.clusters.map(|clusters| primaries as f64 / clusters as f64);
        [of_clusters, self.mean_size].into_iter().flatten().reduce(f64::min)
    }
}

impl AggregateSettings {
    /// Soot in a flame: equal primaries of 30 nm in air of 1700 K at atmospheric pressure, with rotating clusters.
    pub fn soot(count: usize, volume_fraction: f64, law: MotionLaw) -> Self {
        Self {
            count,
            volume_fraction,
            diameter: 30e-9,
            spread: 1.0,
            density: 1800.0,
            medium: Medium::air(1700.0, ATMOSPHERE),
            law,
            rotation: 1.0,
            sticking: 1.0,
            boundary: Boundary::default(),
            method: Method::default(),
            narrow: NarrowPhase::default(),
            stop: Stop::default(),
            seed: 0,
        }
    }

    /// Peak memory of a simulation, bytes: 445 for each primary with 20,000 to 100,000 of them.
    pub fn memory_estimate(&self) -> f64 {
        445.0 * self.count as f64
    }

    /// Whether the motion depends on friction.
    pub fn needs_friction(&self) -> bool {
        !matches!(self.law, MotionLaw::Fixed { .. })
    }
}
