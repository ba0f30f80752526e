//! Diagrams: panels with one line for each of some table columns.

use super::{Panel, RecordedTable, Scale, Series};

/// A panel with time as the horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    title: &'static str,
    unit: &'static str,
    scale: Scale,
    quantity: Quantity,
    lines: Vec<Line>,
}

/// The quantity that a line shows for a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The values.
    Value,
    /// The values, unless they are constant.
    VaryingValue,
    /// Difference from the first value. With several columns, also their sum.
    Change,
    /// Difference from the previous value.
    Increment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    column: &'static str,
    /// Legend entry.
    name: &'static str,
    /// Index into the palette.
    color: usize,
}

impl Diagram {
    /// Values on a linear axis with `unit` (SI, empty for pure numbers).
    pub fn linear(title: &'static str, unit: &'static str) -> Self {
        Self { title, unit, scale: Scale::Linear, quantity: Quantity::Value, lines: Vec::new() }
    }

    /// Values on a logarithmic axis.
    pub fn logarithmic(title: &'static str, unit: &'static str) -> Self {
        Self { scale: Scale::Logarithmic, ..Self::linear(title, unit) }
    }

    /// Shows `quantity` instead of the values.
    pub fn of(self, quantity: Quantity) -> Self {
        Self { quantity, ..self }
    }

    /// Adds the line of `column`, with its legend entry and palette index.
    pub fn line(mut self, column: &'static str, name: &'static str, color: usize) -> Self {
        self.lines.push(Line { column, name, color });
        self
    }

    /// Names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.lines.iter().map(|line| line.column)
    }

    /// The panel, with lines for those columns that `table` has.
    pub fn panel(&self, table: &RecordedTable) -> Panel {
        let times = table.times();
        let series = |line: &Line| {
            let values = table.column(line.column)?;
            let values: Vec<f64> = match self.quantity {
                Quantity::Value | Quantity::VaryingValue => values.to_vec(),
                Quantity::Change => values.iter().map(|value| value - values[0]).collect(),
                Quantity::Increment => increments(values),
            };
            Some(Series::new(line.name, line.color, &times, values))
        };
        let mut series: Vec<Series> = self.lines.iter().filter_map(series).collect();
        if self.quantity == Quantity::VaryingValue {
            series.retain(|series| !series.is_constant());
        }
        if self.quantity == Quantity::Change && series.len() > 1 {
            let total = (0..times.len()).map(|row| series.iter().map(|series| series.points[row].1).sum::<f64>());
            series.push(Series::new("total", series.len(), &times, total.collect::<Vec<_>>()));
        }
        Panel::new(self.title, self.unit, self.scale, series)
    }
}

/// Difference of each value from the previous one; the first value counts from zero. NaN where values decrease, because the clock was
/// reset.
fn increments(values: &[f64]) -> Vec<f64> {
    let before = std::iter::once(0.0).chain(values.iter().copied());
    values.iter().zip(before).map(|(value, before)| if *value >= before { value - before } else { f64::NAN }).collect()
}
