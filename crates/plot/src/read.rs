//! Reads a run for its figures.

use std::{collections::BTreeMap, path::Path};

use plimsoll_contract::{
    chart::{RecordedRun, RecordedTable, Setting},
    frame::Frame,
};
use plimsoll_output::{Recording, RecordingError, RunInfo};
use plimsoll_run as run;
use serde_json::Value;

use super::error::PlotError;

const DIAGNOSTICS: &str = "diagnostics.csv";
const RECORD: &str = "run.json";

/// The run in `folder`. Further tables may be missing or have no rows; `run.json` and the frames may be missing.
pub fn read_run(folder: &Path) -> Result<RecordedRun, PlotError> {
    let path = folder.join(DIAGNOSTICS);
    let diagnostics = read_table(&path)?;
    if diagnostics.is_empty() {
        return Err(PlotError::NoRows { path });
    }
    let mut tables = BTreeMap::new();
    for name in run::figure_tables() {
        let path = folder.join(name).with_extension("csv");
        if path.is_file() {
            tables.insert(name, read_table(&path)?);
        }
    }
    tables.retain(|_, table| !table.is_empty());
    let (settings, last_frame) = read_frame(folder)?;
    Ok(RecordedRun { diagnostics, tables, settings, last_frame })
}

/// The CSV file at `path`. Incomplete rows, such as the last one of a run in progress, are left out.
pub fn read_table(path: &Path) -> Result<RecordedTable, PlotError> {
    let failed = |source| PlotError::Read { path: path.to_owned(), source };
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(path).map_err(failed)?;
    let header = reader.headers().map_err(failed)?.clone();
    let mut table = RecordedTable::new(&header);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(failed)? {
        if record.len() == header.len() {
            table.push(&record);
        }
    }
    Ok(table)
}

/// The simulator's settings, and the last frame if its figures need it.
fn read_frame(folder: &Path) -> Result<(Setting, Option<Frame>), PlotError> {
    let path = folder.join(RECORD);
    if !path.is_file() {
        return Ok((Setting::Missing, None));
    }
    let settings = RunInfo::read(&path)?.settings;
    let Some((settings, needs_frame)) = run::simulator_settings(&settings) else { return Ok((Setting::Missing, None)) };
    let frame = if needs_frame { last_frame(folder)? } else { None };
    Ok((setting(settings), frame))
}

fn last_frame(folder: &Path) -> Result<Option<Frame>, RecordingError> {
    let recording = match Recording::open(folder) {
        Err(RecordingError::NotARun { .. }) => return Ok(None),
        opened => opened?,
    };
    recording.len().checked_sub(1).map(|last| recording.frame(last)).transpose()
}

fn setting(value: &Value) -> Setting {
    match value {
        Value::Null => Setting::Missing,
        Value::Bool(flag) => Setting::Flag(*flag),
        Value::Number(number) => number.as_f64().map_or(Setting::Missing, Setting::Number),
        Value::String(text) => Setting::Text(text.clone()),
        Value::Array(entries) => Setting::List(entries.iter().map(setting).collect()),
        Value::Object(entries) => Setting::Table(entries.iter().map(|(key, value)| (key.clone(), setting(value))).collect()),
    }
}
