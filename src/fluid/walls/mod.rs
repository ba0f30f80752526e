//! Walls made of triangles: closed-form integrals of a triangle's contribution to a particle's density.

mod edge;
mod mirror;
pub mod radial;
mod triangle;
mod volume;

pub use mirror::mirror_layer;
pub use triangle::{SurfaceIntegral, WallTriangle};
pub use volume::{KernelVolume, kernel_volume};
