//! What both versions of the simulator begin with.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{contact::Impact, container::Container};

/// Spheres of one size and mass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Species {
    /// m
    pub radius: f64,
    /// kg
    pub mass: f64,
}

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
    pub container: Container,
    pub impact: Impact,
    pub species: Vec<Species>,
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

/// Why a gas cannot begin or go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GasError {
    #[error(
        "axis {axis}: found a period of {found} m, expected at least {least} m, for a sphere must meet its neighbours before their images"
    )]
    PeriodTooShort { axis: &'static str, found: f64, least: f64 },
    #[error("sphere {sphere}: found it at {position} m, outside the walls or in one, expected it inside")]
    Outside { sphere: u32, position: DVec3 },
    #[error("spheres {first} and {second}: found them to overlap by {overlap} m, expected none to overlap")]
    Overlap { first: u32, second: u32, overlap: f64 },
    #[error("{count} spheres of radius {radius} m: found room for {placed} of them, expected room for all; take fewer or smaller ones")]
    NoRoom { count: usize, radius: f64, placed: usize },
    #[error(
        "at {time} s sphere {sphere} at {position} m meets impact after impact and time no longer advances, expected room between walls and spheres"
    )]
    Squeezed { time: f64, sphere: u32, position: DVec3 },
}
