//! Runs of a minute: energy, counts and memory must not drift.
//!
//! `cargo run --release --example long_runs` prints a table for each and ends with an error if a quantity leaves its limits;
//! with names of scenes in this folder as arguments, only these are run.

use std::{
    path::Path,
    process::{self, ExitCode},
    time::Instant,
};

use plimsoll::{
    frame::{Value, value_of},
    run::Simulation,
    scene::Scene,
    simulator::Unwatched,
};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, RefreshKind, System};

/// Times of the rows, s. The state at the second one is what later ones are compared with: by then, the start is forgotten.
const TIMES: [f64; 6] = [1.0, 10.0, 20.0, 30.0, 45.0, 60.0];
const START: usize = 1;
/// Growth of memory from then on.
const MEMORY_GROWTH: f64 = 0.05;

struct Case {
    name: &'static str,
    /// Columns of the diagnostics and how they may change after the start.
    columns: &'static [(&'static str, Limit)],
}

#[derive(Clone, Copy)]
enum Limit {
    /// Never changes.
    Constant,
    /// Is never larger, in the unit of the column.
    AtMost(f64),
    /// Deviates from its value at the start by at most this share.
    Within(f64),
    /// Never grows.
    Falls,
    /// Shown only.
    Free,
}

const CASES: [Case; 4] = [
    Case {
        name: "floating",
        columns: &[
            ("particles", Limit::Constant),
            ("leaked", Limit::AtMost(0.0)),
            ("kinetic_energy", Limit::AtMost(0.5)),
            ("potential_energy", Limit::Within(0.002)),
            ("momentum_error", Limit::AtMost(1e-6)),
            ("compression_percent", Limit::AtMost(0.2)),
        ],
    },
    Case {
        name: "drum",
        columns: &[
            ("particles", Limit::Constant),
            ("kinetic_energy", Limit::Within(0.5)),
            ("potential_energy", Limit::Within(0.5)),
            ("max_overlap", Limit::AtMost(0.1)),
            ("contacts", Limit::Within(0.3)),
        ],
    },
    Case {
        name: "gas",
        columns: &[
            ("particles", Limit::Constant),
            ("impacts", Limit::Free),
            ("energy_error", Limit::AtMost(1e-10)),
            ("temperature", Limit::Within(1e-10)),
            ("speed_moment_ratio", Limit::Within(0.1)),
        ],
    },
    Case { name: "aggregates", columns: &[("particles", Limit::Constant), ("clusters", Limit::Falls), ("mean_size", Limit::Free)] },
];

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let chosen = CASES.iter().filter(|case| names.is_empty() || names.iter().any(|name| name == case.name));
    let broken: Vec<String> = chosen.flat_map(run).collect();
    for line in &broken {
        eprintln!("error: {line}");
    }
    if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a case and prints its table; returns what left its limits.
fn run(case: &Case) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/long_runs").join(case.name).with_extension("toml");
    let scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::prepare(scene.definition, None, &Unwatched).expect("a scene that can begin").simulation;
    let names: Vec<String> = case.columns.iter().map(|(name, _)| format!("`{name}`")).collect();
    let began = Instant::now();
    println!("\n| {} | memory | {} |", case.name, names.join(" | "));
    println!("|---:|---:|{}", "---:|".repeat(case.columns.len()));
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for time in TIMES {
        while simulation.time() < time {
            simulation.advance(time).unwrap_or_else(|error| panic!("{}: {error}", case.name));
            // As a run does for each step.
            simulation.tables();
        }
        let row = simulation.diagnostics();
        let value = |column: &str| value_of(&row, column).map(number).expect("a column");
        let mut values = vec![memory()];
        values.extend(case.columns.iter().map(|(column, _)| value(column)));
        let shown: Vec<String> = values[1..].iter().map(|value| shown(*value)).collect();
        println!("| {time} s | {:.1} MB | {} |", values[0] / 1e6, shown.join(" | "));
        rows.push(values);
    }
    println!("\n{} steps in {:.0} s", simulation.steps(), began.elapsed().as_secs_f64());
    broken(case, &rows)
}

fn broken(case: &Case, rows: &[Vec<f64>]) -> Vec<String> {
    let later = &rows[START..];
    let column = |index: usize| later.iter().map(move |row| row[index]);
    let mut broken = Vec::new();
    let mut require = |holds: bool, what: &str, index: usize| {
        if !holds {
            broken.push(format!("{}: {what} is {:?}", case.name, column(index).collect::<Vec<_>>()));
        }
    };
    require(column(0).all(|memory| memory <= (1.0 + MEMORY_GROWTH) * later[0][0]), "memory", 0);
    for (index, (name, limit)) in case.columns.iter().enumerate().map(|(index, column)| (index + 1, column)) {
        let first = later[0][index];
        let holds = match *limit {
            Limit::Constant => column(index).all(|value| value == first),
            Limit::AtMost(most) => column(index).all(|value| value.abs() <= most),
            Limit::Within(share) => column(index).all(|value| (value - first).abs() <= share * first.abs()),
            Limit::Falls => column(index).is_sorted_by(|earlier, later| earlier >= later),
            Limit::Free => true,
        };
        require(holds, name, index);
    }
    broken
}

fn number(value: &Value) -> f64 {
    match *value {
        Value::Real(number) => number,
        Value::Integer(count) => count as f64,
        _ => panic!("a number"),
    }
}

fn shown(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value}")
    } else if value.abs() < 1e-3 {
        format!("{value:.1e}")
    } else {
        format!("{value:.4}")
    }
}

/// Resident memory of this process, bytes.
fn memory() -> f64 {
    let id = Pid::from_u32(process::id());
    let mut system = System::new_with_specifics(RefreshKind::nothing()).expect("a system that can be asked");
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), false, ProcessRefreshKind::nothing().with_memory());
    system.process(id).map_or(f64::NAN, |process| process.memory() as f64)
}
