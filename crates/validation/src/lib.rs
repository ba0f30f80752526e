//! Validation: flows whose solution is known or was measured, computed at several resolutions.
//!
//! Each file in `cases` describes one family of flows. A [`Case`] sets up the fluid, runs it, and returns [`Figure`]s with what is expected,
//! and curves for its charts; [`tables`] and [`pictures`] show several resolutions beside each other.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod case;
mod cases;
mod error;
mod figure;
mod flume;
mod pictures;
mod setup;
mod signal;
mod strips;
mod study;
mod tables;

pub use case::{Case, Chart, ChartPanel, Outcome, Run};
pub use cases::all;
pub use error::CaseError;
pub use figure::{Expected, Figure};
pub use pictures::pictures;
pub use study::Study;
pub use tables::{csv, markdown};
