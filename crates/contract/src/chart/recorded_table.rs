//! A recorded table as columns of numbers.

use crate::frame::name_and_unit;

/// Columns with the name of what a row belongs to.
const OWNERS: [&str; 4] = ["body", "joint", "mooring", "point"];
const TIME: &str = "time";

/// Columns of reals with one value per row, NaN for a cell that is not a number. Columns are found by their names without units, which tables of
/// earlier versions do not have. Rows may belong to bodies, joints, moorings or measured points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedTable {
    columns: Vec<Column>,
    rows: usize,
    /// For each of [`OWNERS`] the rows of each name, in order of appearance; empty without such a column.
    owners: [Vec<NamedRows>; OWNERS.len()],
}

#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: String,
    /// SI unit; empty if there is none.
    unit: String,
    values: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
struct NamedRows {
    name: String,
    rows: Vec<usize>,
}

/// A column, or the three columns of a vector.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnGroup<'t> {
    /// Name of the column, or common name of the columns without the suffixes `_x`, `_y` and `_z`.
    pub name: &'t str,
    /// Whether the columns are the components of a vector.
    pub is_vector: bool,
    /// Name of each column, and of its axis if it is a vector component.
    pub columns: Vec<(&'t str, &'static str)>,
}

impl RecordedTable {
    /// An empty table with these columns, `name [unit]` or only a name.
    pub fn new<'n>(columns: impl IntoIterator<Item = &'n str>) -> Self {
        let column = |column| {
            let (name, unit) = name_and_unit(column);
            Column { name: name.to_owned(), unit: unit.to_owned(), values: Vec::new() }
        };
        Self { columns: columns.into_iter().map(column).collect(), ..Self::default() }
    }

    /// Appends a row with one cell per column.
    pub fn push<'c>(&mut self, cells: impl IntoIterator<Item = &'c str>) {
        let row = self.rows;
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.values.push(cell.parse().unwrap_or(f64::NAN));
            let Some(owner) = OWNERS.iter().position(|owner| *owner == column.name) else { continue };
            let owners = &mut self.owners[owner];
            match owners.iter_mut().find(|known| known.name == cell) {
                Some(known) => known.rows.push(row),
                None => owners.push(NamedRows { name: cell.to_owned(), rows: vec![row] }),
            }
        }
        self.rows += 1;
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Names of the columns without units, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Values of the column `name`.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find(|column| column.name == name).map(|column| column.values.as_slice())
    }

    /// Unit of the column `name`; empty if it has none.
    pub fn unit(&self, name: &str) -> &str {
        self.columns.iter().find(|column| column.name == name).map_or("", |column| column.unit.as_str())
    }

    /// Length of the vector in the columns `name_x`, `name_y` and `name_z`.
    pub fn length(&self, name: &str) -> Option<Vec<f64>> {
        let axis = |axis: &str| self.column(&format!("{name}_{axis}"));
        let [x, y, z] = [axis("x")?, axis("y")?, axis("z")?];
        Some(x.iter().zip(y).zip(z).map(|((x, y), z)| x.hypot(*y).hypot(*z)).collect())
    }

    /// Simulated time of each row, s; the row number if the table has no column `time`.
    pub fn times(&self) -> Vec<f64> {
        self.column(TIME).map_or_else(|| (0..self.rows).map(|row| row as f64).collect(), <[f64]>::to_vec)
    }

    /// Axis title for [`RecordedTable::times`].
    pub fn time_title(&self) -> &'static str {
        if self.column(TIME).is_some() { "Time (s)" } else { "Row" }
    }

    /// The rows of each body, joint, mooring or point as a separate table, with its name; `owner` is the column with the names.
    pub fn by(&self, owner: &str) -> Vec<(String, Self)> {
        let Some(owner) = OWNERS.iter().position(|name| *name == owner) else { return Vec::new() };
        let part = |rows: &[usize]| {
            let select = |column: &Column| Column {
                name: column.name.clone(),
                unit: column.unit.clone(),
                values: rows.iter().map(|&row| column.values[row]).collect(),
            };
            Self { columns: self.columns.iter().map(select).collect(), rows: rows.len(), ..Self::default() }
        };
        self.owners[owner].iter().map(|owner| (owner.name.clone(), part(&owner.rows))).collect()
    }

    /// All columns that satisfy `wanted`. Adjacent columns of a vector form one group.
    pub fn groups(&self, wanted: impl Fn(&str) -> bool) -> Vec<ColumnGroup<'_>> {
        let names: Vec<&str> = self.names().filter(|name| wanted(name)).collect();
        let (mut groups, mut at) = (Vec::new(), 0);
        while at < names.len() {
            let vector = names[at].strip_suffix("_x").filter(|stem| {
                let follows = |place: usize, axis: &str| names.get(at + place).and_then(|name| name.strip_suffix(axis)) == Some(*stem);
                follows(1, "_y") && follows(2, "_z")
            });
            let group = match vector {
                Some(name) => {
                    let columns = vec![(names[at], "x"), (names[at + 1], "y"), (names[at + 2], "z")];
                    ColumnGroup { name, is_vector: true, columns }
                }
                None => ColumnGroup { name: names[at], is_vector: false, columns: vec![(names[at], "")] },
            };
            at += group.columns.len();
            groups.push(group);
        }
        groups
    }
}
