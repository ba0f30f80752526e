//! Settings of a simulation of blocks: blocks, materials, supports, step and search.

use glam::DVec2;
use serde::{Deserialize, Serialize};

use super::material::{Joint, JointTable, Material, Plane};
use crate::search::planar::SearchMethod;

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
    /// Points of blocks that do not move, m.
    pub fixed_points: Vec<DVec2>,
    /// Bars between blocks.
    pub bolts: Vec<BoltDefinition>,
    /// Forces on blocks.
    pub loads: Vec<LoadDefinition>,
    /// Points whose motion is recorded.
    pub measured: Vec<MeasuredPoint>,
    /// Blocks still to be taken away.
    pub removals: Vec<Removal>,
    /// Length and accuracy of a step.
    pub step: StepSettings,
    /// How pairs of blocks are found.
    pub search: SearchSettings,
}

impl BlocksSettings {
    /// Blocks of one material that fall along -y, with nothing else on them.
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
    /// Neither moves nor deforms.
    pub fixed: bool,
    /// m/s
    pub velocity: DVec2,
    /// rad/s
    pub angular_velocity: f64,
}

impl BlockDefinition {
    /// A block of the first material that may move, at rest.
    pub fn new(vertices: Vec<DVec2>) -> Self {
        Self { vertices, material: 0, fixed: false, velocity: DVec2::ZERO, angular_velocity: 0.0 }
    }

    /// A block that stays where it is.
    pub fn fixed(vertices: Vec<DVec2>) -> Self {
        Self { fixed: true, ..Self::new(vertices) }
    }
}

/// An elastic bar between two points, each of a block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoltDefinition {
    /// Its two ends, m.
    pub ends: [DVec2; 2],
    /// Force for each meter of lengthening, N/m.
    pub stiffness: f64,
    /// Tension at time zero, N.
    pub pretension: f64,
}

/// A force on a point of a block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadDefinition {
    /// Position at time zero, m.
    pub point: DVec2,
    /// N
    pub force: DVec2,
    /// Seconds.
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

/// The block around a point is taken away.
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
    /// Longest step, seconds.
    pub maximum: f64,
    /// Furthest that a vertex may move in a step, meters. Contacts are looked for within two and a half times this.
    pub maximum_displacement: f64,
    /// Stiffness of the springs that push blocks apart, N/m.
    pub normal_stiffness: f64,
    /// Of those that hold them along their faces, N/m.
    pub shear_stiffness: f64,
    /// Most open–close iterations before a step is cut.
    pub iterations: u32,
    /// Most cuts of a step; after that it is taken as it is.
    pub cuts: u32,
    /// Share of the velocities that goes from one step into the next: 1 dynamics, 0 statics.
    pub velocity_kept: f64,
}

/// How pairs of blocks are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// Which search is used.
    pub method: SearchMethod,
    /// Side of a voxel, meters; absent if it follows from the median block.
    pub cell_size: Option<f64>,
}

impl StepSettings {
    /// Distance within which contacts are looked for, meters: two vertices that come towards each other, and a margin.
    pub fn reach(&self) -> f64 {
        2.5 * self.maximum_displacement
    }
}
