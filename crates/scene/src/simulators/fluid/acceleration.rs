//! The sections `[[fluid.acceleration]]`.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Expression, format::significant};
use plimsoll_fluid::{AccelerationField, Fill, MAX_ACCELERATION};

use super::emitter::read_span;
use crate::{
    fill::read_box_under,
    read::{Quantity, Range, Table},
};

const ACCELERATION: Quantity = Quantity::new(
    Range::Between(-MAX_ACCELERATION, MAX_ACCELERATION),
    "an acceleration in m/s², at most 1e10: a number, or an expression of x, y, z (m) and t (s) in quotes",
);
const COMPONENTS: [&str; 3] = ["x", "y", "z"];
/// Number of points per axis of a fill at which values are checked. It is even: expressions are often singular in the middle of a region.
const POINTS: u32 = 4;

/// The valid acceleration fields of a scene that begins at `time` (s) with `fills`.
pub(super) fn read_all(fluid: &Table, fills: &[Fill], time: f64) -> Vec<AccelerationField> {
    let read = |(index, table): (usize, Table)| {
        let field = read(&table);
        if let Some(field) = &field {
            check(&table, field, index + 1, fills, time);
        }
        table.finish();
        field
    };
    fluid.tables("acceleration").into_iter().enumerate().filter_map(read).collect()
}

fn read(table: &Table) -> Option<AccelerationField> {
    let region = read_box_under(table, "region");
    let components = COMPONENTS.map(|key| read_component(table, key));
    if !COMPONENTS.iter().any(|key| table.has(key)) {
        table.document.report(table.line, &table.name.borrow(), "no component", "at least one of `x`, `y`, `z`");
    }
    let (start, end) = read_span(table);
    let bodies = table.flag_or("bodies", true);
    let [Some(x), Some(y), Some(z)] = components else { return None };
    Some(AccelerationField { region, components: [x, y, z], start, end, bodies })
}

/// Reports a component that is not finite where fluid begins, when the field begins.
fn check(table: &Table, field: &AccelerationField, number: usize, fills: &[Fill], time: f64) {
    let time = time.max(field.start);
    let common = |fill: &Fill| {
        let region = field.region.unwrap_or(Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY });
        let fill = fill.shape.aabb();
        Aabb { min: fill.min.max(region.min), max: fill.max.min(region.max) }
    };
    let regions = fills.iter().map(common).filter(|common| !common.is_empty());
    let invalid = |place: DVec3| field.acceleration(number, table.document.origin.get() + place, time).err();
    if let Some(error) = regions.flat_map(points).find_map(invalid) {
        let [x, y, z] = error.place.to_array().map(significant);
        let found = format!("\"{}\", which is {} at [{x}, {y}, {z}] and {} s", error.text, significant(error.value), error.time);
        let expected = format!("a value of at most {MAX_ACCELERATION:e} m/s² where there is fluid");
        table.document.report(table.line_of(error.axis), &table.key(error.axis), found, expected);
    }
}

/// Centers of equal parts of `region`.
fn points(region: Aabb) -> impl Iterator<Item = DVec3> {
    let share = |index: u32| (f64::from(index) + 0.5) / f64::from(POINTS);
    (0..POINTS.pow(3)).map(move |index| {
        let shares = DVec3::new(share(index % POINTS), share(index / POINTS % POINTS), share(index / POINTS / POINTS));
        region.min + shares * region.extent()
    })
}

/// The acceleration under `key`, a number or an expression in quotes; zero if it is absent.
fn read_component(table: &Table, key: &'static str) -> Option<Expression> {
    let Some(text) = table.peek_text(key) else {
        return Some(Expression::constant(table.number_or(key, ACCELERATION, 0.0)));
    };
    table.pass(&[key]);
    let parsed = Expression::parse(text);
    if let Err(error) = &parsed {
        table.document.report(table.line_of(key), &table.key(key), format!("\"{text}\": {error}"), ACCELERATION.words);
    }
    parsed.ok()
}
