//! The surface of the fluid in a frame.

use glam::Vec3;

use super::drawing::WaterMesh;
use crate::{
    frame::Frame,
    surface::{SurfaceError, SurfaceSettings, reconstruct},
};

/// The surface around the particles of `frame`.
///
/// # Errors
/// If the particles have no radius or no place.
pub fn water_surface(frame: &Frame) -> Result<WaterMesh, SurfaceError> {
    let surface = reconstruct(&frame.particles, &SurfaceSettings::default())?;
    let vectors = |list: Vec<[f32; 3]>| list.into_iter().map(Vec3::from).collect();
    Ok(WaterMesh { positions: vectors(surface.vertices), normals: vectors(surface.normals), triangles: surface.triangles })
}
