//! Reads input files.

use std::{fs, io, path::Path};

/// The content of the file at `path`.
///
/// # Errors
/// Those of the operating system; also if `path` is not a file. A pipe is only read where a shell or the user connects it (`/dev/stdin`, `/dev/fd/3`):
/// reading a named one may wait for ever.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, expected a file"));
    }
    let connected = ["/dev/stdin", "/dev/fd", "/proc/self/fd"].iter().any(|place| path.starts_with(place));
    if !metadata.is_file() && !connected {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe or a device, expected a regular file"));
    }
    fs::read(path)
}

/// The text of the file at `path`, which must be UTF-8.
///
/// # Errors
/// As [`read`]; also if it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..place].iter().filter(|&&byte| byte == b'\n').count();
        io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not UTF-8"))
    })
}
