//! Checkpoints: the complete state of a run in one file. A run resumed from it gives bit-identical results.
//!
//! Layout, little-endian: magic (8 bytes), format version (u32), version of plimsoll (16 bytes, padded with zeros), hash of the
//! scene's text (u64), length of the payload (u64), XXH3 of the payload (u64), payload: MessagePack with the names of fields in an LZ4 frame.
//!
//! Later versions read checkpoints of format [`OLDEST_FORMAT`] and later. Fields have names in the payload, so a later version may add fields that
//! have a default, and leave out others. For any other change, add one to [`FORMAT_VERSION`] and read the earlier formats, too.

mod decode;
mod encode;

use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use plimsoll_base::input;
use serde::{Serialize, de::DeserializeOwned};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    checksum::{Mark, Marking},
    file::{OutputError, rename_file, replace_file_keeping},
};

const MAGIC: [u8; 8] = *b"PLIMSOLL";
const FORMAT_VERSION: u32 = 9;
/// The first format that is still read; earlier ones are from before the first release.
const OLDEST_FORMAT: u32 = 9;
const HEADER_LENGTH: usize = 8 + 4 + 16 + 8 + 8 + 8;

/// A checkpoint that cannot be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] OutputError),
    /// The file is something else.
    #[error("{}: not a checkpoint: found {found:?} at its start, expected \"PLIMSOLL\"", path.display())]
    Magic { path: PathBuf, found: String },
    /// The format is of a later version, or from before the first release.
    #[error("{}: checkpoint of format {found}, written by plimsoll {program}: this version, {}, reads formats {OLDEST_FORMAT} to {FORMAT_VERSION}", path.display(), env!("CARGO_PKG_VERSION"))]
    Format { path: PathBuf, found: u32, program: String },
    /// The file is shorter than specified in its header.
    #[error("{}: checkpoint is truncated: found {found} bytes, expected {expected}", path.display())]
    Truncated { path: PathBuf, found: u64, expected: u64 },
    /// The content has changed after it was written.
    #[error("{}: checkpoint is corrupt: found checksum {found:016x}, expected {expected:016x}", path.display())]
    Checksum { path: PathBuf, found: u64, expected: u64 },
    /// The content is not the requested type of state.
    #[error("{}: checkpoint does not hold the state of a run: {reason}", path.display())]
    Content { path: PathBuf, reason: String },
    /// The run belongs to another scene.
    #[error("{}: checkpoint belongs to another scene: found hash {found:016x}, expected {expected:016x} of the scene in run.json", path.display())]
    Scene { path: PathBuf, found: u64, expected: u64 },
}

impl CheckpointError {
    /// Whether the file is missing or damaged, so that the previous checkpoint may help.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::File(error) => error.source.kind() != io::ErrorKind::PermissionDenied,
            Self::Magic { .. } | Self::Truncated { .. } | Self::Checksum { .. } => true,
            Self::Format { .. } | Self::Content { .. } | Self::Scene { .. } => false,
        }
    }
}

/// Path of the checkpoint before the one at `path`.
pub fn previous(path: &Path) -> PathBuf {
    path.with_extension("previous.plimsoll")
}

/// Puts the previous checkpoint in the place of a damaged or missing one at `path`. A damaged one is kept under another name.
pub fn take_previous(path: &Path) -> Result<(), OutputError> {
    if path.exists() {
        rename_file(path, &path.with_extension("damaged.plimsoll"))?;
    }
    rename_file(&previous(path), path)
}

/// The hash that identifies the scene of a checkpoint.
pub fn scene_hash(scene_text: &str) -> u64 {
    xxh3_64(scene_text.as_bytes())
}

/// Writes `state` to `path`. An existing checkpoint is kept as [`previous`].
pub fn save<T: Serialize>(path: &Path, scene_hash: u64, state: &T) -> Result<(), OutputError> {
    replace_file_keeping(path, &previous(path), |file| {
        // Length and checksum are known only at the end, when the header overwrites these zeros.
        file.write_all(&[0; HEADER_LENGTH])?;
        let mut encoder = FrameEncoder::new(Marking::new(&mut *file));
        encode::write(state, &mut encoder)?;
        let Mark { length, checksum } = encoder.finish().map_err(io::Error::other)?.mark();
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&MAGIC)?;
        file.write_all(&FORMAT_VERSION.to_le_bytes())?;
        file.write_all(&program_version())?;
        for number in [scene_hash, length, checksum] {
            file.write_all(&number.to_le_bytes())?;
        }
        Ok(())
    })
}

/// Reads the checkpoint at `path`, which must belong to the scene with hash `scene_hash`.
pub fn load<T: DeserializeOwned>(path: &Path, scene_hash: u64) -> Result<T, CheckpointError> {
    let (header, payload) = read(path)?;
    if header.scene_hash != scene_hash {
        return Err(CheckpointError::Scene { path: path.to_owned(), found: header.scene_hash, expected: scene_hash });
    }
    decoded(path, &payload)
}

/// Reads the checkpoint of any scene at `path`. Also returns its checksum.
pub fn load_any<T: DeserializeOwned>(path: &Path) -> Result<(T, u64), CheckpointError> {
    let (header, payload) = read(path)?;
    Ok((decoded(path, &payload)?, header.checksum))
}

/// The part of the header that describes the content.
struct Header {
    scene_hash: u64,
    checksum: u64,
}

/// The header and the payload of the checkpoint at `path`, which are whole and of this version.
fn read(path: &Path) -> Result<(Header, Vec<u8>), CheckpointError> {
    let mut bytes = input::read(path).map_err(|error| OutputError::new(path, "read", error))?;
    let path = path.to_owned();
    let magic = &bytes[..bytes.len().min(MAGIC.len())];
    if !MAGIC.starts_with(magic) || magic.is_empty() {
        return Err(CheckpointError::Magic { path, found: String::from_utf8_lossy(magic).into_owned() });
    }
    let Some((header, payload)) = bytes.split_at_checked(HEADER_LENGTH) else {
        return Err(CheckpointError::Truncated { path, found: bytes.len() as u64, expected: HEADER_LENGTH as u64 });
    };
    let format = u32::from_le_bytes(array(header, 8));
    if !(OLDEST_FORMAT..=FORMAT_VERSION).contains(&format) {
        let program: [u8; 16] = array(header, 12);
        let program = String::from_utf8_lossy(&program).trim_end_matches('\0').to_owned();
        return Err(CheckpointError::Format { path, found: format, program });
    }
    let [scene_hash, length, checksum] = [28, 36, 44].map(|start| u64::from_le_bytes(array(header, start)));
    if payload.len() as u64 != length {
        let expected = (HEADER_LENGTH as u64).saturating_add(length);
        return Err(CheckpointError::Truncated { path, found: bytes.len() as u64, expected });
    }
    let found = xxh3_64(payload);
    if found != checksum {
        return Err(CheckpointError::Checksum { path, found, expected: checksum });
    }
    // The memory of a second copy is not needed.
    bytes.drain(..HEADER_LENGTH);
    Ok((Header { scene_hash, checksum }, bytes))
}

fn decoded<T: DeserializeOwned>(path: &Path, payload: &[u8]) -> Result<T, CheckpointError> {
    let content = |reason: String| CheckpointError::Content { path: path.to_owned(), reason };
    let mut state = Vec::new();
    FrameDecoder::new(payload).read_to_end(&mut state).map_err(|error| content(error.to_string()))?;
    decode::from_slice(&state).map_err(|error| content(error.to_string()))
}

fn program_version() -> [u8; 16] {
    let mut padded = [0; 16];
    for (place, byte) in padded.iter_mut().zip(env!("CARGO_PKG_VERSION").bytes()) {
        *place = byte;
    }
    padded
}

fn array<const N: usize>(bytes: &[u8], start: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[start + index])
}

#[cfg(test)]
mod tests;
