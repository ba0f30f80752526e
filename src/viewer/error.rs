//! What can go wrong while something is drawn.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    #[error(
        "found no graphics driver ({0}), expected a GPU with Vulkan or software Vulkan; on Debian and Ubuntu install it with\n  \
         apt-get install mesa-vulkan-drivers libvulkan1"
    )]
    NoAdapter(String),
    #[error(
        "cannot open a window: {0}; expected an X11 or Wayland display with libxkbcommon-x11-0, mesa-vulkan-drivers and libvulkan1 \
         installed (without a display: `plimsoll render`, or `xvfb-run plimsoll view …`)"
    )]
    NoWindow(String),
    #[error("the graphics driver failed: {0}")]
    Driver(String),
    #[error("{path}: cannot be written ({reason})", path = path.display())]
    Unwritable { path: PathBuf, reason: String },
    #[error("{path}: cannot be read as a picture ({reason})", path = path.display())]
    Picture { path: PathBuf, reason: String },
    #[error("found the field \"{found}\", expected one of {expected}")]
    NoField { found: String, expected: String },
    #[error("{0}")]
    BadInput(String),
}

pub(super) fn unwritable(path: &Path, reason: &dyn Display) -> ViewerError {
    ViewerError::Unwritable { path: path.to_owned(), reason: reason.to_string() }
}
