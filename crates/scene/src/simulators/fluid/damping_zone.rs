//! The sections `[[fluid.damping_zone]]`.

use glam::DVec3;
use plimsoll_fluid::DampingZone;

use crate::{
    fill::read_box,
    read::{Quantity, Range, Table},
};

const RATE: Quantity = Quantity::new(Range::Positive, "a positive rate in 1/s");

/// The valid damping zones.
pub(super) fn read_all(fluid: &Table, gravity: DVec3) -> Vec<DampingZone> {
    let read = |table: Table| {
        let zone = read(&table, gravity);
        table.finish();
        zone
    };
    fluid.tables("damping_zone").into_iter().filter_map(read).collect()
}

fn read(table: &Table, gravity: DVec3) -> Option<DampingZone> {
    let region = table.required_table("box", "a box { min = [x, y, z], max = [x, y, z] } in m").and_then(|_| read_box(table));
    let direction = table.direction("direction", "a direction [x, y, z]");
    let rate = table.optional_number("rate", RATE);
    if gravity == DVec3::ZERO && !table.has("rate") {
        table.missing("rate", "a positive rate in 1/s: the default follows from gravity, and there is none");
    }
    let zone = DampingZone::new(region?, direction?, gravity);
    Some(DampingZone { rate: rate.unwrap_or(zone.rate), ..zone })
}
