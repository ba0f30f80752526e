//! Grains of any size distribution: soft spheres with friction (DEM). The hierarchical grid ([`plimsoll_search::hierarchical_grid`]) finds
//! their contacts.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod contact_lines;
mod contacts;
mod counters;
mod diagnostics;
mod error;
mod expected_overlap;
mod figures;
mod law;
mod overlaps;
mod placement;
mod settings;
mod simulation;
mod simulator;
mod state;
mod step;
mod timing;
mod travel;
mod walls;

pub use contact_lines::WALL;
pub use counters::RebuildCounters;
pub use error::GrainsError;
pub use expected_overlap::ExpectedOverlap;
pub use figures::FIGURES;
pub use law::{ContactKinematics, ContactLaw, History, Law, Material, Reaction};
pub use placement::random_packing;
pub use settings::{GrainsSettings, Group, PlacedGrain, SearchMethod, Sizes};
pub use simulation::GrainsSimulation;
pub use state::Grains;
pub use timing::GrainsStage;
