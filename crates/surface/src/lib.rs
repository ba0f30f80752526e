//! Reconstructs the surface of a fluid from its particles and writes it to files.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

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
