//! The folder of one run: its files, and the lock against a second run.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use plimsoll_output::{
    OutputError,
    checkpoint::previous,
    file::{obstacle_to_folder, remove_temporary_files},
};

use super::error::RunError;

const RECORD: &str = "run.json";
const CHECKPOINT: &str = "checkpoint.plimsoll";
const DIAGNOSTICS: &str = "diagnostics.csv";
const BODIES: &str = "bodies.csv";
const LOCK: &str = "run.lock";

/// Any of these files indicates an earlier run.
const TRACES: [&str; 8] =
    [RECORD, CHECKPOINT, DIAGNOSTICS, BODIES, "particles.pvd", "bodies.pvd", "particles_000000.vtu", "particles_000000.ply"];

/// Path of the checkpoint of the run in `folder`.
pub(super) fn checkpoint_of(folder: &Path) -> PathBuf {
    folder.join(CHECKPOINT)
}

/// The folder of a run in this process; locked against other processes until it is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Kept open for its lock.
    _lock: File,
}

impl RunFolder {
    /// Claims the folder at `path` for a new run, and creates it if it does not exist.
    ///
    /// # Errors
    /// [`RunError::Occupied`] if it contains an earlier run, which is not changed.
    pub fn claim(path: &Path) -> Result<Self, RunError> {
        Self::check_free(path)?;
        fs::create_dir_all(path).map_err(|error| OutputError::new(path, "create", error))?;
        let folder = Self::lock(path)?;
        match OpenOptions::new().write(true).create_new(true).open(folder.record()) {
            Ok(_) => Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(RunError::Occupied(path.to_owned())),
            Err(error) => Err(OutputError::new(&folder.record(), "create", error).into()),
        }
    }

    /// Returns [`RunError::Occupied`] if the folder at `path` contains an earlier run, and [`RunError::NotAFolder`] if it cannot be created; the folder
    /// need not exist.
    pub fn check_free(path: &Path) -> Result<(), RunError> {
        if let Some((path, found)) = obstacle_to_folder(path) {
            return Err(RunError::NotAFolder { path, found });
        }
        let occupied = TRACES.iter().any(|name| path.join(name).exists());
        if occupied { Err(RunError::Occupied(path.to_owned())) } else { Ok(()) }
    }

    /// Claims the first of `path`, `path-2`, `path-3`, … without an earlier run.
    pub fn claim_next(path: &Path) -> Result<Self, RunError> {
        let mut number = 1;
        loop {
            let mut name = path.as_os_str().to_owned();
            if number > 1 {
                name.push(format!("-{number}"));
            }
            match Self::claim(Path::new(&name)) {
                Err(RunError::Occupied(_) | RunError::Busy(_)) => number += 1,
                claimed => return claimed,
            }
        }
    }

    /// Opens the folder of an earlier run to resume it.
    ///
    /// # Errors
    /// [`RunError::NoRun`] if there is no run to resume, [`RunError::Busy`] if another process runs it.
    pub fn existing(path: &Path) -> Result<Self, RunError> {
        let has_checkpoint = [checkpoint_of(path), previous(&checkpoint_of(path))].iter().any(|checkpoint| checkpoint.is_file());
        for (missing, exists) in [(RECORD, path.join(RECORD).is_file()), (CHECKPOINT, has_checkpoint)] {
            if !exists {
                return Err(RunError::NoRun { folder: path.to_owned(), missing });
            }
        }
        let folder = Self::lock(path)?;
        remove_temporary_files(path)?;
        Ok(folder)
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of `run.json`.
    pub fn record(&self) -> PathBuf {
        self.path.join(RECORD)
    }

    /// Path of the checkpoint.
    pub fn checkpoint(&self) -> PathBuf {
        checkpoint_of(&self.path)
    }

    /// Path of `diagnostics.csv`.
    pub fn diagnostics(&self) -> PathBuf {
        self.path.join(DIAGNOSTICS)
    }

    /// Path of `bodies.csv`.
    pub fn bodies(&self) -> PathBuf {
        self.path.join(BODIES)
    }

    /// Path of an additional table by its name.
    pub fn table(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.csv"))
    }

    /// The operating system releases the lock with the process, so a killed run does not block its folder.
    fn lock(path: &Path) -> Result<Self, RunError> {
        let name = path.join(LOCK);
        let lock = File::create(&name).map_err(|error| OutputError::new(&name, "create", error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(RunError::Busy(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(OutputError::new(&name, "lock", error).into()),
        }
    }
}
