//! The fluid: smoothed particle hydrodynamics with triangle meshes as walls.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod acceleration;
mod air;
mod cfl_speed;
mod continuation;
mod coupling;
mod diagnostics;
mod domain_box;
mod escape;
mod figures;
mod forces;
mod gaps;
mod health;
mod inflow;
mod material;
mod memory;
mod micropolar;
mod neighbourhood;
mod particles;
mod path_check;
mod placement;
mod pressure;
pub mod probes;
mod rheology;
mod settings;
mod setup_warnings;
mod shifting;
mod simulation;
mod simulator;
mod step;
mod step_length;
mod step_scene;
mod surface_tension;
pub mod walls;

pub use acceleration::{AccelerationField, FieldError, MAX_ACCELERATION};
pub use air::Air;
pub use continuation::{Continuation, ContinuationError};
pub use coupling::{Ledger, Load, WallContacts};
pub use diagnostics::{Stage, StepDiagnostics};
pub use domain_box::{DomainBox, Outside};
pub use figures::FIGURES;
pub use inflow::Inflow;
pub use inflow::SpeedCourse;
pub use material::{ByMaterial, MAX_MATERIALS, Material};
pub use micropolar::Micropolar;
pub use neighbourhood::Kernel;
pub use particles::Particles;
pub use rheology::{Rheology, Viscosity, ViscositySolver};
pub use settings::{DampingZone, DensitySolve, Emitter, Fill, FillShape, FluidSettings, Mouth, PressureSolver, TaitLaw, TimeStep};
pub use simulation::{FluidSimulation, SetupError, Totals};
pub use surface_tension::CONTACT_ANGLES;
