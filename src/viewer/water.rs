//! The surface of the fluid in a frame.

use super::{drawing::WaterMesh, error::ViewerError};
use crate::frame::Frame;

/// The surface around the particles of `frame`.
pub fn water_surface(frame: &Frame) -> Result<WaterMesh, ViewerError> {
    let _ = frame;
    Ok(WaterMesh::default())
}
