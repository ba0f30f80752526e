//! Settings of a simulation of aggregates: spheres, medium, law of motion, search, when to stop.

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
    /// Share of the box that they fill; its side follows.
    pub volume_fraction: f64,
    /// Median diameter, m.
    pub diameter: f64,
    /// Geometric standard deviation of the log-normal diameters, 1 for spheres all alike.
    pub spread: f64,
    /// kg/m³
    pub density: f64,
    /// The fluid between the clusters.
    pub medium: Medium,
    /// When and how clusters draw velocities.
    pub law: MotionLaw,
    /// Factor on how fast clusters turn by diffusion; 0: they do not turn.
    pub rotation: f64,
    /// Probability that two clusters stick when they touch; else they bounce.
    pub sticking: f64,
    /// What happens at the sides of the box.
    pub boundary: Boundary,
    /// How collisions are found.
    pub method: Method,
    /// How the first contact of two clusters is found.
    pub narrow: NarrowPhase,
    /// When the run ends early.
    pub stop: Stop,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// When clusters draw new velocities, and how fast they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum MotionLaw {
    /// All at once after every `time_step` (s), from Maxwell's distribution.
    Fixed {
        /// Seconds.
        time_step: f64,
    },
    /// Each after twice its own relaxation time, from Maxwell's distribution, so that it diffuses with `D = kT τ / m`.
    Relaxation,
    /// All at once after every `time_step` (s), such that each diffuses with its `D`: `<v²> = 2 D / time_step` along each axis.
    Brownian {
        /// Seconds.
        time_step: f64,
    },
}

/// What is at the faces of the cube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Boundary {
    /// The opposite face.
    #[default]
    Periodic,
    /// A wall off which clusters bounce, losing nothing.
    Walls,
}

/// How collisions are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// Cells and a queue: only what changed is predicted again.
    #[default]
    Cells,
    /// After every collision everything again, by an algorithm of the literature.
    Rounds(Algorithm),
}

/// When a run ends before its time: at the first frame at which one of these holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// So few clusters are left.
    pub clusters: Option<u64>,
    /// So many primaries has a cluster on average.
    pub mean_size: Option<f64>,
}

impl AggregateSettings {
    /// Soot in a flame: primaries of 30 nm, all alike, in air of 1700 K at atmospheric pressure; clusters turn.
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

    /// Whether the motion depends on friction.
    pub fn needs_friction(&self) -> bool {
        !matches!(self.law, MotionLaw::Fixed { .. })
    }
}
