//! Walls made of triangles: closed-form integrals of a triangle's contribution to a particle's density.

mod cluster;
mod cluster_block;
mod edge;
mod mirror;
pub mod radial;
mod surface;
mod surface_flow;
mod triangle;
mod volume;

pub use mirror::mirror_layer;
pub use radial::RadialFunction;
pub use surface::{NearParts, WallSurface};
pub use surface_flow::{SurfaceFlow, TriangleMotion};
pub use triangle::{NormalParts, SurfaceIntegral, WallTriangle};
pub use volume::{KernelVolume, kernel_volume};
