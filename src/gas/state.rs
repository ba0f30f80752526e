//! The state of a gas as both engines start from it and report it: spheres, the box, impacts.

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

/// A gas at time zero. In two dimensions all z are zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GasSetup {
    /// The box and its walls.
    pub container: Container,
    /// Law of all impacts.
    pub impact: Impact,
    /// Radius and mass of each kind.
    pub species: Vec<Species>,
    /// All spheres.
    pub spheres: Vec<SphereState>,
}

/// What a sphere met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Partner {
    /// A sphere, by its place in the setup.
    Sphere(u32),
    /// A wall: twice its axis, one more if it is the upper one.
    Wall(u32),
}

/// An impact that took place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// Seconds from time zero of the simulation.
    pub time: f64,
    /// A sphere, by its place in the setup; the lower of two.
    pub sphere: u32,
    /// What it meets.
    pub partner: Partner,
}

impl Collision {
    /// An impact of `sphere` with `partner`, in either order.
    pub(in crate::gas) fn new(time: f64, sphere: u32, partner: Partner) -> Self {
        match partner {
            Partner::Sphere(other) => Self { time, sphere: sphere.min(other), partner: Partner::Sphere(sphere.max(other)) },
            Partner::Wall(_) => Self { time, sphere, partner },
        }
    }
}
