//! Pictures of `bodies.csv`: how bodies move and what acts on them, a line a body.

use super::{
    diagnostics::{grouped, horizontal},
    picture::{Panel, Picture, Scale, Series},
    table::PlotTable,
};

/// What the known pictures show; any other vector or number has a panel of its own.
const KNOWN: [&str; 17] = [
    "step",
    "time",
    "body",
    "position",
    "rotation",
    "rotation_w",
    "center",
    "velocity",
    "angular_velocity",
    "force",
    "torque",
    "pressure_force",
    "friction_force",
    "collision_force",
    "contact_force",
    "wall_seconds",
    "dt",
];
/// Metres and quaternion components below which a body has not moved.
const STILL: f64 = 1e-9;

/// One body: its place in the palette, its name, its rows.
struct Subject {
    color: usize,
    name: String,
    table: PlotTable,
    times: Vec<f64>,
}

/// All pictures of the table.
pub fn pictures(table: &PlotTable) -> Vec<Picture> {
    let mut subjects: Vec<Subject> =
        table.by_body().into_iter().map(|(name, table)| Subject { color: 0, name, times: table.times(), table }).collect();
    let (mut moving, mut fixed): (Vec<Subject>, Vec<Subject>) = subjects.drain(..).partition(moves);
    // Those that move come first in the palette: they are in every picture.
    for (color, subject) in moving.iter_mut().chain(&mut fixed).enumerate() {
        subject.color = color;
    }
    let known = [
        ("bodies", "Motion of the bodies", motion(&moving)),
        ("forces", "Forces of the fluid on the bodies", forces(&moving, &fixed)),
        ("force_parts", "Parts of the forces on moving bodies", parts(&moving)),
        ("bodies_other", "Other columns of the bodies", others(table, &moving, &fixed)),
    ];
    known.into_iter().filter_map(|(name, title, panels)| Picture::of(name, title, horizontal(table), panels)).collect()
}

fn moves(subject: &Subject) -> bool {
    let columns = ["center_x", "center_y", "center_z", "rotation_x", "rotation_y", "rotation_z", "rotation_w"];
    columns.iter().filter_map(|column| subject.table.column(column)).any(|values| {
        let (least, most) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &v| (least.min(v), most.max(v)));
        most - least > STILL
    })
}

/// A panel with a line for each of `subjects` of which `values` can be had.
fn panel(title: &str, unit: &str, subjects: &[Subject], values: impl Fn(&PlotTable) -> Option<Vec<f64>>) -> Panel {
    let line = |subject: &Subject| Some(Series::new(&subject.name, subject.color, &subject.times, values(&subject.table)?));
    Panel::new(title, unit, Scale::Linear, subjects.iter().filter_map(line).collect())
}

fn motion(moving: &[Subject]) -> Vec<Panel> {
    vec![
        panel("Height of the centre", "m", moving, |table| Some(table.column("center_y")?.to_vec())),
        panel("Horizontal distance from the start", "m", moving, |table| {
            let [x, z] = [table.column("center_x")?, table.column("center_z")?];
            Some(x.iter().zip(z).map(|(x_i, z_i)| (x_i - x[0]).hypot(z_i - z[0])).collect())
        }),
        panel("Speed", "m/s", moving, |table| length(table, "velocity")),
        panel("Angle turned since the start", "°", moving, turned),
    ]
}

fn forces(moving: &[Subject], fixed: &[Subject]) -> Vec<Panel> {
    let vertical = |table: &PlotTable| Some(table.column("force_y")?.to_vec());
    vec![
        panel("Vertical force", "N", moving, vertical),
        panel("Horizontal force", "N", moving, |table| {
            let [x, z] = [table.column("force_x")?, table.column("force_z")?];
            Some(x.iter().zip(z).map(|(x, z)| x.hypot(*z)).collect())
        }),
        panel("Torque about the centre", "N m", moving, |table| length(table, "torque")),
        panel("Vertical force on fixed bodies", "N", fixed, vertical),
    ]
}

fn parts(moving: &[Subject]) -> Vec<Panel> {
    let parts = [
        ("Pressure", "pressure_force"),
        ("Friction", "friction_force"),
        ("Collisions of particles", "collision_force"),
        ("Contacts between bodies", "contact_force"),
    ];
    parts.map(|(title, column)| panel(title, "N", moving, |table| length(table, column))).into()
}

fn others(table: &PlotTable, moving: &[Subject], fixed: &[Subject]) -> Vec<Panel> {
    let names: Vec<&str> = table.names().collect();
    let unknown = grouped(&names).into_iter().filter(|(name, _)| !KNOWN.contains(name));
    let both = || moving.iter().chain(fixed);
    let panel = |(name, columns): (&str, Vec<(&str, &str)>)| {
        let lines = both().filter_map(|subject| {
            let values = if columns.len() == 3 { length(&subject.table, name)? } else { subject.table.column(name)?.to_vec() };
            Some(Series::new(&subject.name, subject.color, &subject.times, values))
        });
        Panel::new(name.replace('_', " "), "", Scale::Linear, lines.collect())
    };
    unknown.map(panel).collect()
}

/// Length of the vector whose components are the columns `name_x`, `name_y` and `name_z`.
fn length(table: &PlotTable, name: &str) -> Option<Vec<f64>> {
    let axis = |axis: &str| table.column(&format!("{name}_{axis}"));
    let [x, y, z] = [axis("x")?, axis("y")?, axis("z")?];
    Some(x.iter().zip(y).zip(z).map(|((x, y), z)| x.hypot(*y).hypot(*z)).collect())
}

/// Degrees between the orientation in each row and in the first, `2 acos |q · q₀|`.
fn turned(table: &PlotTable) -> Option<Vec<f64>> {
    let columns = [table.column("rotation_x")?, table.column("rotation_y")?, table.column("rotation_z")?, table.column("rotation_w")?];
    let angle = |row: usize| {
        let product: f64 = columns.iter().map(|column| column[row] * column[0]).sum();
        // The arc cosine is blind to small angles; the sine of half the angle is not.
        let sine = columns.iter().map(|column| (column[row] - product.signum() * column[0]).powi(2)).sum::<f64>().sqrt() / 2.0;
        4.0 * sine.min(1.0).asin().to_degrees()
    };
    Some((0..columns[0].len()).map(angle).collect())
}
