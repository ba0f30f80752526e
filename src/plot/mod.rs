//! Diagrams of a run: its tables `diagnostics.csv` and `bodies.csv`, and of a gas, of grains or of aggregates its last frame too, drawn
//! as SVG or PNG.

mod bodies;
mod diagnostics;
mod error;
mod file;
mod paint;
mod picture;
mod scales;
mod simulators;
mod table;
mod thin;

use std::path::Path;

pub use error::PlotError;
pub use file::{PictureFormat, to_svg, write_picture};
pub use picture::{Image, Panel, Picture, Scale, Series};
use simulators::{aggregates, gas, grains};
pub use table::PlotTable;

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
