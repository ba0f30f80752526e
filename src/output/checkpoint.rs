//! Checkpoints: the complete state of a run in one file. A run resumed from it gives bit-identical results.
//!
//! Layout, little-endian: magic (8 bytes), format version (u32), version of plimsoll (16 bytes, padded with zeros), hash of the
//! scene's text (u64), length of the payload (u64), XXH3 of the payload (u64), payload: postcard in an LZ4 frame.

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use serde::{Serialize, de::DeserializeOwned};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::file::{OutputError, replace_file};

const MAGIC: [u8; 8] = *b"PLIMSOLL";
const FORMAT_VERSION: u32 = 8;
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
    /// The format is of another version.
    #[error("{}: checkpoint of format {found}, expected {FORMAT_VERSION}", path.display())]
    Format { path: PathBuf, found: u32 },
    /// Another version of the program wrote the file.
    #[error("{}: checkpoint written by plimsoll {found}, expected {}: resume with the version that wrote it", path.display(), env!("CARGO_PKG_VERSION"))]
    Program { path: PathBuf, found: String },
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

/// The hash that identifies the scene of a checkpoint.
pub fn scene_hash(scene_text: &str) -> u64 {
    xxh3_64(scene_text.as_bytes())
}

/// Writes `state` to `path`; an existing checkpoint is kept until the new one is complete.
pub fn save<T: Serialize>(path: &Path, scene_hash: u64, state: &T) -> Result<(), OutputError> {
    replace_file(path, |file| {
        // Length and checksum are known only at the end, when the header overwrites these zeros.
        file.write_all(&[0; HEADER_LENGTH])?;
        let mut encoder = FrameEncoder::new(Summing { file: &mut *file, length: 0, checksum: Xxh3Default::new() });
        postcard::to_io(state, &mut encoder).map_err(io::Error::other)?;
        let payload = encoder.finish().map_err(io::Error::other)?;
        let (length, checksum) = (payload.length, payload.checksum.digest());
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
    decode(path, &payload)
}

/// Reads the checkpoint of any scene at `path`. Also returns its checksum.
pub fn load_any<T: DeserializeOwned>(path: &Path) -> Result<(T, u64), CheckpointError> {
    let (header, payload) = read(path)?;
    Ok((decode(path, &payload)?, header.checksum))
}

/// The part of the header that describes the content.
struct Header {
    scene_hash: u64,
    checksum: u64,
}

/// The header and the payload of the checkpoint at `path`, which are whole and of this version.
fn read(path: &Path) -> Result<(Header, Vec<u8>), CheckpointError> {
    let mut bytes = fs::read(path).map_err(|error| OutputError::new(path, "read", error))?;
    let path = path.to_owned();
    let magic = &bytes[..bytes.len().min(MAGIC.len())];
    if !MAGIC.starts_with(magic) || magic.is_empty() {
        return Err(CheckpointError::Magic { path, found: String::from_utf8_lossy(magic).into_owned() });
    }
    let Some((header, payload)) = bytes.split_at_checked(HEADER_LENGTH) else {
        return Err(CheckpointError::Truncated { path, found: bytes.len() as u64, expected: HEADER_LENGTH as u64 });
    };
    let format = u32::from_le_bytes(array(header, 8));
    if format != FORMAT_VERSION {
        return Err(CheckpointError::Format { path, found: format });
    }
    let program: [u8; 16] = array(header, 12);
    if program != program_version() {
        return Err(CheckpointError::Program { path, found: String::from_utf8_lossy(&program).trim_end_matches('\0').to_owned() });
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

fn decode<T: DeserializeOwned>(path: &Path, payload: &[u8]) -> Result<T, CheckpointError> {
    let content = |reason: String| CheckpointError::Content { path: path.to_owned(), reason };
    let mut state = Vec::new();
    FrameDecoder::new(payload).read_to_end(&mut state).map_err(|error| content(error.to_string()))?;
    postcard::from_bytes(&state).map_err(|error| content(error.to_string()))
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

/// Writes bytes to `file` and updates their count and checksum.
struct Summing<W> {
    file: W,
    length: u64,
    checksum: Xxh3Default,
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.length += written as u64;
        self.checksum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
