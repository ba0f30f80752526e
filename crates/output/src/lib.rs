//! Files of a run: frames for ParaView and other viewers, tables, checkpoints, and `run.json`.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod checkpoint;
mod checksum;
pub mod file;
mod format;
mod ply;
mod recording;
mod run_info;
mod table;
mod vtk;
pub mod vtu;
mod writer;

pub use checksum::Mark;
pub use file::OutputError;
pub use format::Format;
pub use recording::{Recording, RecordingError};
pub use run_info::{Machine, RunInfo, RunResult, SceneRecord, StartRecord, timestamp};
pub use table::Table;
pub use vtk::Collection;
pub use writer::{FrameFiles, FrameWriter};
