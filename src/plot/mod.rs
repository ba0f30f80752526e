//! Diagrams of a run: its tables `diagnostics.csv` and `bodies.csv`, and of a gas, of grains or of aggregates its last frame too, drawn
//! as SVG or PNG.

mod aggregates;
mod bodies;
mod diagnostics;
mod error;
mod file;
mod gas;
mod grains;
mod paint;
mod picture;
mod scales;
mod table;
mod thin;

use std::path::Path;

pub use error::PlotError;
pub use file::{PictureFormat, to_svg, write_picture};
pub use picture::{Image, Panel, Picture, Scale, Series};
pub use table::PlotTable;

use crate::{
    frame::Frame,
    output::{Recording, RecordingError, RunInfo},
};

const DIAGNOSTICS: &str = "diagnostics.csv";
const BODIES: &str = "bodies.csv";

/// All pictures of the run in `folder`, one a subject; columns that belong to none come under their own names. `subtitle` is shown
/// in each.
///
/// # Errors
/// If there is no `diagnostics.csv`, or a table cannot be read; a run without bodies has no `bodies.csv`. If frames of a gas, of grains or
/// of aggregates are damaged.
pub fn pictures(folder: &Path, subtitle: &str) -> Result<Vec<Picture>, PlotError> {
    let diagnostics = PlotTable::read(&folder.join(DIAGNOSTICS))?;
    let mut pictures = diagnostics::pictures(&diagnostics);
    gas::complete(&mut pictures, &diagnostics, folder)?;
    pictures.extend(grains::profiles(&diagnostics, folder)?);
    pictures.extend(aggregates::pictures(&diagnostics, folder)?);
    if folder.join(BODIES).is_file() {
        let table = PlotTable::read(&folder.join(BODIES))?;
        pictures.extend(bodies::pictures(&table));
        pictures.extend(gas::paths(&table));
    }
    pictures.iter_mut().for_each(|picture| picture.subtitle = subtitle.to_owned());
    Ok(pictures)
}

/// What is known of the run in `folder` and its last frame, if it has one; tables alone can be drawn too.
fn last_frame(folder: &Path) -> Result<Option<(RunInfo, Frame)>, PlotError> {
    let recording = match Recording::open(folder) {
        Err(RecordingError::NotARun { .. }) => return Ok(None),
        opened => opened?,
    };
    let Some(last) = recording.len().checked_sub(1) else { return Ok(None) };
    Ok(Some((recording.info().clone(), recording.frame(last)?)))
}
