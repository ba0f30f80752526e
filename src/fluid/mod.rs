//! The fluid: smoothed particle hydrodynamics against triangle meshes.

mod collisions;
mod figures;
mod forces;
mod memory;
mod particles;
mod placement;
pub mod pressure;
mod record;
mod scratch;
mod settings;
mod simulation;
mod step;
pub mod wall;

pub use figures::FIGURES;
pub use memory::memory_estimate;
pub use particles::{Kernel, Particles};
pub use placement::{Emission, Held};
pub use record::{Ledger, Load, Stage, StepDiagnostics};
pub use settings::{DensitySolve, Emitter, Fill, FillShape, FluidSettings, Mouth, PressureSolver, TaitLaw, TimeStep, Viscosity};
pub use simulation::{FluidSimulation, SetupError, Totals};
