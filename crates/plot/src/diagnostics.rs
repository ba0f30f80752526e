//! Figures of `diagnostics.csv` that do not depend on the simulator: columns that several simulators have, times of stages, and all other
//! columns under their own names.

use plimsoll_contract::chart::{ColumnGroup, Diagram, Figures, Panel, Picture, Quantity, RecordedTable, Scale, Series};

/// Columns that identify a row.
const KEYS: [&str; 2] = ["step", "time"];
/// Maximum number of panels in a picture of other columns.
const OTHER_PANELS: usize = 6;
/// Wall time since the start, and the suffix of columns with the wall time of a stage.
const WALL_SECONDS: &str = "wall_seconds";
const SECONDS: &str = "_seconds";

/// Energy, time step and momentum.
pub fn common(table: &RecordedTable) -> Figures {
    let mut figures = Figures::default();
    let diagrams = [
        Diagram::linear("Kinetic energy", "J").line("kinetic_energy", "kinetic", 0),
        Diagram::linear("Change since the first step", "J").of(Quantity::Change).line("kinetic_energy", "kinetic", 0).line(
            "potential_energy",
            "potential",
            1,
        ),
    ];
    figures.add_diagrams(table, "energy", "Energy", &diagrams);
    let diagrams = [
        Diagram::linear("Time step", "s").line("dt", "", 0),
        Diagram::linear("Maximum speed", "m/s").line("max_speed", "", 1),
        Diagram::linear("Wall time per step", "s").of(Quantity::Increment).line(WALL_SECONDS, "", 2),
    ];
    figures.add_diagrams(table, "time_step", "Time step", &diagrams);
    let diagrams = [
        Diagram::linear("Momentum", "kg m/s").line("momentum_x", "x", 0).line("momentum_y", "y", 1).line("momentum_z", "z", 2),
        Diagram::linear("Angular momentum", "kg m²/s").line("angular_momentum_x", "x", 0).line("angular_momentum_y", "y", 1).line(
            "angular_momentum_z",
            "z",
            2,
        ),
        Diagram::logarithmic("Momentum error relative to the exchanged impulse", "").line("momentum_error", "linear error", 3).line(
            "angular_momentum_error",
            "angular error",
            4,
        ),
    ];
    figures.add_diagrams(table, "momentum", "Momentum", &diagrams);
    figures
}

/// Wall time of a step as a sum over stages, for tables with columns `…_seconds`.
pub fn stages(table: &RecordedTable) -> Option<Picture> {
    let times = table.times();
    let columns = table.names().filter(|name| name.ends_with(SECONDS) && *name != WALL_SECONDS);
    let series = columns.enumerate().filter_map(|(color, column)| {
        let name = column.trim_end_matches(SECONDS).replace('_', " ");
        Some(Series::new(name, color, &times, table.column(column)?.iter().map(|seconds| seconds.max(0.0))))
    });
    let panels = vec![Panel::new("Wall time per step", "s", Scale::Stacked, series.collect())];
    Picture::of("stages", "Wall time by stage", table.time_title(), panels)
}

/// Pictures of all columns that are not among those `shown`.
pub fn others(table: &RecordedTable, shown: &[&str]) -> Vec<Picture> {
    let times = table.times();
    let groups = table.groups(|name| !(KEYS.contains(&name) || name.ends_with(SECONDS) || shown.contains(&name)));
    let panel = |group: ColumnGroup| {
        let lines = group.columns.iter().enumerate();
        let series =
            lines.filter_map(|(color, (column, axis))| Some(Series::new(*axis, color, &times, table.column(column)?.iter().copied())));
        let unit = group.columns.first().map_or("", |(column, _)| table.unit(column));
        Panel::new(group.name.replace('_', " "), unit, Scale::Linear, series.collect())
    };
    let panels: Vec<Panel> = groups.into_iter().map(panel).filter(Panel::is_worth_drawing).collect();
    let picture = |(number, panels): (usize, &[Panel])| {
        let name = if number == 0 { "other".to_owned() } else { format!("other_{}", number + 1) };
        Picture::of(&name, "Other columns", table.time_title(), panels.to_vec())
    };
    panels.chunks(OTHER_PANELS).enumerate().filter_map(picture).collect()
}
