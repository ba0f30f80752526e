//! Settings of a simulation of blocks: blocks, materials, supports, step and search.

use glam::DVec2;
use plimsoll_search::planar::SearchMethod;
use plimsoll_shape::polygon::Moments;
use serde::{Deserialize, Serialize};

use super::material::{Joint, JointTable, Material, Plane};

/// A scene of blocks in the plane, one meter thick. SI units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlocksSettings {
    /// Plane stress or plane strain.
    pub plane: Plane,
    /// m/s²
    pub gravity: DVec2,
    /// Materials of the blocks.
    pub materials: Vec<Material>,
    /// Joints between materials.
    pub joints: JointTable,
    /// Blocks at time zero.
    pub blocks: Vec<BlockDefinition>,
    /// Points at which blocks are fixed, m.
    pub fixed_points: Vec<DVec2>,
    /// Bars between blocks.
    pub bolts: Vec<BoltDefinition>,
    /// Forces on blocks.
    pub loads: Vec<LoadDefinition>,
    /// Points whose motion is recorded.
    pub measured: Vec<MeasuredPoint>,
    /// Blocks that will be removed.
    pub removals: Vec<Removal>,
    /// Length and accuracy of a step.
    pub step: StepSettings,
    /// How to find pairs of blocks.
    pub search: SearchSettings,
}

impl BlocksSettings {
    /// Blocks of one material that fall along -y, without other loads or supports.
    pub fn of_one_material(material: Material, joint: Joint, blocks: Vec<BlockDefinition>, step: StepSettings) -> Self {
        Self {
            plane: Plane::Strain,
            gravity: DVec2::new(0.0, -9.81),
            materials: vec![material],
            joints: JointTable::uniform(1, joint),
            blocks,
            fixed_points: Vec::new(),
            bolts: Vec::new(),
            loads: Vec::new(),
            measured: Vec::new(),
            removals: Vec::new(),
            step,
            search: SearchSettings::default(),
        }
    }
}

/// A polygonal block at time zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockDefinition {
    /// Counterclockwise, without crossings, meters.
    pub vertices: Vec<DVec2>,
    /// Index into the materials.
    pub material: u16,
    /// Whether it neither moves nor deforms.
    pub fixed: bool,
    /// m/s
    pub velocity: DVec2,
    /// rad/s
    pub angular_velocity: f64,
    /// Entry of the scene that describes the block, for messages.
    #[serde(skip)]
    pub entry: Option<BlockEntry>,
}

/// An entry of the scene: the index of a block, an arch or a region among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockEntry {
    /// `[[blocks.block]]`
    Block(usize),
    /// `[[blocks.arch]]`
    Arch(usize),
    /// `[[blocks.region]]`
    Region(usize),
}

impl BlockEntry {
    /// Its key in the scene.
    pub fn key(self) -> String {
        match self {
            Self::Block(index) => format!("blocks.block[{}].vertices", index + 1),
            Self::Arch(index) => format!("blocks.arch[{}]", index + 1),
            Self::Region(index) => format!("blocks.region[{}].outline", index + 1),
        }
    }
}

impl BlockDefinition {
    /// A movable block of the first material, at rest.
    pub fn new(vertices: Vec<DVec2>) -> Self {
        Self { vertices, material: 0, fixed: false, velocity: DVec2::ZERO, angular_velocity: 0.0, entry: None }
    }

    /// A block that does not move.
    pub fn fixed(vertices: Vec<DVec2>) -> Self {
        Self { fixed: true, ..Self::new(vertices) }
    }
}

/// An elastic bar between two points of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoltDefinition {
    /// Its two ends, m.
    pub ends: [DVec2; 2],
    /// Force per meter of elongation, N/m.
    pub stiffness: f64,
    /// Tension at time zero, N.
    pub pretension: f64,
}

/// A force on a block at a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadDefinition {
    /// Position at time zero, m.
    pub point: DVec2,
    /// N
    pub force: DVec2,
    /// Start of the load, seconds.
    pub from: f64,
    /// End of the load, seconds.
    pub until: f64,
}

/// A point whose motion is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPoint {
    /// Name in the table.
    pub name: String,
    /// Position at time zero, m.
    pub point: DVec2,
}

/// Removes the block at a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Removal {
    /// Position, m.
    pub point: DVec2,
    /// Seconds.
    pub time: f64,
}

/// Length and accuracy of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepSettings {
    /// Maximum length of a step, seconds.
    pub maximum: f64,
    /// Maximum displacement of a vertex in a step, meters. The search distance for contacts is 2.5 times this.
    pub maximum_displacement: f64,
    /// Stiffness of the normal contact springs, N/m.
    pub normal_stiffness: f64,
    /// Stiffness of the shear contact springs, N/m.
    pub shear_stiffness: f64,
    /// Maximum number of open–close iterations before a step is cut.
    pub iterations: u32,
    /// Maximum number of cuts of a step; after that it is accepted as it is.
    pub cuts: u32,
    /// Share of the velocities that is kept from one step to the next: 1 for dynamics, 0 for statics.
    pub velocity_kept: f64,
}

/// How to find pairs of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// Search method.
    pub method: SearchMethod,
    /// Side of a voxel, meters; absent: derived from the median block.
    pub cell_size: Option<f64>,
}

/// Maximum displacement of a vertex in a step, as a share of the median block size.
const DISPLACEMENT: f64 = 0.01;
/// Normal stiffness of contacts, in units of the Young's modulus of the stiffest material.
const STIFFNESS_FACTOR: f64 = 10.0;
/// Shear stiffness as a share of the normal stiffness.
const SHEAR: f64 = 0.4;
/// Longest step, in units of the time of a free fall through the maximum displacement.
const FALL: f64 = 0.5;

impl StepSettings {
    /// Settings for dynamics that suit these blocks under `gravity` (m/s²).
    pub fn new(blocks: &[BlockDefinition], materials: &[Material], gravity: DVec2) -> Self {
        let free = blocks.iter().filter(|block| !block.fixed);
        let mut sizes: Vec<f64> = free.map(|block| Moments::of(&block.vertices).area.sqrt()).collect();
        sizes.sort_by(f64::total_cmp);
        let displacement = DISPLACEMENT * sizes.get(sizes.len() / 2).copied().unwrap_or(1.0);
        let stiffness = STIFFNESS_FACTOR * materials.iter().map(|material| material.young_modulus).fold(0.0, f64::max);
        Self {
            maximum: Self::longest(displacement, gravity),
            maximum_displacement: displacement,
            normal_stiffness: stiffness,
            shear_stiffness: Self::shear(stiffness),
            iterations: 12,
            cuts: 6,
            velocity_kept: 1.0,
        }
    }

    /// Longest step (s) for a maximum displacement (m) under `gravity` (m/s²).
    pub fn longest(displacement: f64, gravity: DVec2) -> f64 {
        FALL * (2.0 * displacement / gravity.length().max(1e-300)).sqrt()
    }

    /// Shear stiffness for a normal stiffness, both in N/m.
    pub fn shear(normal_stiffness: f64) -> f64 {
        SHEAR * normal_stiffness
    }

    /// Search distance for contacts, meters: two vertices that approach each other, plus a margin.
    pub fn cutoff(&self) -> f64 {
        2.5 * self.maximum_displacement
    }
}
