//! Pictures, film and a window, drawn with kiss3d: whatever a simulator puts into a [`crate::frame::Frame`] can be seen.

mod adapter;
mod camera;
mod color;
mod drawing;
mod error;
mod film;
mod live_source;
mod look;
mod picture;
mod render;
mod studio;
mod water;

pub use color::ValueRange;
pub use error::ViewerError;
pub use live_source::LiveSource;
pub use look::Look;
pub use picture::Picture;
pub use render::{FrameSelection, FrameSource, RenderOptions, render};
pub use studio::Studio;
