//! Reconstructs the surface of a fluid from its particles and writes it to files.

mod files;
mod mesh;
mod order;
mod periodic;
mod reconstruct;
mod settings;

pub use files::{SurfaceFormat, write_surface};
pub use mesh::Surface;
pub use reconstruct::{SurfaceError, reconstruct};
pub use settings::SurfaceSettings;
