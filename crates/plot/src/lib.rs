//! Draws the figures of a run as SVG or PNG.
//!
//! [`plimsoll_contract::chart`] describes what to draw: each simulator, the bodies, and this module (for columns of any table) provide it.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod decimate;
mod diagnostics;
mod error;
mod file;
mod layout;
mod paint;
mod probes;
mod read;
mod scales;

use std::path::Path;

pub use error::PlotError;
pub use file::{PictureFormat, to_svg, write_picture};
pub use plimsoll_contract::chart::{Image, Panel, Picture, Scale, Series};
use plimsoll_run as run;
pub use probes::{ProbeRecord, read_probes};

/// All pictures of the run in `folder`, each with `subtitle`. Columns of the diagnostics that no figure covers are shown under their own
/// names.
///
/// # Errors
/// `diagnostics.csv` is missing, or a table or the last frame cannot be read.
pub fn pictures(folder: &Path, subtitle: &str) -> Result<Vec<Picture>, PlotError> {
    let run = read::read_run(folder)?;
    let (common, own) = (diagnostics::common(&run.diagnostics), run::figures(&run));
    let shown = [common.columns, own.columns].concat();
    let mut pictures = [common.pictures, own.pictures].concat();
    pictures.extend(diagnostics::stages(&run.diagnostics));
    pictures.extend(diagnostics::others(&run.diagnostics, &shown));
    pictures.extend(probes::pictures(folder)?);
    pictures.iter_mut().for_each(|picture| picture.subtitle = subtitle.to_owned());
    Ok(pictures)
}
