//! Brownian aggregation: spheres fly, rotate, meet and stick, and form ever larger clusters.
//!
//! Collisions are found in two phases, first with bounding spheres and then with the spheres of the clusters, after Wang et al. (2019).
//! Gaps of that method are closed, and cells and a queue save most of the work. [`first_collision`] is one round of the published
//! algorithms, [`AggregateSimulation`] the complete simulation.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod cluster;
mod detect;
mod diagnostics;
mod engine;
mod error;
mod figures;
mod flight;
mod impact;
mod medium;
mod placement;
mod settings;
mod simulation;
mod simulator;
mod state;
mod step;
mod step_check;

pub use cluster::{Cluster, Member, Motion};
pub use detect::{
    Algorithm, Contact, DEEPEST, DetectionRegion, Encounter, Extremes, FaceContact, NarrowPhase, TOLERANCE, first_collision,
    first_face_contact, window,
};
pub use diagnostics::{AggregateStage, FractalFit, FractalPoint, Micrograph};
pub use engine::{Engine, Outcome, SearchCounters};
pub use error::AggregateError;
pub use figures::FIGURES;
pub use flight::Flight;
pub use medium::{
    ATMOSPHERE, BOLTZMANN, Drag, Medium, cunningham, diffusion_kernel, free_flight_kernel, mean_free_path_in_air, viscosity_of_air,
};
pub use placement::place;
pub use settings::{AggregateSettings, Boundary, Method, MotionLaw, Stop};
pub use simulation::{AggregateSimulation, Totals};
pub use state::{Merger, Population, Turning};
