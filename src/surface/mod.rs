//! Reconstructs the surface of a fluid from its particles and writes it to files.

mod files;
mod order;
mod periodic;
mod reconstruct;
mod settings;

pub use files::{SurfaceFormat, write_surface};
pub use reconstruct::{Surface, SurfaceError, reconstruct};
pub use settings::SurfaceSettings;
