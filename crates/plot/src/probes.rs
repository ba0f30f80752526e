//! Pictures of the probes of a run: one for each kind of instrument, with a panel for each quantity and a line for each probe.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use plimsoll_contract::chart::{Panel, Picture, RecordedTable, Scale, Series};

use super::{error::PlotError, read::read_table};

const FOLDERS: [(&str, &str); 2] = [("probes", "Probes"), ("measured", "Measured in the frames")];
const TIME: &str = "time";
/// Statistics between samples, which are not drawn.
const STATISTICS: [&str; 3] = ["_mean", "_min", "_max"];
/// Maximum number of panels in a picture.
const MAX_PANELS: usize = 6;
/// Number of colors of the palette.
const COLORS: usize = 10;

/// The pictures of the tables in the folders `probes` and `measured` of the run in `folder`.
pub fn pictures(folder: &Path) -> Result<Vec<Picture>, PlotError> {
    let mut pictures = Vec::new();
    for (folder_name, title) in FOLDERS {
        // Probes with the same columns are of the same kind.
        let mut kinds: BTreeMap<Vec<String>, Vec<(String, RecordedTable)>> = BTreeMap::new();
        for path in files(&folder.join(folder_name)) {
            let table = read_table(&path)?;
            kinds.entry(quantities(&table)).or_default().push((name(&path), table));
        }
        for (quantities, tables) in kinds {
            pictures.extend(picture(folder_name, title, &quantities, &tables));
        }
    }
    Ok(pictures)
}

/// One quantity of a probe, as recorded.
#[derive(Clone, Copy, Debug)]
pub struct ProbeRecord<'r> {
    /// Name of the probe.
    pub probe: &'r str,
    /// Name of the quantity: "pressure", `force_x`.
    pub quantity: &'r str,
    /// SI unit.
    pub unit: &'r str,
    /// Time of each sample, s.
    pub times: &'r [f64],
    /// Value of each sample.
    pub values: &'r [f64],
}

/// Passes what the probes of the run in `folder` have recorded to `take`, quantity by quantity. One table at a time is in memory.
///
/// # Errors
/// A table cannot be read.
pub fn read_probes(folder: &Path, mut take: impl FnMut(ProbeRecord)) -> Result<(), PlotError> {
    for path in files(&folder.join(FOLDERS[0].0)) {
        let (probe, table) = (name(&path), read_table(&path)?);
        for quantity in quantities(&table) {
            if let (Some(times), Some(values)) = (table.column(TIME), table.column(&quantity)) {
                take(ProbeRecord { probe: &probe, quantity: &quantity, unit: table.unit(&quantity), times, values });
            }
        }
    }
    Ok(())
}

/// The tables in `folder`, sorted; none if there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    files.sort();
    files
}

/// Name of the probe whose table is at `path`.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Names of the columns with values, without statistics.
fn quantities(table: &RecordedTable) -> Vec<String> {
    let is_quantity = |name: &&str| *name != TIME && *name != "step" && !STATISTICS.iter().any(|part| name.ends_with(part));
    table.names().filter(is_quantity).map(str::to_owned).collect()
}

fn picture(folder: &str, title: &str, quantities: &[String], tables: &[(String, RecordedTable)]) -> Option<Picture> {
    let panel = |quantity: &String| {
        let line = |(place, (probe, table)): (usize, &(String, RecordedTable))| {
            let values = table.column(quantity)?.iter().copied();
            Some(Series::new(probe.clone(), place % COLORS, table.column(TIME)?, values))
        };
        let series = tables.iter().enumerate().filter_map(line).collect();
        let unit = tables.first().map_or("", |(_, table)| table.unit(quantity));
        Panel::new(capitalized(&quantity.replace('_', " ")), unit, Scale::Linear, series)
    };
    let first = quantities.first()?.split('_').next().unwrap_or_default();
    let panels = quantities.iter().take(MAX_PANELS).map(panel).collect();
    Picture::of(&format!("{folder}_{first}"), &format!("{title}: {first}"), "Time (s)", panels)
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
