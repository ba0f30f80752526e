//! The fluid: smoothed particle hydrodynamics against triangle meshes.

mod settings;
mod simulation;

pub use settings::{DensitySolve, Fill, FillShape, FluidSettings, PressureSolver, TaitLaw, TimeStep, Viscosity};
pub use simulation::{FluidSimulation, SetupError};
