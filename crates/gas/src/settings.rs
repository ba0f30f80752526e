//! Settings of a gas: the box, its spheres and their impact law.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use serde::{Deserialize, Serialize};

use super::{contact::Impact, container::Container};

/// Settings of a gas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GasSettings {
    /// The box and its walls.
    pub container: Container,
    /// Law of all impacts.
    pub impact: Impact,
    /// Spheres placed at random.
    pub groups: Vec<Group>,
    /// Spheres at given positions.
    pub placed: Vec<PlacedSphere>,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Spheres placed at random.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Number of spheres.
    pub count: usize,
    /// Radius and mass of each.
    pub species: Species,
    /// `kT` in J.
    pub temperature: f64,
    /// Mean velocity, m/s.
    pub velocity: DVec3,
    /// Speed distribution at time zero.
    pub speeds: SpeedDistribution,
    /// Initial region; the whole box if absent.
    pub region: Option<Aabb>,
}

impl Group {
    /// Spheres in equilibrium, without mean velocity, anywhere in the box.
    pub fn new(count: usize, species: Species, temperature: f64) -> Self {
        Self { count, species, temperature, velocity: DVec3::ZERO, speeds: SpeedDistribution::Maxwell, region: None }
    }
}

/// Initial speed distribution of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpeedDistribution {
    /// Equilibrium: each velocity component is normally distributed.
    Maxwell,
    /// All speeds equal, in random directions.
    Equal,
}

/// A sphere at a given position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedSphere {
    /// Radius and mass.
    pub species: Species,
    /// m
    pub position: DVec3,
    /// m/s
    pub velocity: DVec3,
    /// Whether its path is recorded from impact to impact.
    pub traced: bool,
}

impl GasSettings {
    /// Elastic spheres, none with a given position.
    pub fn new(container: Container, groups: Vec<Group>) -> Self {
        Self { container, impact: Impact::ELASTIC, groups, placed: Vec::new(), seed: 0 }
    }

    /// Peak memory of a simulation, bytes: 275 for each sphere with 20,000 to 400,000 of them.
    pub fn memory_estimate(&self) -> f64 {
        let count: usize = self.groups.iter().map(|group| group.count).sum();
        275.0 * (count + self.placed.len()) as f64
    }
}

/// Spheres of one size and mass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Species {
    /// m
    pub radius: f64,
    /// kg
    pub mass: f64,
}
