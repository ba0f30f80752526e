//! Pictures, films and a window, drawn with kiss3d. The viewer shows everything that a simulator puts into a [`plimsoll_contract::frame::Frame`].

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod adapter;
mod appearance;
mod camera;
mod color;
mod drawing;
mod error;
mod film;
mod playback_rate;
mod render;
mod water;
mod window;

pub use adapter::warning as adapter_warning;
pub use appearance::Appearance;
pub use color::ValueRange;
pub use error::ViewerError;
pub use film::Picture;
pub use render::{FrameSelection, FrameSource, LiveSource, Offscreen, RenderOptions, View, render, scene_of};
pub use window::{LookOptions, ViewOptions, view};
