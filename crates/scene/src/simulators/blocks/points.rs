//! The sections `[[blocks.fixed_point]]`, `[[blocks.bolt]]`, `[[blocks.load]]`, `[[blocks.measured_point]]` and `[[blocks.removal]]`.

use glam::DVec2;
use plimsoll_blocks::{BoltDefinition, LoadDefinition, MeasuredPoint, Removal};

use crate::read::{Quantity, Range, Table};

const POINT: &str = "a point [x, y] in m";
const STIFFNESS: Quantity = Quantity::new(Range::Positive, "a positive stiffness in N/m");
const TENSION: Quantity = Quantity::new(Range::NotNegative, "a tension in N, 0 or more");
const TIME: Quantity = Quantity::new(Range::NotNegative, "a time in seconds, 0 or more");

pub fn read_fixed(table: &Table) -> Vec<DVec2> {
    let read = |entry: Table| {
        let point = entry.point("at", POINT);
        entry.finish();
        point
    };
    table.tables("fixed_point").into_iter().filter_map(read).collect()
}

pub fn read_bolts(table: &Table) -> Vec<BoltDefinition> {
    let read = |entry: Table| {
        let (from, to) = (entry.point("from", POINT), entry.point("to", POINT));
        let stiffness = entry.number("stiffness", STIFFNESS);
        let pretension = entry.number_or("pretension", TENSION, 0.0);
        if let Some((from, to)) = from.zip(to).filter(|(from, to)| from == to) {
            entry.document.report(
                entry.line_of("to"),
                &entry.key("to"),
                format!("{to}"),
                format!("a point other than {from}, which is `from`"),
            );
        }
        entry.finish();
        Some(BoltDefinition { ends: [from?, to?], stiffness: stiffness?, pretension })
    };
    table.tables("bolt").into_iter().filter_map(read).collect()
}

pub fn read_loads(table: &Table) -> Vec<LoadDefinition> {
    let read = |entry: Table| {
        let point = entry.point("at", POINT);
        let force = entry.point("force", "a force [x, y] in N");
        let from = entry.number_or("from", TIME, 0.0);
        let until = entry.optional_number("until", TIME);
        if let Some(until) = until.filter(|&until| until <= from) {
            entry.document.report(entry.line_of("until"), &entry.key("until"), format!("{until}"), "a time after `from`");
        }
        entry.finish();
        Some(LoadDefinition { point: point?, force: force?, from, until: until.unwrap_or(f64::MAX) })
    };
    table.tables("load").into_iter().filter_map(read).collect()
}

pub fn read_measured(table: &Table) -> Vec<MeasuredPoint> {
    let read = |entry: Table| {
        let name = entry.text("name", "the name of the point");
        let point = entry.point("at", POINT);
        entry.finish();
        Some(MeasuredPoint { name: name?.to_owned(), point: point? })
    };
    table.tables("measured_point").into_iter().filter_map(read).collect()
}

pub fn read_removals(table: &Table) -> Vec<Removal> {
    let read = |entry: Table| {
        let point = entry.point("at", POINT);
        let time = entry.number("time", TIME);
        entry.finish();
        Some(Removal { point: point?, time: time? })
    };
    table.tables("removal").into_iter().filter_map(read).collect()
}
