//! Files of a run: frames for ParaView and other viewers, tables, checkpoints, and `run.json`.

pub mod checkpoint;
mod checksum;
pub(crate) mod file;
mod format;
mod ply;
mod recording;
mod run_info;
mod table;
mod vtk;
pub(crate) mod vtu;
mod writer;

pub use checksum::Mark;
pub use file::OutputError;
pub use format::Format;
pub use recording::{Recording, RecordingError};
pub use run_info::{Machine, RunInfo, RunResult, SceneRecord, StartRecord, timestamp};
pub use table::Table;
pub use vtk::Collection;
pub use writer::{FrameFiles, FrameWriter};
