//! Folders for results.

use std::{fs, path::Path};

use anyhow::{Context, anyhow};

use super::Failure;
use crate::output::file::obstacle_to_folder;

/// Creates the folder at `path` unless it exists.
///
/// # Errors
/// Something else is in its place, which is bad input, or it cannot be created.
pub fn create_folder(path: &Path) -> Result<(), Failure> {
    if let Some((path, found)) = obstacle_to_folder(path) {
        return Err(Failure::BadInput(anyhow!("{}: found {found}, expected a folder", path.display())));
    }
    fs::create_dir_all(path).with_context(|| format!("{}: cannot create the folder", path.display())).map_err(Failure::Running)
}
