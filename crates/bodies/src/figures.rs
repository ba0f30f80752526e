//! Figures of bodies: motion and forces, one line per body.

use plimsoll_contract::chart::{ColumnGroup, FigureSource, Figures, Panel, Picture, RecordedRun, RecordedTable, Scale, Series};

/// The table `bodies.csv`.
const BODIES: &str = "bodies";
/// The table `joints.csv`.
const JOINTS: &str = "joints";
/// The table `moorings.csv`.
const MOORINGS: &str = "moorings";
/// Columns and vectors without an automatic panel.
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
/// A body is at rest if no coordinate (m) or quaternion component varies by more than this.
const STILL: f64 = 1e-9;

/// The figures of bodies.
pub const FIGURES: FigureSource = FigureSource { tables: &[BODIES, JOINTS, MOORINGS], last_frame: false, figures };

/// One body and its rows.
struct Subject {
    /// Index into the palette.
    color: usize,
    name: String,
    table: RecordedTable,
    times: Vec<f64>,
}

fn figures(run: &RecordedRun) -> Figures {
    let Some(table) = run.tables.get(BODIES) else { return Figures::default() };
    let subject = |(name, table): (String, RecordedTable)| Subject { color: 0, name, times: table.times(), table };
    let (mut moving, mut fixed): (Vec<Subject>, Vec<Subject>) = table.by("body").into_iter().map(subject).partition(moves);
    // Moving bodies get the first colors, because they are in every picture.
    for (color, subject) in moving.iter_mut().chain(&mut fixed).enumerate() {
        subject.color = color;
    }
    let pictures = [
        ("bodies", "Motion of the bodies", motion(&moving)),
        ("forces", "Forces on the bodies", forces(&moving, &fixed)),
        ("force_parts", "Forces on moving bodies by cause", parts(&moving)),
        ("bodies_other", "Other columns of bodies", others(table, &moving, &fixed)),
    ];
    let pictures = pictures.into_iter().filter_map(|(name, title, panels)| Picture::of(name, title, table.time_title(), panels));
    let of_joints = run.tables.get(JOINTS).and_then(joints);
    let of_moorings = run.tables.get(MOORINGS).and_then(moorings);
    Figures { pictures: pictures.chain(of_joints).chain(of_moorings).collect(), columns: Vec::new() }
}

/// The coordinates of the joints, and how far their points are apart.
fn joints(table: &RecordedTable) -> Option<Picture> {
    let owners: Vec<(String, RecordedTable)> = table.by("joint");
    let panel = |title: &str, unit: &str, column: &str, factor: f64| {
        let line = |(color, (name, table)): (usize, &(String, RecordedTable))| {
            let values: Vec<f64> = table.column(column)?.iter().map(|value| factor * value).collect();
            values.iter().any(|value| value.abs() > STILL).then(|| Series::new(name, color, &table.times(), values))
        };
        Panel::new(title, unit, Scale::Linear, owners.iter().enumerate().filter_map(line).collect())
    };
    let panels = vec![
        panel("Angle", "°", "angle", 1f64.to_degrees()),
        panel("Displacement", "m", "displacement", 1.0),
        panel("Gap between the points of the joint", "m", "gap", 1.0),
    ];
    Picture::of("joints", "Joints", table.time_title(), panels)
}

/// The tension of each mooring.
fn moorings(table: &RecordedTable) -> Option<Picture> {
    let line = |(color, (name, table)): (usize, (String, RecordedTable))| {
        Some(Series::new(&name, color, &table.times(), table.column("tension")?.to_vec()))
    };
    let lines = table.by("mooring").into_iter().enumerate().filter_map(line).collect();
    Picture::of("moorings", "Moorings", table.time_title(), vec![Panel::new("Tension at the body", "N", Scale::Linear, lines)])
}

fn moves(subject: &Subject) -> bool {
    let columns = ["center_x", "center_y", "center_z", "rotation_x", "rotation_y", "rotation_z", "rotation_w"];
    columns.iter().filter_map(|column| subject.table.column(column)).any(|values| {
        let (least, most) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &v| (least.min(v), most.max(v)));
        most - least > STILL
    })
}

/// A panel with one line for each of `subjects` that has `values`.
fn panel(title: &str, unit: &str, subjects: &[Subject], values: impl Fn(&RecordedTable) -> Option<Vec<f64>>) -> Panel {
    let line = |subject: &Subject| Some(Series::new(&subject.name, subject.color, &subject.times, values(&subject.table)?));
    Panel::new(title, unit, Scale::Linear, subjects.iter().filter_map(line).collect())
}

fn motion(moving: &[Subject]) -> Vec<Panel> {
    vec![
        panel("Height of the center", "m", moving, |table| Some(table.column("center_y")?.to_vec())),
        panel("Horizontal distance from the start", "m", moving, |table| {
            let [x, z] = [table.column("center_x")?, table.column("center_z")?];
            Some(x.iter().zip(z).map(|(x_i, z_i)| (x_i - x[0]).hypot(z_i - z[0])).collect())
        }),
        panel("Speed", "m/s", moving, |table| table.length("velocity")),
        panel("Rotation angle since the start", "°", moving, turned),
    ]
}

fn forces(moving: &[Subject], fixed: &[Subject]) -> Vec<Panel> {
    let vertical = |table: &RecordedTable| Some(table.column("force_y")?.to_vec());
    vec![
        panel("Vertical force", "N", moving, vertical),
        panel("Horizontal force", "N", moving, |table| {
            let [x, z] = [table.column("force_x")?, table.column("force_z")?];
            Some(x.iter().zip(z).map(|(x, z)| x.hypot(*z)).collect())
        }),
        panel("Torque about the center", "N m", moving, |table| table.length("torque")),
        panel("Vertical force on fixed bodies", "N", fixed, vertical),
    ]
}

fn parts(moving: &[Subject]) -> Vec<Panel> {
    let parts = [
        ("Pressure", "pressure_force"),
        ("Friction", "friction_force"),
        ("Particle collisions", "collision_force"),
        ("Contacts between bodies", "contact_force"),
    ];
    parts.map(|(title, column)| panel(title, "N", moving, |table| table.length(column))).into()
}

fn others(table: &RecordedTable, moving: &[Subject], fixed: &[Subject]) -> Vec<Panel> {
    let groups = table.groups(|_| true).into_iter().filter(|group| !KNOWN.contains(&group.name));
    let panel = |group: ColumnGroup| {
        let lines = moving.iter().chain(fixed).filter_map(|subject| {
            let table = &subject.table;
            let values = if group.is_vector { table.length(group.name)? } else { table.column(group.name)?.to_vec() };
            Some(Series::new(&subject.name, subject.color, &subject.times, values))
        });
        let unit = group.columns.first().map_or("", |(column, _)| table.unit(column));
        Panel::new(group.name.replace('_', " "), unit, Scale::Linear, lines.collect())
    };
    groups.map(panel).collect()
}

/// Angle (°) between the orientation in each row and the first, `2 acos |q · q₀|`.
fn turned(table: &RecordedTable) -> Option<Vec<f64>> {
    let columns = [table.column("rotation_x")?, table.column("rotation_y")?, table.column("rotation_z")?, table.column("rotation_w")?];
    let angle = |row: usize| {
        let product: f64 = columns.iter().map(|column| column[row] * column[0]).sum();
        // The arc cosine does not resolve small angles, but the sine of half the angle does.
        let sine = columns.iter().map(|column| (column[row] - product.signum() * column[0]).powi(2)).sum::<f64>().sqrt() / 2.0;
        4.0 * sine.min(1.0).asin().to_degrees()
    };
    Some((0..columns[0].len()).map(angle).collect())
}
