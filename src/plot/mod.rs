//! Diagrams of a run: its tables `diagnostics.csv` and `bodies.csv` drawn as SVG or PNG.

mod axis;
mod bodies;
mod diagnostics;
mod error;
mod file;
mod paint;
mod picture;
mod table;
mod thin;

use std::path::Path;

pub use error::PlotError;
pub use file::{PictureFormat, to_svg, write_picture};
pub use picture::{Panel, Picture, Scale, Series};
pub use table::PlotTable;

const DIAGNOSTICS: &str = "diagnostics.csv";
const BODIES: &str = "bodies.csv";

/// All pictures of the run in `folder`, one a subject; columns that belong to none come under their own names. `subtitle` is shown
/// in each.
///
/// # Errors
/// If there is no `diagnostics.csv`, or a table cannot be read; a run without bodies has no `bodies.csv`.
pub fn pictures(folder: &Path, subtitle: &str) -> Result<Vec<Picture>, PlotError> {
    let mut pictures = diagnostics::pictures(&PlotTable::read(&folder.join(DIAGNOSTICS))?);
    if folder.join(BODIES).is_file() {
        pictures.extend(bodies::pictures(&PlotTable::read(&folder.join(BODIES))?));
    }
    pictures.iter_mut().for_each(|picture| picture.subtitle = subtitle.to_owned());
    Ok(pictures)
}
