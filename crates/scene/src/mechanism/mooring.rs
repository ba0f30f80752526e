//! One section `[[mooring]]`.

use glam::DVec3;
use plimsoll_bodies::{LineDefinition, LineLaw, MooringDefinition};

use super::names::Names;
use crate::read::{Quantity, Range, Table};

const POSITION: &str = "a position [x, y, z] in m";
const LENGTH: Quantity = Quantity::new(Range::Positive, "a positive length in m");
const STIFFNESS: Quantity = Quantity::new(Range::Positive, "a positive stiffness of the cross section (E A) in N");
const DAMPING: Quantity = Quantity::new(Range::NotNegative, "a damping coefficient in N s/m, 0 or more");
const WEIGHT: Quantity = Quantity::new(Range::Positive, "a positive weight in the fluid per length, in N/m");

/// The mooring of `table`, if it is valid; `earlier` are the names and lines of those before it.
pub(super) fn read<'a>(table: &Table<'a>, names: &Names, gravity: DVec3, earlier: &mut Vec<(&'a str, usize)>) -> Option<MooringDefinition> {
    let name = table.text("name", "a name in quotes");
    if let Some(name) = name {
        table.call("mooring", name, earlier);
    }
    let body = table.text("body", "the name of a body in quotes");
    let body = body.and_then(|body| names.find(table.document, table.line_of("body"), &table.key("body"), body));
    if let Some(body) = body.filter(|&body| !names.floats(body)) {
        let found = format!("body \"{}\", which does not float", names.names[body]);
        table.document.report(table.line_of("body"), &table.key("body"), found, "a body of kind \"floating\"");
    }
    let attachment = table.position("attachment", POSITION);
    let anchor = table.position("anchor", POSITION);
    let length = table.number("length", LENGTH);
    let axial_stiffness = table.number("axial_stiffness", STIFFNESS);
    let damping = table.number_or("damping", DAMPING, 0.0);
    let weight = table.optional_number("weight", WEIGHT);
    if gravity == DVec3::ZERO {
        table.misplaced("weight", "without gravity", "it only with gravity");
    }
    let law = weight.map_or(LineLaw::Straight, |weight| LineLaw::Catenary { weight, up: -gravity.normalize_or_zero() });
    let line = LineDefinition { length: length?, axial_stiffness: axial_stiffness?, damping, law };
    Some(MooringDefinition { name: name?.to_owned(), body: body?, attachment: attachment?, anchor: anchor?, line })
}
