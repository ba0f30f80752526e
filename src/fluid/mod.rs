//! The fluid: smoothed particle hydrodynamics against triangle meshes.

mod collisions;
mod forces;
mod particles;
mod placement;
pub mod pressure;
mod record;
mod scratch;
mod settings;
mod simulation;
mod step;
pub mod wall;

pub use particles::{Kernel, Particles};
pub use placement::{Emission, Held};
pub use record::{Ledger, Stage, StepDiagnostics};
pub use settings::{
    Conditions, DensitySolve, Emitter, Fill, FillShape, FluidSettings, Mouth, PressureSolver, TaitLaw, TimeStep, Viscosity,
};
pub use simulation::{FluidSimulation, SetupError, Totals};
pub use step::Breakdown;
