//! The program and whole runs of it.

mod cli;
#[path = "../../crates/fluid/tests/common/mod.rs"]
mod common;
mod compatibility;
mod determinism;
mod gate;
mod pictures;
mod probes;
mod scale;
mod start_from;
#[cfg(feature = "viewer")]
mod viewer;
