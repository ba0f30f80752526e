//! Discontinuous deformation analysis in the plane (Shi 1988): polygonal blocks that move, turn and strain, and touch along joints.
//!
//! [`BlocksSettings`] say what there is, [`generate`] cuts rock into blocks, [`BlocksSimulation`] moves them.

mod contact;
mod figures;
mod generation;
mod record;
mod simulation;
mod state;
mod step;
mod system;

pub use contact::{Candidate, Contact, ContactLaw, ContactMemory, ContactState, Remembered, detect};
pub use figures::FIGURES;
pub use generation::{Cutting, JointSet, Region, arch, generate, overlap_area};
pub use simulation::{BlocksError, BlocksSimulation};
pub use state::{
    Assembly, Block, BlockDefinition, BlocksSettings, BoltDefinition, Follower, Joint, JointTable, LoadDefinition, Material, MeasuredPoint,
    Plane, Removal, SearchSettings, Six, StepSettings,
};
pub use step::{Energies, Stage, StepReport};
