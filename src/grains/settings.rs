//! Settings of a simulation of grains: the box, materials, groups of grains, search and step.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{
    error::GrainsError,
    law::{ContactLaw, Law, Material},
};
use crate::{
    math::{Aabb, Domain, Random},
    search::hierarchical_grid::LevelChoice,
};

/// Grains and all that acts on them but bodies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GrainsSettings {
    /// The box; axes that are not periodic end in walls.
    pub domain: Domain,
    /// m/s²
    pub gravity: DVec3,
    pub law: ContactLaw,
    /// At least one.
    pub materials: Vec<Material>,
    /// Of the walls of the box and of all bodies, an index into `materials`.
    pub wall_material: u16,
    pub groups: Vec<Group>,
    pub placed: Vec<PlacedGrain>,
    pub search: SearchMethod,
    /// Distance beyond touching up to which pairs are kept, metres; the smallest radius if absent.
    pub skin: Option<f64>,
    /// Seconds; a safe one if absent.
    pub time_step: Option<f64>,
    pub seed: u64,
    /// Whether frames list each contact.
    pub contact_lines: bool,
}

/// How pairs are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchMethod {
    /// Every pair is looked at: the oracle.
    BruteForce,
    HierarchicalGrid(LevelChoice),
}

/// Grains placed at random.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Group {
    pub count: usize,
    pub sizes: Sizes,
    /// Index into the materials.
    pub material: u16,
    /// Metres per second, of all.
    pub velocity: DVec3,
    /// Where they begin; the box if absent.
    pub region: Option<Aabb>,
}

/// How radii (metres) are distributed, by number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sizes {
    One(f64),
    /// Each radius between the two is as likely as any other.
    Uniform {
        smallest: f64,
        largest: f64,
    },
    /// The logarithm is normal with standard deviation `spread`; what lies beyond `smallest` and `largest` is drawn again.
    LogNormal {
        median: f64,
        spread: f64,
        smallest: f64,
        largest: f64,
    },
}

/// A grain in a given place.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PlacedGrain {
    pub radius: f64,
    pub material: u16,
    pub position: DVec3,
    pub velocity: DVec3,
    /// rad/s
    pub angular_velocity: DVec3,
}

impl Sizes {
    pub fn draw(&self, random: &mut Random) -> f64 {
        match *self {
            Self::One(radius) => radius,
            Self::Uniform { smallest, largest } => random.between(smallest, largest),
            Self::LogNormal { median, spread, smallest, largest } => loop {
                let radius = median * (spread * random.normal()).exp();
                if (smallest..=largest).contains(&radius) {
                    break radius;
                }
            },
        }
    }

    /// Smallest and largest radius that may come.
    pub fn range(&self) -> (f64, f64) {
        match *self {
            Self::One(radius) => (radius, radius),
            Self::Uniform { smallest, largest } | Self::LogNormal { smallest, largest, .. } => (smallest, largest),
        }
    }
}

impl GrainsSettings {
    /// Smallest radius of each material, infinite for one that no grain has.
    pub fn smallest_radii(&self) -> Vec<f64> {
        let mut smallest = vec![f64::INFINITY; self.materials.len()];
        let groups = self.groups.iter().map(|group| (group.material, group.sizes.range().0));
        for (material, radius) in groups.chain(self.placed.iter().map(|grain| (grain.material, grain.radius))) {
            let least = &mut smallest[usize::from(material)];
            *least = least.min(radius);
        }
        smallest
    }

    pub fn largest_radius(&self) -> f64 {
        let groups = self.groups.iter().map(|group| group.sizes.range().1);
        groups.chain(self.placed.iter().map(|grain| grain.radius)).fold(0.0, f64::max)
    }

    /// Distance beyond touching up to which pairs are kept at most, metres.
    pub fn pair_skin(&self) -> f64 {
        let smallest = self.smallest_radii().into_iter().fold(f64::INFINITY, f64::min);
        self.skin.unwrap_or(smallest)
    }

    /// The step that is taken at most, seconds.
    ///
    /// # Errors
    /// [`GrainsError::TimeStep`] if the given one is too long for the contacts to be resolved.
    pub fn greatest_step(&self) -> Result<f64, GrainsError> {
        let (advised, most, reason) = Law::new(self.law, &self.materials).time_steps(&self.materials, &self.smallest_radii());
        match self.time_step {
            Some(found) if found > most => Err(GrainsError::TimeStep { found, most, advised, reason }),
            given => Ok(given.unwrap_or(advised)),
        }
    }
}
