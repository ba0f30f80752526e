//! Atomic file replacement: files are written under a temporary name, then renamed.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// A file of a run that could not be written or read.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot {action}", path.display())]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// The failed operation: "write", "read", …
    pub action: &'static str,
    /// The error of the operating system.
    pub source: io::Error,
}

impl OutputError {
    /// `action` failed at `path`.
    pub fn new(path: &Path, action: &'static str, source: io::Error) -> Self {
        Self { path: path.to_owned(), action, source }
    }
}

/// Calls `write` for a file next to `path` (its name and `.tmp`), then renames it to `path`. A reader of `path` gets the old file or the
/// new one, never a partial one. On an error the old file is kept and the temporary file is removed.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), OutputError> {
    let beside = beside(path);
    let written = File::create(&beside)
        .and_then(|file| {
            let mut writer = BufWriter::with_capacity(1 << 18, file);
            write(&mut writer)?;
            writer.flush()
        })
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|source| {
        // The error above is the one to report, not a failure to remove the temporary file.
        let _ = fs::remove_file(&beside);
        OutputError::new(path, "write", source)
    })
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".tmp");
    path.with_file_name(name)
}
