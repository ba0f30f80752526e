//! Event-driven hard spheres, or discs in a plane: they fly straight from impact to impact, so nothing overlaps and nothing tunnels.
//!
//! [`Gas`] is the fast version, [`LiteralGas`] the one of the literature, kept as oracle.

mod contact;
mod container;
mod fast;
mod figures;
mod literal;
mod placement;
mod setup;
mod simulation;
mod tally;
mod theory;

pub use contact::{Impact, time_to_contact};
pub use container::{Axis, Container, Dimension, Leg, Wall};
pub use fast::Gas;
pub use figures::FIGURES;
pub use literal::LiteralGas;
pub use placement::{GasSettings, Group, PlacedSphere, SpeedDistribution};
pub use setup::{Collision, GasError, GasSetup, Partner, Species, SphereState};
pub use simulation::GasSimulation;
pub use tally::Tally;
pub use theory::Mixture;
