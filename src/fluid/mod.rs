//! The fluid: smoothed particle hydrodynamics with triangle meshes as walls.

mod continuation;
mod coupling;
mod diagnostics;
mod figures;
mod forces;
mod health;
mod inflow;
mod material;
mod memory;
mod neighbourhood;
mod particles;
mod path_check;
mod placement;
mod pressure;
pub mod probes;
mod settings;
mod shifting;
mod simulation;
mod simulator;
mod step;
mod step_length;
mod step_scene;
pub mod walls;

pub use continuation::{Continuation, ContinuationError};
pub use coupling::{Ledger, Load, WallContacts};
pub use diagnostics::{Stage, StepDiagnostics};
pub use figures::FIGURES;
pub use inflow::Inflow;
pub use material::{ByMaterial, MAX_MATERIALS, Material};
pub use memory::memory_estimate;
pub use neighbourhood::Kernel;
pub use particles::Particles;
pub use settings::{
    DampingZone, DensitySolve, Emitter, Fill, FillShape, FluidSettings, Mouth, PressureSolver, SurfaceTension, TaitLaw, TimeStep, Viscosity,
};
pub use simulation::{FluidSimulation, SetupError, Totals};
