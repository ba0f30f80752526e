//! What a wall of triangles does to a particle: exact integrals over the triangles near it.

mod contacts;
mod edge;
mod mirror;
pub mod radial;
mod triangle;
mod volume;

pub use contacts::{WallContact, WallContacts};
pub use mirror::mirror_layer;
pub use triangle::{SurfaceIntegral, WallTriangle};
pub use volume::{KernelVolume, kernel_volume};
