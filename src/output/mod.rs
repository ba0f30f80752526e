//! Files of a run: frames for ParaView and other viewers, tables, checkpoints, and what was run.

pub mod checkpoint;
mod file;
mod format;
mod ply;
mod recording;
mod run_info;
mod table;
mod vtk;
mod writer;

pub use file::{OutputError, replace_file};
pub use format::Format;
pub use ply::{write_bodies_ply, write_particles_ply, write_polygons_ply};
pub use recording::{Recording, RecordingError};
pub use run_info::{Machine, RunInfo, RunResult, SceneRecord, timestamp};
pub use table::Table;
pub use vtk::{Collection, write_bodies_vtu, write_particles_vtu, write_polygons_vtu};
pub use writer::{FrameFiles, FrameWriter};
