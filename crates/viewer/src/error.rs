//! Errors while drawing.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

/// Why a picture cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// No graphics adapter was found; the field is the reason.
    #[error(
        "found no graphics driver ({0}), expected a GPU with Vulkan or software Vulkan; on Debian and Ubuntu install it with\n  \
         apt-get install mesa-vulkan-drivers libvulkan1"
    )]
    NoAdapter(String),
    /// No window can be opened; the field is the reason.
    #[error(
        "cannot open a window: {0}; expected an X11 or Wayland display with libxkbcommon-x11-0, mesa-vulkan-drivers and libvulkan1 \
         installed (without a display: `plimsoll render`, or `xvfb-run plimsoll view …`)"
    )]
    NoWindow(String),
    /// The graphics driver failed; the field is its message.
    #[error("the graphics driver failed: {0}")]
    Driver(String),
    /// A file cannot be written.
    #[error("{path}: cannot be written ({reason})", path = path.display())]
    Unwritable {
        /// Path of the file.
        path: PathBuf,
        /// Reason.
        reason: String,
    },
    /// A file cannot be read as a picture.
    #[error("{path}: cannot be read as a picture ({reason})", path = path.display())]
    Picture {
        /// Path of the file.
        path: PathBuf,
        /// Reason.
        reason: String,
    },
    /// The particles have no such field.
    #[error("found the field \"{found}\", expected one of {expected}")]
    NoField {
        /// Name of the requested field.
        found: String,
        /// Names of the available fields.
        expected: String,
    },
    /// An input is not valid; the field is the message.
    #[error("{0}")]
    BadInput(String),
}

pub(super) fn unwritable(path: &Path, reason: &dyn Display) -> ViewerError {
    ViewerError::Unwritable { path: path.to_owned(), reason: reason.to_string() }
}
