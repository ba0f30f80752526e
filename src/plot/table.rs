//! A table of a run as columns of numbers.

use std::path::Path;

use super::error::PlotError;

/// Names the body of a row.
const BODY: &str = "body";

/// Columns of reals, one value a row, not a number where the file has none; rows may belong to bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotTable {
    /// Name and values.
    columns: Vec<(String, Vec<f64>)>,
    /// Name of each body and its rows, in the order of the file; nothing if there is no column `body`.
    bodies: Vec<(String, Vec<usize>)>,
}

impl PlotTable {
    /// The CSV file at `path`. Rows that are not whole, such as the last one of a run that goes on, are left out.
    pub fn read(path: &Path) -> Result<Self, PlotError> {
        let failed = |source| PlotError::Read { path: path.to_owned(), source };
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(path).map_err(failed)?;
        let header = reader.headers().map_err(failed)?.clone();
        let mut table = Self { columns: header.iter().map(|name| (name.to_owned(), Vec::new())).collect(), bodies: Vec::new() };
        let body_column = header.iter().position(|name| name == BODY);
        let mut record = csv::StringRecord::new();
        let mut rows = 0;
        while reader.read_record(&mut record).map_err(failed)? {
            if record.len() != header.len() {
                continue;
            }
            for ((_, values), text) in table.columns.iter_mut().zip(&record) {
                values.push(text.parse().unwrap_or(f64::NAN));
            }
            if let Some(body) = body_column.and_then(|column| record.get(column)) {
                table.body_rows(body).push(rows);
            }
            rows += 1;
        }
        if rows == 0 {
            let (found, expected) = ("no rows".to_owned(), "a row for each step");
            return Err(PlotError::Content { path: path.to_owned(), found, expected });
        }
        Ok(table)
    }

    /// Names of the columns in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// Values of the column `name`.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find(|(other, _)| other == name).map(|(_, values)| values.as_slice())
    }

    /// Simulated time of each row, seconds; or the number of the row, if the table has no column `time`.
    pub fn times(&self) -> Vec<f64> {
        let rows = self.columns.first().map_or(0, |(_, values)| values.len());
        self.column("time").map_or_else(|| (0..rows).map(|row| row as f64).collect(), <[f64]>::to_vec)
    }

    /// The rows of each body as a table of its own, with the body's name.
    pub fn by_body(&self) -> Vec<(String, Self)> {
        let part = |rows: &[usize]| {
            let columns = self.columns.iter().map(|(name, values)| (name.clone(), rows.iter().map(|&row| values[row]).collect()));
            Self { columns: columns.collect(), bodies: Vec::new() }
        };
        self.bodies.iter().map(|(name, rows)| (name.clone(), part(rows))).collect()
    }

    fn body_rows(&mut self, name: &str) -> &mut Vec<usize> {
        let place = self.bodies.iter().position(|(other, _)| other == name).unwrap_or_else(|| {
            self.bodies.push((name.to_owned(), Vec::new()));
            self.bodies.len() - 1
        });
        &mut self.bodies[place].1
    }
}
