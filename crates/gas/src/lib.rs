//! Event-driven hard spheres, or discs in a plane. They move in straight lines from impact to impact, without overlap or tunneling.
//!
//! [`Gas`] is the fast version. [`ReferenceGas`] is the method from the literature, kept as a test oracle.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod contact;
mod container;
mod counters;
mod crowding;
mod diagnostics;
mod error;
mod fast;
mod figures;
mod placement;
mod reference;
mod settings;
mod simulation;
mod simulator;
mod state;
mod step;
mod theory;
mod totals;

pub use contact::{Impact, time_to_contact};
pub use container::{Axis, Container, Dimension, Leg, WALL_NAMES, Wall};
pub use counters::ImpactCounters;
pub use crowding::jamming_share;
pub use error::GasError;
pub use fast::Gas;
pub use figures::FIGURES;
pub use reference::ReferenceGas;
pub use settings::{GasSettings, Group, PlacedSphere, Species, SpeedDistribution};
pub use simulation::GasSimulation;
pub use state::{Collision, GasSetup, Partner, SphereState};
pub use theory::Mixture;
