//! The registry of figures: the only place that lists the simulators with figures.

use plimsoll_aggregates as aggregates;
use plimsoll_blocks as blocks;
use plimsoll_bodies as bodies;
use plimsoll_contract::chart::{FigureSource, Figures, RecordedRun};
use plimsoll_fluid as fluid;
use plimsoll_gas as gas;
use plimsoll_grains as grains;
use serde_json::Value;

/// The figures of each simulator, by its key in the settings of `run.json`.
const SIMULATORS: [(&str, FigureSource); 5] = [
    ("fluid", fluid::FIGURES),
    ("gas", gas::FIGURES),
    ("grains", grains::FIGURES),
    ("aggregates", aggregates::FIGURES),
    ("blocks", blocks::FIGURES),
];

fn sources() -> impl Iterator<Item = FigureSource> {
    SIMULATORS.into_iter().map(|(_, source)| source).chain([bodies::FIGURES])
}

/// All figures of `run`, except those of the columns shared by all simulators.
pub fn figures(run: &RecordedRun) -> Figures {
    let mut all = Figures::default();
    for source in sources() {
        let figures = (source.figures)(run);
        all.pictures.extend(figures.pictures);
        all.columns.extend(figures.columns);
    }
    all
}

/// Names (without extension) of the tables used for figures, other than the diagnostics.
pub fn figure_tables() -> Vec<&'static str> {
    let mut tables: Vec<&str> = sources().flat_map(|source| source.tables).copied().collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

/// The part of `settings` (of `run.json`) that belongs to the simulator, and whether its figures need the last frame.
pub fn simulator_settings(settings: &Value) -> Option<(&Value, bool)> {
    SIMULATORS.into_iter().find_map(|(key, source)| Some((settings.get(key)?, source.last_frame)))
}
