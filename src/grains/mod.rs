//! Grains of any mixture of sizes: soft spheres with friction (DEM), their contacts found by the octree of [`crate::search::octree`].

mod contacts;
mod ensemble;
mod figures;
mod law;
mod lines;
mod placement;
mod record;
mod settings;
mod simulation;
mod step;
mod taken;
mod walls;

pub use ensemble::Grains;
pub use figures::FIGURES;
pub use law::{ContactLaw, History, Law, Material, Reaction, Touch};
pub use lines::WALL;
pub use placement::random_packing;
pub use record::Stage;
pub use settings::{GrainsError, GrainsSettings, Group, PlacedGrain, SearchMethod, Sizes};
pub use simulation::GrainsSimulation;
