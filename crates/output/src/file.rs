//! Atomic file replacement: files are written under a temporary name, then renamed.
//!
//! After a power cut a renamed file may be empty unless its content was passed to the device before. [`replace_file`] waits for the device; the many
//! frames of a run do not, and are passed to it together before the checkpoint that depends on them.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

/// End of the names of temporary files. A killed process leaves them behind; [`remove_temporary_files`] removes them.
const TEMPORARY: &str = ".plimsoll.tmp";

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

/// What prevents a folder at `path`: the last part of the path that exists, if it is not a folder, and what it is.
pub fn obstacle_to_folder(path: &Path) -> Option<(PathBuf, &'static str)> {
    // Also a link to nothing exists.
    let existing = path.ancestors().find(|part| part.symlink_metadata().is_ok())?;
    let found = match fs::metadata(existing) {
        Ok(metadata) if metadata.is_dir() => None,
        Ok(_) => Some("a file"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some("a link to nothing"),
        Err(_) => None,
    };
    Some((existing.to_owned(), found?))
}

/// Calls `write` for a temporary file in the folder of `path`, then renames it to `path`. A reader of `path` gets the old file or the new one, never a
/// partial one, also after a power cut. On an error the old file is kept and the temporary file is removed.
///
/// If `path` is a link, the file that it points to is replaced. A device, a pipe or anything else that is not a regular file is not replaced but
/// written to.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), OutputError> {
    replace(path, Durability::Now, None, write).map_err(|source| OutputError::new(path, "write", source))
}

/// As [`replace_file`], but does not wait for the device: [`sync_files`] must follow.
pub fn replace_file_unsynced(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), OutputError> {
    replace(path, Durability::Later, None, write).map_err(|source| OutputError::new(path, "write", source))
}

/// As [`replace_file`], but an existing file is kept under the name `previous` in the same folder.
pub fn replace_file_keeping(
    path: &Path,
    previous: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    replace(path, Durability::Now, Some(previous), write).map_err(|source| OutputError::new(path, "write", source))
}

/// Waits until the content and the names of `files` in `folder` are on the device. Files that somebody has moved away meanwhile do not matter.
pub fn sync_files(folder: &Path, files: impl IntoIterator<Item = PathBuf>) -> Result<(), OutputError> {
    for path in files {
        match OpenOptions::new().write(true).open(&path).and_then(|file| file.sync_all()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(OutputError::new(&path, "write", error)),
            _ => {}
        }
    }
    sync_folder(folder);
    Ok(())
}

/// Renames a file in its folder and waits until its new name is on the device.
pub fn rename_file(from: &Path, to: &Path) -> Result<(), OutputError> {
    fs::rename(from, to).map_err(|source| OutputError::new(from, "rename", source))?;
    sync_folder(folder_of(to));
    Ok(())
}

/// Removes temporary files of killed processes from `folder`, which no other process may use.
pub fn remove_temporary_files(folder: &Path) -> Result<(), OutputError> {
    let unreadable = |source| OutputError::new(folder, "read", source);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.file_name().to_string_lossy().ends_with(TEMPORARY) {
            fs::remove_file(entry.path()).map_err(|source| OutputError::new(&entry.path(), "remove", source))?;
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Durability {
    Now,
    Later,
}

fn replace(
    path: &Path,
    durability: Durability,
    previous: Option<&Path>,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    // An error means that there is nothing at the path, or a link to nothing: both are written as they are.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|existing| !existing.is_file()) || path.is_symlink() {
        return fill(File::create(path)?, write).map(drop);
    }
    let temporary = temporary_file(path)?;
    let file = fill(temporary.as_file().try_clone()?, write)?;
    if durability == Durability::Now {
        file.sync_all()?;
    }
    if let Some(previous) = previous.filter(|_| path.exists()) {
        fs::rename(path, previous)?;
    }
    temporary.persist(path).map_err(|error| error.error)?;
    if durability == Durability::Now {
        sync_folder(folder_of(path));
    }
    Ok(())
}

fn fill(file: File, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<File> {
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    write(&mut writer)?;
    writer.into_inner().map_err(io::IntoInnerError::into_error)
}

/// A new file beside `path` with a name that nobody can predict, readable to those who may read other files of the user. Dropping it removes it.
fn temporary_file(path: &Path) -> io::Result<NamedTempFile> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&name).suffix(TEMPORARY);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Waits until the names in `folder` are on the device. Not every file system can do this for a folder, and none of them loses the content of files
/// without it, so an error is not one of the run.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        io::{Read, Write},
        os::unix::fs::{FileTypeExt, PermissionsExt, symlink},
    };

    use super::*;

    fn write(path: &Path, text: &str) {
        replace_file(path, |file| file.write_all(text.as_bytes())).unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_link_stays_and_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        write(&link, "new");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        replace_file(&link, |_| Err(io::Error::other("no"))).unwrap_err();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new", "it is replaced only by a whole file");
        // A link to nothing yet.
        fs::remove_file(&file).unwrap();
        write(&link, "newer");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "newer");
    }

    /// A pipe stands for all that is not a regular file: a device would be lost if this failed.
    #[test]
    fn a_pipe_is_written_to_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, link] = ["pipe", "link"].map(|name| folder.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        symlink(&pipe, &link).unwrap();
        // With a writer of its own, neither end waits for another process.
        let mut ends = OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
        for path in [&pipe, &link] {
            write(path, "text");
            assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo() && link.is_symlink());
            let mut text = [0; 4];
            ends.read_exact(&mut text).unwrap();
            assert_eq!(&text, b"text");
        }
        assert_eq!(names(folder.path()), ["link", "pipe"]);
    }

    #[test]
    fn files_have_the_usual_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let [own, other] = ["own", "other"].map(|name| folder.path().join(name));
        write(&own, "text");
        fs::write(&other, "text").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&own), mode(&other));
    }

    #[test]
    fn a_link_that_waits_under_a_temporary_name_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join("file"), folder.path().join("victim"));
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, folder.path().join("file.tmp")).unwrap();
        let mut temporary = Vec::new();
        for _ in 0..2 {
            replace_file(&path, |file| {
                temporary.push(names(folder.path()).into_iter().find(|name| name.ends_with(TEMPORARY)).unwrap());
                file.write_all(b"text")
            })
            .unwrap();
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert_ne!(temporary[0], temporary[1]);
        assert_eq!(names(folder.path()), ["file", "file.tmp", "victim"]);
    }

    #[test]
    fn the_previous_file_is_kept_and_what_killed_processes_left_goes() {
        let folder = tempfile::tempdir().unwrap();
        let [path, previous] = ["new", "old"].map(|name| folder.path().join(name));
        for text in ["1", "2", "3"] {
            replace_file_keeping(&path, &previous, |file| file.write_all(text.as_bytes())).unwrap();
        }
        assert_eq!([&path, &previous].map(|path| fs::read_to_string(path).unwrap()), ["3", "2"]);
        // Files that were moved away are not missed.
        sync_files(folder.path(), [path.clone(), folder.path().join("gone")]).unwrap();
        // One that fails changes neither.
        replace_file_keeping(&path, &previous, |_| Err(io::Error::other("no"))).unwrap_err();
        assert_eq!([&path, &previous].map(|path| fs::read_to_string(path).unwrap()), ["3", "2"]);
        fs::write(folder.path().join(format!("new.x7{TEMPORARY}")), "half").unwrap();
        fs::write(folder.path().join("notes.tmp"), "of the user").unwrap();
        remove_temporary_files(folder.path()).unwrap();
        assert_eq!(names(folder.path()), ["new", "notes.tmp", "old"]);
    }
}
