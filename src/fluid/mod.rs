//! The fluid: smoothed particle hydrodynamics against triangle meshes.

mod collisions;
mod diagnostics;
mod forces;
mod kernel;
mod ledger;
mod links;
mod parallel;
mod particles;
mod placement;
pub mod pressure;
mod relaxation;
mod scratch;
mod settings;
mod simulation;
mod stages;
mod step;
pub mod wall;

pub use diagnostics::StepDiagnostics;
pub use kernel::Kernel;
pub use ledger::{Ledger, Momentum};
pub use particles::Particles;
pub use settings::{DensitySolve, Fill, FillShape, FluidSettings, PressureSolver, TaitLaw, TimeStep, Viscosity};
pub use simulation::{FluidSimulation, SetupError, Totals};
pub use stages::{Stage, StageTimes};
