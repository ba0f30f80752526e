//! Diagrams: panels with a line for each of some columns of a table.

use super::{Panel, RecordedTable, Scale, Series};

/// A panel over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    title: &'static str,
    unit: &'static str,
    scale: Scale,
    quantity: Quantity,
    lines: Vec<Line>,
}

/// What a line shows of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The values.
    Value,
    /// The values, unless they are all the same.
    VaryingValue,
    /// Difference from the first value; with several columns their sum as well.
    Change,
    /// Difference from the previous value.
    Increment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    column: &'static str,
    /// Entry of the legend.
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

    /// Adds the line of `column`, with its entry of the legend and its index into the palette.
    pub fn line(mut self, column: &'static str, name: &'static str, color: usize) -> Self {
        self.lines.push(Line { column, name, color });
        self
    }

    /// Names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.lines.iter().map(|line| line.column)
    }

    /// The panel of those columns that `table` has.
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

/// Difference of each value from the previous one, of the first from zero. NaN where values fall: the clock was set back.
fn increments(values: &[f64]) -> Vec<f64> {
    let before = std::iter::once(0.0).chain(values.iter().copied());
    values.iter().zip(before).map(|(value, before)| if *value >= before { value - before } else { f64::NAN }).collect()
}
