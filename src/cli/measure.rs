//! `plimsoll measure`: instruments applied to the frames of a run.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;

use super::{Failure, folder::create_folder, progress::FrameCount, terminal::print};
use crate::{
    fluid::probes::RecordedProbes,
    frame::Value,
    input,
    output::{Recording, Table},
    scene::{Definition, load_probes},
};

const FOLDER: &str = "measured";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  plimsoll measure out/dam_break probes.toml
  plimsoll measure out/dam_break probes.toml --out gauges --force

FILE has [[probe]] tables as in a scene (docs/scene.md). Each probe gives one CSV file with a row for each frame.
Pressures and forces are means since the previous frame.
Existing files are replaced only with --force.")]
pub struct MeasureArguments {
    /// Folder of a run of a fluid
    #[arg(value_name = "OUT_DIR")]
    folder: PathBuf,
    /// File with [[probe]] tables
    #[arg(value_name = "FILE")]
    probes: PathBuf,
    /// Folder for the tables [default: OUT_DIR/measured]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace existing tables
    #[arg(long)]
    force: bool,
}

pub fn measure(arguments: &MeasureArguments) -> Result<(), Failure> {
    let recording = Recording::open(&arguments.folder).map_err(Failure::bad_input)?;
    let text = input::read_text(&arguments.probes).with_context(|| format!("{}: cannot read the file", arguments.probes.display()));
    let text = text.map_err(Failure::BadInput)?;
    let record = &recording.info().scene;
    let (scene, probes) = load_probes((&record.text, &record.path), (&text, &arguments.probes)).map_err(Failure::bad_input)?;
    let Definition::Fluid { settings, bodies } = scene.definition else {
        return Err(Failure::BadInput(anyhow!("{}: found a run without fluid", arguments.folder.display())));
    };
    let folder = arguments.out.clone().unwrap_or_else(|| arguments.folder.join(FOLDER));
    let paths: Vec<PathBuf> = probes.iter().map(|probe| folder.join(format!("{}.csv", probe.name))).collect();
    if let Some(taken) = paths.iter().find(|path| path.exists() && !arguments.force) {
        return Err(Failure::BadInput(anyhow!("{}: the file exists (replace it with --force)", taken.display())));
    }
    create_folder(&folder)?;
    let mut tables: Vec<Table> = paths.iter().cloned().map(Table::new).collect();
    let mut recorded = RecordedProbes::new(*settings, bodies);
    let mut progress = FrameCount::for_stderr("measured", recording.len() as u64);
    for index in 0..recording.len() {
        let frame = recording.frame(index).map_err(Failure::bad_input)?;
        let rows = recorded.measure(&frame, &probes).with_context(|| format!("frame {index}")).map_err(Failure::BadInput)?;
        for (table, row) in tables.iter_mut().zip(rows) {
            let columns: Vec<&str> = row.iter().map(|(name, _)| name.as_str()).collect();
            let values: Vec<&Value> = row.iter().map(|(_, value)| value).collect();
            table.write_cells(&columns, &values).map_err(|error| Failure::Running(error.into()))?;
        }
        progress.advance();
    }
    progress.finish();
    tables.iter_mut().try_for_each(Table::flush).map_err(|error| Failure::Running(error.into()))?;
    let lines: String = paths.iter().map(|path| format!("wrote {}\n", path.display())).collect();
    print(&lines);
    Ok(())
}
