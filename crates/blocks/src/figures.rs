//! Figures of blocks: their contacts, the force on the supports, and motion and stress at the measured points.

use plimsoll_contract::chart::{Diagram, FigureSource, Figures, Panel, Picture, RecordedRun, RecordedTable, Scale, Series};

/// A column that only the diagnostics of blocks have.
const STRAIN: &str = "strain_energy";
/// The table of the measured points.
const POINTS: &str = "bodies";

/// The figures of blocks.
pub const FIGURES: FigureSource = FigureSource { tables: &[POINTS], last_frame: false, figures };

fn figures(run: &RecordedRun) -> Figures {
    let mut figures = Figures::default();
    if run.diagnostics.column(STRAIN).is_none() {
        return figures;
    }
    let contacts = Diagram::linear("Contacts between blocks", "").line("contacts", "", 5);
    figures.add_diagrams(&run.diagnostics, "contacts", "Contacts", &[contacts]);
    if let Some(table) = run.tables.get(POINTS) {
        figures.pictures.extend(points(table));
    }
    figures
}

/// Motion of the measured points, and the stresses of their blocks.
fn points(table: &RecordedTable) -> impl Iterator<Item = Picture> + use<> {
    let points = table.by("point");
    let panel = |title: &str, unit: &str, columns: &[&str]| {
        let line = |(color, (name, rows)): (usize, &(String, RecordedTable))| {
            Some(Series::new(name, color, &rows.times(), length(rows, columns)?))
        };
        Panel::new(title, unit, Scale::Linear, points.iter().enumerate().filter_map(line).collect())
    };
    let motion = vec![
        panel("Displacement along x", "m", &["displacement_x"]),
        panel("Displacement along y", "m", &["displacement_y"]),
        panel("Speed", "m/s", &["velocity_x", "velocity_y"]),
        panel("Rotation of the block", "rad", &["rotation"]),
    ];
    let stress = vec![
        panel("Stress σ_x, tension positive", "Pa", &["stress_xx"]),
        panel("Stress σ_y, tension positive", "Pa", &["stress_yy"]),
        panel("Shear stress τ_xy", "Pa", &["stress_xy"]),
    ];
    let pictures = [
        Picture::of("points", "Measured points", table.time_title(), motion),
        Picture::of("stress", "Stress of the blocks at the measured points", table.time_title(), stress),
    ];
    pictures.into_iter().flatten()
}

/// One column, or the length of the vector in several columns.
fn length(table: &RecordedTable, columns: &[&str]) -> Option<Vec<f64>> {
    let mut columns = columns.iter().map(|column| table.column(column));
    let first = columns.next()??.to_vec();
    columns.try_fold(first, |sum, column| Some(sum.iter().zip(column?).map(|(a, b)| a.hypot(*b)).collect()))
}
