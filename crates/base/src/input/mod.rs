//! Reads input files, wherever they are: on the disk, or in memory, as in a browser.

mod disk;
mod file_map;

use std::{ffi::OsString, io, path::Path};

pub use disk::Disk;
pub use file_map::FileMap;

/// Where input files are.
pub trait Files: Sync {
    /// The content of the file at `path`.
    ///
    /// # Errors
    /// There is no such file, or it cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Whether `path` is a file.
    fn has_file(&self, path: &Path) -> bool;

    /// The names of the files in `folder`, in any order, without those in its own folders.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be read.
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>>;

    /// The text of the file at `path`, which must be UTF-8.
    ///
    /// # Errors
    /// As [`Files::read`]; also if it is not UTF-8.
    fn read_text(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.read(path)?).map_err(|error| {
            let place = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..place].iter().filter(|&&byte| byte == b'\n').count();
            io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not UTF-8"))
        })
    }
}

/// The content of the file at `path` on the disk.
///
/// # Errors
/// Those of the operating system; also if `path` is not a file. A pipe is only read where a shell or the user connects it (`/dev/stdin`, `/dev/fd/3`):
/// reading a named one may wait for ever.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    Disk.read(path)
}

/// The text of the file at `path` on the disk, which must be UTF-8.
///
/// # Errors
/// As [`read`]; also if it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    Disk.read_text(path)
}
