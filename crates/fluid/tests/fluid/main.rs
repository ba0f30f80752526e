//! The fluid against closed forms, brute force and conservation.

mod air;
mod archimedes;
mod box_events;
#[path = "../common/mod.rs"]
mod common;
mod deforming;
mod emitters;
mod escaped;
mod fields;
#[path = "../../../../tools/generate_meshes/main.rs"]
mod generate_meshes;
mod hydrostatics;
mod impact;
mod kernel;
mod leaks;
mod limits;
mod mapping;
mod materials;
mod micropolar;
mod momentum;
mod narrow_gaps;
mod periodic;
mod placement;
mod presence;
mod restarts;
mod sample_grids;
mod surface_tension;
mod time_step;
mod viscosity;
mod vortex;
mod wall;
mod weakly_compressible;
