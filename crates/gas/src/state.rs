//! The state of a gas, as input and output of both engines: spheres, box, impacts.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{contact::Impact, container::Container, settings::Species};

/// One sphere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SphereState {
    /// m
    pub position: DVec3,
    /// m/s
    pub velocity: DVec3,
    /// Index into the species.
    pub species: u16,
}

/// A gas at time zero. In two dimensions, all z are zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GasSetup {
    /// The box and its walls.
    pub container: Container,
    /// Law of all impacts.
    pub impact: Impact,
    /// Radius and mass of each species.
    pub species: Vec<Species>,
    /// All spheres.
    pub spheres: Vec<SphereState>,
}

/// Partner of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Partner {
    /// A sphere, by its index in the setup.
    Sphere(u32),
    /// A wall: `2 * axis` for the lower wall, `2 * axis + 1` for the upper.
    Wall(u32),
}

/// An impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// Seconds from time zero of the simulation.
    pub time: f64,
    /// The sphere, by its index in the setup; the lower index of two.
    pub sphere: u32,
    /// Its partner.
    pub partner: Partner,
}

impl Collision {
    /// Creates an impact of `sphere` with `partner`, in either order.
    pub(crate) fn new(time: f64, sphere: u32, partner: Partner) -> Self {
        match partner {
            Partner::Sphere(other) => Self { time, sphere: sphere.min(other), partner: Partner::Sphere(sphere.max(other)) },
            Partner::Wall(_) => Self { time, sphere, partner },
        }
    }
}
