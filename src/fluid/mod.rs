//! The fluid: smoothed particle hydrodynamics against triangle meshes.

mod collisions;
mod forces;
mod health;
mod particles;
mod placement;
pub mod pressure;
mod record;
mod scratch;
mod settings;
mod simulation;
mod step;
mod step_length;
pub mod wall;

pub use health::Breakdown;
pub use particles::{Kernel, Particles};
pub use placement::{Emission, Held};
pub use record::{Ledger, Stage, StepDiagnostics};
pub use settings::{
    Conditions, DensitySolve, Emitter, Fill, FillShape, FluidSettings, Mouth, PressureSolver, TaitLaw, TimeStep, Viscosity,
};
pub use simulation::{FluidSimulation, SetupError, Totals};
