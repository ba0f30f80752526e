//! Brownian aggregation: spheres fly, turn, meet and stick, and become ever larger clusters.
//!
//! Collisions are found in two steps, by bounding spheres and then by the spheres of the clusters, after Wang et al. (2019); their gaps are
//! closed, and cells and a queue spare most of the work. [`first_collision`] is one round of the algorithms of the literature,
//! [`AggregateSimulation`] the whole.

mod cluster;
mod detect;
mod engine;
mod figures;
mod impact;
mod medium;
mod placement;
mod population;
mod record;
mod settings;
mod simulation;

pub use cluster::{Cluster, Member, Motion};
pub use detect::{
    Algorithm, Boundary, Contact, DEEPEST, DetectionRegion, Encounter, Extremes, NarrowPhase, Space, TOLERANCE, WallContact,
    first_collision, first_wall_contact, window,
};
pub use engine::{Effort, Engine, Happening};
pub use figures::FIGURES;
pub use medium::{
    ATMOSPHERE, BOLTZMANN, Drag, Medium, cunningham, diffusion_kernel, free_flight_kernel, mean_free_path_in_air, viscosity_of_air,
};
pub use placement::place;
pub use population::{Flight, Merger, Population, Turning};
pub use record::{FractalFit, FractalPoint, Micrograph, Stage};
pub use settings::{AggregateError, AggregateSettings, Method, MotionLaw, Stop};
pub use simulation::{AggregateSimulation, Totals};
