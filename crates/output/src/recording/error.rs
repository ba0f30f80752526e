//! Why a run cannot be read back.

use std::path::{Path, PathBuf};

use crate::{file::OutputError, vtu::Damage};

/// Why a run, or a frame of it, cannot be read back.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum RecordingError {
    /// The folder does not contain a run with frames.
    #[error("{}: missing {missing}, expected the folder of a run with frames", folder.display())]
    NotARun { folder: PathBuf, missing: &'static str },
    /// The frame does not exist.
    #[error("{}: no frame {index}, expected a frame below {count}", folder.display())]
    NoFrame { folder: PathBuf, index: usize, count: usize },
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] OutputError),
    /// A file has unexpected content.
    #[error("{}: found {found}, expected {expected}", path.display())]
    Malformed { path: PathBuf, found: String, expected: &'static str },
}

impl RecordingError {
    /// The file ends before `expected`.
    pub(super) fn cut_short(path: &Path, expected: &'static str) -> Self {
        Self::damaged(path, Damage::cut_short(expected))
    }

    /// The file at `path` is damaged.
    pub(super) fn damaged(path: &Path, Damage { found, expected }: Damage) -> Self {
        Self::Malformed { path: path.to_owned(), found, expected }
    }
}
