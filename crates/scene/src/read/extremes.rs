//! Numbers with which nothing can be computed.

use std::ops::RangeInclusive;

use toml::de::{DeTable, DeValue};

use super::{document::Document, quantity::to_number};

/// Magnitudes whose cubes are neither infinite nor zero. All quantities of nature are far within.
const MAGNITUDES: RangeInclusive<f64> = 1e-100..=1e100;
pub(crate) const EXPECTED: &str = "0, or a number with a magnitude from 1e-100 to 1e100";

/// Whether a finite number is too large or too small.
pub(crate) fn is_extreme(number: f64) -> bool {
    number.is_finite() && number != 0.0 && !MAGNITUDES.contains(&number.abs())
}

/// Reports all numbers in `table` that are too large or too small. Those that are not finite are reported where they are read.
pub(crate) fn report_extremes(document: &Document, table: &DeTable) {
    report_in_table(document, table, "");
}

fn report_in_table(document: &Document, table: &DeTable, parent: &str) {
    for (name, value) in table {
        let name = name.get_ref();
        let key = if parent.is_empty() { name.to_string() } else { format!("{parent}.{name}") };
        report_in_value(document, (value.get_ref(), value.span().start), &key);
    }
}

fn report_in_value(document: &Document, (value, start): (&DeValue, usize), key: &str) {
    match value {
        DeValue::Table(table) => report_in_table(document, table, key),
        DeValue::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let key = if item.get_ref().is_table() { format!("{key}[{}]", index + 1) } else { key.to_owned() };
                report_in_value(document, (item.get_ref(), item.span().start), &key);
            }
        }
        _ => {
            if let Some(number) = to_number(value).filter(|&number| is_extreme(number)) {
                document.report(document.line(start), key, format!("{number:e}"), EXPECTED);
            }
        }
    }
}
