//! Discontinuous deformation analysis in the plane (Shi 1988): polygonal blocks that move, rotate and deform, and touch along joints.
//!
//! [`BlocksSettings`] describes the scene, [`generate`] cuts rock into blocks, and [`BlocksSimulation`] moves them.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod block;
mod contact;
mod diagnostics;
mod energies;
mod error;
mod figures;
mod generation;
mod material;
mod placement;
mod settings;
mod simulation;
mod simulator;
mod state;
mod step;
mod system;
mod timing;

pub use block::{Block, Dof6};
pub use contact::{Candidate, Contact, ContactLaw, ContactMemory, ContactState, Remembered, detect};
pub use energies::Energies;
pub use error::BlocksError;
pub use figures::FIGURES;
pub use generation::{Cutting, JointSet, Region, arch, generate, overlap_area};
pub use material::{Joint, JointTable, Material, Plane};
pub use settings::{
    BlockDefinition, BlockEntry, BlocksSettings, BoltDefinition, LoadDefinition, MeasuredPoint, Removal, SearchSettings, StepSettings,
};
pub use simulation::BlocksSimulation;
pub use state::{BlocksState, Follower};
pub use step::StepReport;
pub use timing::BlocksStage;
