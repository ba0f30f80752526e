//! The fluid: smoothed particle hydrodynamics against triangle meshes.

mod settings;

pub use settings::{DensitySolve, Fill, FillShape, FluidSettings, PressureSolver, TaitLaw, TimeStep, Viscosity};
