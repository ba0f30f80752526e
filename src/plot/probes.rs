//! Pictures of the probes of a run: one for each kind of instrument, with a panel for each quantity and a line for each probe.

use std::{collections::BTreeMap, fs, path::Path};

use super::{error::PlotError, read::read_table};
use crate::chart::{Panel, Picture, RecordedTable, Scale, Series};

const FOLDERS: [(&str, &str); 2] = [("probes", "Probes"), ("measured", "Measured in the frames")];
const TIME: &str = "time [s]";
/// Statistics between samples, which are not drawn.
const STATISTICS: [&str; 3] = ["_mean", "_min", "_max"];
/// Maximum number of panels in a picture.
const MAX_PANELS: usize = 6;
/// Number of colors of the palette.
const COLORS: usize = 10;

/// The pictures of the tables in the folders `probes` and `measured` of the run in `folder`.
pub fn pictures(folder: &Path) -> Result<Vec<Picture>, PlotError> {
    let mut pictures = Vec::new();
    for (name, title) in FOLDERS {
        let mut files: Vec<_> =
            fs::read_dir(folder.join(name)).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
        files.sort();
        // Probes with the same columns are of the same kind.
        let mut kinds: BTreeMap<Vec<String>, Vec<(String, RecordedTable)>> = BTreeMap::new();
        for path in files {
            let table = read_table(&path)?;
            let probe = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            kinds.entry(quantities(&table)).or_default().push((probe, table));
        }
        for (quantities, tables) in kinds {
            pictures.extend(picture(name, title, &quantities, &tables));
        }
    }
    Ok(pictures)
}

/// Columns with values, without statistics.
fn quantities(table: &RecordedTable) -> Vec<String> {
    let is_quantity = |column: &&str| {
        let name = column.split(" [").next().unwrap_or_default();
        *column != TIME && *column != "step" && !STATISTICS.iter().any(|part| name.ends_with(part))
    };
    table.names().filter(is_quantity).map(str::to_owned).collect()
}

fn picture(folder: &str, title: &str, quantities: &[String], tables: &[(String, RecordedTable)]) -> Option<Picture> {
    let panel = |quantity: &String| {
        let (name, unit) = quantity.split_once(" [").unwrap_or((quantity, ""));
        let line = |(place, (probe, table)): (usize, &(String, RecordedTable))| {
            let values = table.column(quantity)?.iter().copied();
            Some(Series::new(probe.clone(), place % COLORS, table.column(TIME)?, values))
        };
        let series = tables.iter().enumerate().filter_map(line).collect();
        Panel::new(capitalized(&name.replace('_', " ")), unit.trim_end_matches(']'), Scale::Linear, series)
    };
    let first = quantities.first()?.split([' ', '_']).next().unwrap_or_default();
    let panels = quantities.iter().take(MAX_PANELS).map(panel).collect();
    Picture::of(&format!("{folder}_{first}"), &format!("{title}: {first}"), "Time (s)", panels)
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
