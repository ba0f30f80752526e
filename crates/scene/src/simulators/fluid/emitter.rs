//! The sections `[[fluid.emitter]]` and `[[fluid.drain]]`.

use plimsoll_base::math::Aabb;
use plimsoll_fluid::{Emitter, Mouth};

use crate::{
    fill::{Place, read_box},
    materials::Materials,
    read::{Quantity, Range, Table},
};

const LENGTH: Quantity = Quantity::new(Range::Positive, "a positive length in m");
const SPEED: Quantity = Quantity::new(Range::Positive, "a positive speed in m/s");
const TIME: Quantity = Quantity::new(Range::NotNegative, "a time in seconds, 0 or more");

/// The valid emitters and their locations in the file.
pub(super) fn read_all(fluid: &Table, particle_radius: f64, materials: &Materials) -> (Vec<Emitter>, Vec<Place>) {
    let mut emitters = (Vec::new(), Vec::new());
    for table in fluid.tables("emitter") {
        let place = Place::of(&table);
        if let Some(emitter) = read(&table, particle_radius, materials) {
            emitters.0.push(emitter);
            emitters.1.push(place);
        }
        table.finish();
    }
    emitters
}

/// The boxes of drains.
pub(super) fn read_drains(fluid: &Table) -> Vec<Aabb> {
    let read = |table: Table| {
        if !table.has("box") {
            table.missing("box", "a box { min = [x, y, z], max = [x, y, z] } in m");
        }
        let drain = read_box(&table);
        table.finish();
        drain
    };
    fluid.tables("drain").into_iter().filter_map(read).collect()
}

fn read(table: &Table, particle_radius: f64, materials: &Materials) -> Option<Emitter> {
    let mouth = read_mouth(table, particle_radius);
    let position = table.position("position", "a position [x, y, z] in m");
    let direction = table.direction("direction", "a direction [x, y, z]");
    let speed = table.number("speed", SPEED);
    let (start, end) = read_span(table);
    let material = materials.index(table);
    Some(Emitter { mouth: mouth?, position: position?, direction: direction?, speed: speed?, start, end, material })
}

/// `start` and, if there is one, `end`, s.
pub(super) fn read_span(table: &Table) -> (f64, Option<f64>) {
    let start = table.number_or("start", TIME, 0.0);
    let end = table.optional_number("end", TIME);
    if let Some(end) = end.filter(|&end| end <= start) {
        table.document.report(table.line_of("end"), &table.key("end"), format!("{end}"), format!("a time after `start`, {start} s"));
    }
    (start, end)
}

/// A disc or a rectangle that is not narrower than a particle.
fn read_mouth(table: &Table, particle_radius: f64) -> Option<Mouth> {
    let round = table.has("radius");
    let given = [table.has("width"), table.has("height")];
    if round == given.contains(&true) {
        let found = if round { "`radius` together with `width` or `height`" } else { "no shape" };
        table.document.report(table.line, &table.name.borrow(), found, "either `radius` or `width` and `height`");
        table.pass(&["radius", "width", "height"]);
        return None;
    }
    let side = |key, least: f64| {
        let length = table.number(key, LENGTH)?;
        if length < least {
            let expected = format!("at least {least} m: a particle does not fit through a smaller mouth");
            table.document.report(table.line_of(key), &table.key(key), format!("{length}"), expected);
        }
        Some(length)
    };
    if round {
        table.pass(&["width", "height"]);
        return side("radius", particle_radius).map(|radius| Mouth::Disc { radius });
    }
    table.pass(&["radius"]);
    let sides = [side("width", 2.0 * particle_radius), side("height", 2.0 * particle_radius)];
    let [Some(width), Some(height)] = sides else { return None };
    Some(Mouth::Rectangle { width, height })
}
