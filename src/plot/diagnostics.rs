//! Pictures of `diagnostics.csv`: subjects that are known, and everything else under its own name.

use super::{
    picture::{Panel, Picture, Scale, Series},
    simulators::{
        aggregates,
        gas::{self, PRESSURE},
    },
    table::PlotTable,
};

/// Columns that say which row it is.
const KEYS: [&str; 2] = ["step", "time"];
/// A subject of which only some tables tell.
const AGGREGATES: &str = "growth";
/// Panels of a picture of columns that belong to no subject.
const OTHER_PANELS: usize = 6;
/// Wall time since the start, and the end of the names of the stages' columns.
const WALL_SECONDS: &str = "wall_seconds";
const SECONDS: &str = "_seconds";

/// A picture of one subject.
struct Subject {
    name: &'static str,
    title: &'static str,
    panels: &'static [Diagram],
}

/// A panel of a subject.
struct Diagram {
    title: &'static str,
    unit: &'static str,
    scale: Scale,
    quantity: Quantity,
    /// Column, name in the legend, place in the palette.
    columns: &'static [(&'static str, &'static str, usize)],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantity {
    /// As it is in the table.
    Value,
    /// As it is, if it varies.
    VaryingValue,
    /// Less its first value; and the sum of all columns.
    Change,
    /// What a row adds to the one before.
    Increment,
}

use Quantity::{Change, Increment, Value, VaryingValue};
use Scale::{Linear, Logarithmic, Stacked};

const SUBJECTS: [Subject; 7] = [
    Subject {
        name: "gas",
        title: "Gas",
        panels: &[
            Diagram { title: "Temperature", unit: "J", scale: Linear, quantity: Value, columns: &[("temperature", "", 0)] },
            Diagram { title: PRESSURE, unit: "Pa", scale: Linear, quantity: Value, columns: &[("pressure", "", 0)] },
            Diagram {
                title: "Compressibility p V / (N T)",
                unit: "",
                scale: Linear,
                quantity: Value,
                columns: &[("compressibility", "measured", 0), ("compressibility_theory", "theory", 1)],
            },
            Diagram {
                title: "Impacts of a sphere",
                unit: "1/s",
                scale: Linear,
                quantity: Value,
                columns: &[("impact_rate", "measured", 0), ("impact_rate_theory", "theory", 1)],
            },
            Diagram { title: "Work of the walls", unit: "J", scale: Linear, quantity: Value, columns: &[("wall_work", "", 2)] },
        ],
    },
    Subject {
        name: AGGREGATES,
        title: "Aggregation",
        panels: &[
            Diagram {
                title: "Clusters",
                unit: "",
                scale: Logarithmic,
                quantity: Value,
                columns: &[("clusters", "all clusters", 0), ("singles", "single spheres", 1)],
            },
            Diagram {
                title: "Spheres of a cluster",
                unit: "",
                scale: Logarithmic,
                quantity: Value,
                columns: &[("mean_size", "mean size", 2), (aggregates::SIZE, "mean size by mass", 3), ("largest", "largest", 4)],
            },
        ],
    },
    Subject {
        name: "energy",
        title: "Energy",
        panels: &[
            Diagram { title: "Kinetic energy", unit: "J", scale: Linear, quantity: Value, columns: &[("kinetic_energy", "kinetic", 0)] },
            Diagram {
                title: "Change since the first step",
                unit: "J",
                scale: Linear,
                quantity: Change,
                columns: &[("kinetic_energy", "kinetic", 0), ("potential_energy", "potential", 1)],
            },
        ],
    },
    Subject {
        name: "solver",
        title: "Pressure solver",
        panels: &[
            Diagram {
                title: "Iterations per step",
                unit: "",
                scale: Linear,
                quantity: Value,
                columns: &[("pressure_iterations", "constant density", 0), ("divergence_iterations", "divergence", 1)],
            },
            Diagram {
                title: "Mean density error left",
                unit: "%",
                scale: Logarithmic,
                quantity: Value,
                columns: &[("density_error_percent", "constant density", 0), ("divergence_error_percent", "divergence", 1)],
            },
        ],
    },
    Subject {
        name: "time_step",
        title: "Time step",
        panels: &[
            Diagram { title: "Simulated time of a step", unit: "s", scale: Linear, quantity: Value, columns: &[("dt", "", 0)] },
            Diagram { title: "Greatest speed", unit: "m/s", scale: Linear, quantity: Value, columns: &[("greatest_speed", "", 1)] },
            Diagram { title: "Wall time of a step", unit: "s", scale: Linear, quantity: Increment, columns: &[(WALL_SECONDS, "", 2)] },
        ],
    },
    Subject {
        name: "momentum",
        title: "Momentum",
        panels: &[
            Diagram {
                title: "Momentum",
                unit: "kg m/s",
                scale: Linear,
                quantity: Value,
                columns: &[("momentum_x", "x", 0), ("momentum_y", "y", 1), ("momentum_z", "z", 2)],
            },
            Diagram {
                title: "Angular momentum",
                unit: "kg m²/s",
                scale: Linear,
                quantity: Value,
                columns: &[("angular_momentum_x", "x", 0), ("angular_momentum_y", "y", 1), ("angular_momentum_z", "z", 2)],
            },
            Diagram {
                title: "Unexplained part of the impulse exchanged",
                unit: "",
                scale: Logarithmic,
                quantity: Value,
                columns: &[("momentum_error", "unexplained linear", 3), ("angular_momentum_error", "unexplained angular", 4)],
            },
        ],
    },
    Subject {
        name: "search",
        title: "Search at the walls",
        panels: &[
            Diagram {
                title: "Cells and particles per step",
                unit: "",
                scale: Logarithmic,
                quantity: Value,
                columns: &[
                    ("cells_visited", "cells visited", 0),
                    ("cells_kept", "cells kept", 1),
                    ("particles_tested", "particles tested", 2),
                    ("particles_inside", "particles inside", 3),
                    ("triangle_pairs", "triangle pairs", 4),
                ],
            },
            Diagram {
                title: "Contacts of particles with bodies",
                unit: "",
                scale: Linear,
                quantity: Value,
                columns: &[("contacts", "", 5)],
            },
            Diagram { title: "Collisions per step", unit: "", scale: Linear, quantity: Value, columns: &[("collisions", "", 5)] },
            Diagram { title: "Particles leaked", unit: "", scale: Linear, quantity: VaryingValue, columns: &[("leaked", "", 5)] },
            Diagram { title: "Particles", unit: "", scale: Linear, quantity: VaryingValue, columns: &[("particles", "", 5)] },
        ],
    },
];

/// Title of the horizontal axis.
pub fn horizontal(table: &PlotTable) -> &'static str {
    if table.column("time").is_some() { "Time (s)" } else { "Row" }
}

/// What the table may tell of.
fn subjects(table: &PlotTable) -> impl Iterator<Item = &'static Subject> {
    let (gas, aggregates) = (gas::is_gas(table), aggregates::is_aggregates(table));
    SUBJECTS.iter().filter(move |subject| match subject.name {
        "gas" => gas,
        AGGREGATES => aggregates,
        _ => true,
    })
}

/// All pictures of the table.
pub fn pictures(table: &PlotTable) -> Vec<Picture> {
    let times = table.times();
    let of_subject = |subject: &Subject| {
        let panels = subject.panels.iter().map(|diagram| panel(table, &times, diagram)).collect();
        Picture::of(subject.name, subject.title, horizontal(table), panels)
    };
    let mut pictures: Vec<Picture> = subjects(table).filter_map(of_subject).collect();
    pictures.extend(stages(table, &times));
    let known = |name: &str| {
        let mut columns = subjects(table).flat_map(|subject| subject.panels).flat_map(|diagram| diagram.columns);
        KEYS.contains(&name) || name.ends_with(SECONDS) || columns.any(|(column, ..)| *column == name)
    };
    let others: Vec<&str> = table.names().filter(|name| !known(name)).collect();
    let panels: Vec<Panel> = grouped(&others)
        .into_iter()
        .map(|(name, columns)| {
            let lines = columns
                .iter()
                .enumerate()
                .filter_map(|(place, (column, axis))| Some(Series::new(*axis, place, &times, table.column(column)?.iter().copied())));
            Panel::new(name.replace('_', " "), "", Linear, lines.collect())
        })
        .filter(|panel| panel.series.iter().any(Series::is_worth_drawing))
        .collect();
    for (number, panels) in panels.chunks(OTHER_PANELS).enumerate() {
        let name = if number == 0 { "other".to_owned() } else { format!("other_{}", number + 1) };
        pictures.extend(Picture::of(&name, "Other columns", horizontal(table), panels.to_vec()));
    }
    pictures
}

fn panel(table: &PlotTable, times: &[f64], diagram: &Diagram) -> Panel {
    let columns = diagram.columns.iter().filter_map(|&(column, name, color)| Some((table.column(column)?, name, color)));
    let mut series: Vec<Series> = columns
        .map(|(values, name, color)| match diagram.quantity {
            Value | VaryingValue => Series::new(name, color, times, values.iter().copied()),
            Change => Series::new(name, color, times, values.iter().map(|value| value - values[0])),
            Increment => Series::new(name, color, times, increments(values)),
        })
        .collect();
    if diagram.quantity == VaryingValue {
        series.retain(|series| !series.is_constant());
    }
    if diagram.quantity == Change && series.len() > 1 {
        let total = (0..times.len()).map(|row| series.iter().map(|series| series.points[row].1).sum::<f64>());
        series.push(Series::new("total", series.len(), times, total.collect::<Vec<_>>()));
    }
    Panel::new(diagram.title, diagram.unit, diagram.scale, series)
}

/// Wall time of a step, stage upon stage, of tables that have a column of seconds for each stage.
fn stages(table: &PlotTable, times: &[f64]) -> Option<Picture> {
    let columns = table.names().filter(|name| name.ends_with(SECONDS) && *name != WALL_SECONDS);
    let series = columns.enumerate().filter_map(|(place, column)| {
        let name = column.trim_end_matches(SECONDS).replace('_', " ");
        Some(Series::new(name, place, times, table.column(column)?.iter().map(|seconds| seconds.max(0.0))))
    });
    let panels = vec![Panel::new("Wall time of a step", "s", Stacked, series.collect())];
    Picture::of("stages", "Where the time goes", horizontal(table), panels)
}

/// What each value adds to the one before; the first to nothing. A clock set back begins anew.
fn increments(values: &[f64]) -> Vec<f64> {
    let before = std::iter::once(0.0).chain(values.iter().copied());
    values.iter().zip(before).map(|(value, before)| if *value >= before { value - before } else { f64::NAN }).collect()
}

/// Columns that are the axes of one vector come together: name, and of each column its name and that of the axis.
pub fn grouped<'a>(names: &[&'a str]) -> Vec<(&'a str, Vec<(&'a str, &'static str)>)> {
    let mut groups = Vec::new();
    let mut at = 0;
    while at < names.len() {
        let vector = names[at].strip_suffix("_x").filter(|stem| {
            let follows = |place: usize, axis: &str| names.get(at + place).and_then(|name| name.strip_suffix(axis)) == Some(*stem);
            follows(1, "_y") && follows(2, "_z")
        });
        match vector {
            Some(stem) => {
                groups.push((stem, vec![(names[at], "x"), (names[at + 1], "y"), (names[at + 2], "z")]));
                at += 3;
            }
            None => {
                groups.push((names[at], vec![(names[at], "")]));
                at += 1;
            }
        }
    }
    groups
}
