//! Scenes: converts a TOML file to checked settings, or to a list of all its errors, before anything is simulated.
//!
//! The format is described in `docs/scene.md`.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod body;
mod deformation;
mod error;
mod fill;
mod holders;
mod load;
mod locate;
mod materials;
mod mechanism;
mod memory;
mod mesh_source;
mod motion;
mod motion_file;
mod origin;
mod overlap_check;
mod read;
mod rheology;
mod segment_check;
mod simulators;
mod size_check;
mod solid_vessel;
mod start;
mod view;
mod waves;

pub use error::{Problem, SceneError};
pub use load::{Definition, FrameFormat, Scene, load_probes, load_probes_from};
pub use locate::KeyLocator;
pub use start::Start;
pub use view::{BodyLook, CameraPath, MaterialLook, ParticleStyle, PictureSettings, Viewpoint, Visibility};

#[cfg(test)]
mod tests;
