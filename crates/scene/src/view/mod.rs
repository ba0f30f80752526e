//! Appearance of a scene: the sections `[camera]` and `[render]`. They have no effect on the simulation.

mod camera;
mod picture;

pub use camera::{CameraPath, Viewpoint};
pub use picture::{BodyLook, MaterialLook, ParticleStyle, PictureSettings, Visibility};

pub(super) use camera::read as read_camera;
pub(super) use picture::read as read_picture;
