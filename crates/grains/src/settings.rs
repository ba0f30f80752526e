//! Settings of a simulation of grains: the box, materials, groups of grains, search and step.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain, Random};
use plimsoll_bodies::MechanismDefinition;
use plimsoll_search::hierarchical_grid::LevelChoice;
use serde::{Deserialize, Serialize};

use super::{
    error::GrainsError,
    law::{ContactLaw, Law, Material},
};

/// Settings of grains and everything that acts on them except bodies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GrainsSettings {
    /// The box; axes that are not periodic have walls.
    pub domain: Domain,
    /// m/s²
    pub gravity: DVec3,
    /// Contact force law.
    pub law: ContactLaw,
    /// Materials; at least one.
    pub materials: Vec<Material>,
    /// Material of the walls of the box and of all bodies, an index into `materials`.
    pub wall_material: u16,
    /// Grains placed at random.
    pub groups: Vec<Group>,
    /// Grains at given positions.
    pub placed: Vec<PlacedGrain>,
    /// How pairs are found.
    pub search: SearchMethod,
    /// Maximum surface distance at which pairs are kept, m; the smallest radius if absent.
    pub skin: Option<f64>,
    /// Time step, s; a safe one if absent.
    pub time_step: Option<f64>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Whether frames list all contacts.
    pub contact_lines: bool,
    /// Joints, springs and moorings of the bodies.
    #[serde(default)]
    pub mechanism: MechanismDefinition,
}

/// Method of the pair search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchMethod {
    /// Tests every pair: the test oracle.
    BruteForce,
    /// The hierarchical grid with this choice of levels.
    HierarchicalGrid(LevelChoice),
}

/// Grains placed at random.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Group {
    /// Number of grains.
    pub count: usize,
    /// Distribution of radii.
    pub sizes: Sizes,
    /// Index into the materials.
    pub material: u16,
    /// Velocity of all grains, m/s.
    pub velocity: DVec3,
    /// Initial region; the whole box if absent.
    pub region: Option<Aabb>,
}

/// Distribution of radii (m), by number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sizes {
    /// All have this radius, m.
    One(f64),
    /// Radii are uniformly distributed between the two.
    Uniform {
        /// m
        smallest: f64,
        /// m
        largest: f64,
    },
    /// The logarithm is normally distributed with standard deviation `spread`. Radii outside `smallest` to `largest` are drawn again.
    LogNormal {
        /// m
        median: f64,
        /// Standard deviation of the logarithm.
        spread: f64,
        /// m
        smallest: f64,
        /// m
        largest: f64,
    },
}

/// A grain at a given position.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PlacedGrain {
    /// m
    pub radius: f64,
    /// Index into the materials.
    pub material: u16,
    /// Center, m.
    pub position: DVec3,
    /// m/s
    pub velocity: DVec3,
    /// rad/s
    pub angular_velocity: DVec3,
}

impl Sizes {
    /// Draws a radius, m.
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

    /// Smallest and largest possible radius.
    pub fn range(&self) -> (f64, f64) {
        match *self {
            Self::One(radius) => (radius, radius),
            Self::Uniform { smallest, largest } | Self::LogNormal { smallest, largest, .. } => (smallest, largest),
        }
    }
}

impl Group {
    /// Grains of one radius (m), of the first material and at rest, anywhere in the box.
    pub fn new(count: usize, radius: f64) -> Self {
        Self { count, sizes: Sizes::One(radius), material: 0, velocity: DVec3::ZERO, region: None }
    }
}

impl Default for SearchMethod {
    fn default() -> Self {
        Self::HierarchicalGrid(LevelChoice::Automatic)
    }
}

impl GrainsSettings {
    /// Grains of one material that fall along -y; everything else has the default of the scene format.
    pub fn new(domain: Domain, material: Material, groups: Vec<Group>) -> Self {
        Self {
            domain,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            law: ContactLaw::default(),
            materials: vec![material],
            wall_material: 0,
            groups,
            placed: Vec::new(),
            search: SearchMethod::default(),
            skin: None,
            time_step: None,
            seed: 0,
            contact_lines: false,
            mechanism: MechanismDefinition::default(),
        }
    }

    /// Peak memory of a simulation, bytes: 390 for each grain with 20,000 to 200,000 of them.
    pub fn memory_estimate(&self) -> f64 {
        let count: usize = self.groups.iter().map(|group| group.count).sum();
        390.0 * (count + self.placed.len()) as f64
    }

    /// Smallest radius of each material; infinite if no grain has it.
    pub fn smallest_radii(&self) -> Vec<f64> {
        let mut smallest = vec![f64::INFINITY; self.materials.len()];
        let groups = self.groups.iter().map(|group| (group.material, group.sizes.range().0));
        for (material, radius) in groups.chain(self.placed.iter().map(|grain| (grain.material, grain.radius))) {
            let least = &mut smallest[usize::from(material)];
            *least = least.min(radius);
        }
        smallest
    }

    /// Largest possible radius of a grain, m.
    pub fn largest_radius(&self) -> f64 {
        let groups = self.groups.iter().map(|group| group.sizes.range().1);
        groups.chain(self.placed.iter().map(|grain| grain.radius)).fold(0.0, f64::max)
    }

    /// Maximum surface distance at which pairs are kept, m.
    pub fn pair_skin(&self) -> f64 {
        let smallest = self.smallest_radii().into_iter().fold(f64::INFINITY, f64::min);
        self.skin.unwrap_or(smallest)
    }

    /// The maximum time step, s.
    ///
    /// # Errors
    /// [`GrainsError::TimeStep`] if the given step is too long to resolve the contacts.
    pub fn max_step(&self) -> Result<f64, GrainsError> {
        let (advised, most, reason) = Law::new(self.law, &self.materials).time_steps(&self.materials, &self.smallest_radii());
        match self.time_step {
            Some(found) if found > most => Err(GrainsError::TimeStep { found, most, advised, reason }),
            given => Ok(given.unwrap_or(advised)),
        }
    }
}
