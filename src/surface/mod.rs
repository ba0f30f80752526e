//! The surface of a fluid, found from its particles, and files of it.

mod files;
mod order;
mod reconstruct;
mod settings;

pub use files::{SurfaceFormat, write_surface};
pub use reconstruct::{Surface, SurfaceError, reconstruct};
pub use settings::SurfaceSettings;
