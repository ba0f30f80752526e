//! The sections `[[fluid.emitter]]` and `[[fluid.drain]]`.

use plimsoll_base::math::{Aabb, Expression, format::significant};
use plimsoll_bodies::BodyKind;
use plimsoll_fluid::{Emitter, Mouth, SpeedCourse};

use crate::{
    body::PlacedBody,
    fill::{Place, read_box},
    materials::Materials,
    read::{Quantity, Range, Table},
};

const LENGTH: Quantity = Quantity::new(Range::Positive, "a positive length in m");
const SPEED: Quantity = Quantity::new(
    Range::Positive,
    "a positive speed in m/s, an expression of t (s) in quotes, or pairs [time, speed] in ascending order of time, in s and m/s, 0 or more",
);
/// A particle that is faster is lost in any scene.
const MAX_SPEED: f64 = 1e6;
/// Number of times at which an expression is checked.
const CHECKS: u32 = 1000;
const TIME: Quantity = Quantity::new(Range::NotNegative, "a time in seconds, 0 or more");

/// What emitters depend on.
pub(super) struct EmitterContext<'a> {
    /// m
    pub particle_radius: f64,
    pub materials: &'a Materials,
    pub bodies: &'a [PlacedBody],
    /// Begin and end of the scene, s.
    pub times: [f64; 2],
}

/// The valid emitters and their locations in the file.
pub(super) fn read_all(fluid: &Table, context: &EmitterContext) -> (Vec<Emitter>, Vec<Place>) {
    let mut emitters = (Vec::new(), Vec::new());
    for table in fluid.tables("emitter") {
        let place = Place::of(&table);
        if let Some(emitter) = read(&table, context) {
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

fn read(table: &Table, context: &EmitterContext) -> Option<Emitter> {
    let mouth = read_mouth(table, context.particle_radius);
    let position = table.position("position", "a position [x, y, z] in m");
    let direction = table.direction("direction", "a direction [x, y, z]");
    let (start, end) = read_span(table);
    let [from, to] = context.times;
    let speed = read_speed(table, [start.max(from), end.map_or(to, |end| end.min(to))]);
    let material = context.materials.index(table);
    let body = if table.has("body") { Some(read_body(table, context.bodies)?) } else { None };
    let (speed, course) = speed?;
    Some(Emitter { mouth: mouth?, position: position?, direction: direction?, speed, course, body, start, end, material })
}

/// The largest speed between two times (s), and how it changes, if it does.
fn read_speed(table: &Table, [from, to]: [f64; 2]) -> Option<(f64, Option<SpeedCourse>)> {
    let course = if let Some(text) = table.peek_text("speed") {
        table.pass(&["speed"]);
        let parsed = Expression::parse(text);
        if let Err(error) = &parsed {
            table.document.report(table.line_of("speed"), &table.key("speed"), format!("\"{text}\": {error}"), SPEED.words);
        }
        SpeedCourse::Expression(parsed.ok()?)
    } else if table.is_array("speed") {
        let rows = table.optional_pairs("speed", SPEED.words)?;
        if rows.len() < 2 || rows.windows(2).any(|pair| pair[1][0] <= pair[0][0]) {
            table.document.report(table.line_of("speed"), &table.key("speed"), "times that do not ascend, or fewer than two", SPEED.words);
            return None;
        }
        SpeedCourse::Table(rows)
    } else {
        return Some((table.number("speed", SPEED)?, None));
    };
    if let SpeedCourse::Expression(expression) = &course
        && !expression.is_uniform()
    {
        table.document.report(
            table.line_of("speed"),
            &table.key("speed"),
            format!("\"{}\", which depends on the place", expression.text()),
            SPEED.words,
        );
        return None;
    }
    let rows: &[[f64; 2]] = if let SpeedCourse::Table(rows) = &course { rows } else { &[] };
    let samples = (0..=CHECKS).map(|sample| from + f64::from(sample) / f64::from(CHECKS) * (to - from).max(0.0));
    let mut most = 0.0_f64;
    for time in samples.chain(rows.iter().map(|row| row[0])) {
        let speed = course.value(time);
        if !(0.0..=MAX_SPEED).contains(&speed) {
            let found = format!("{} m/s at {} s", significant(speed), significant(time));
            table.document.report(
                table.line_of("speed"),
                &table.key("speed"),
                found,
                format!("0 to {MAX_SPEED:e} m/s; `max(0, …)` stops the flow"),
            );
            return None;
        }
        most = most.max(speed);
    }
    if most == 0.0 {
        table.document.report(table.line_of("speed"), &table.key("speed"), "no speed above 0", SPEED.words);
        return None;
    }
    Some((most, Some(course)))
}

/// The index of the body with which the emitter moves.
fn read_body(table: &Table, bodies: &[PlacedBody]) -> Option<usize> {
    let name = table.text("body", "the name of a body of kind \"moving\"")?;
    let Some(index) = bodies.iter().position(|body| body.definition.name == name) else {
        let names = bodies.iter().map(|body| body.definition.name.as_str());
        table.document.unknown_name(table.line_of("body"), &table.key("body"), name, "body", names);
        return None;
    };
    if !matches!(bodies[index].definition.kind, BodyKind::Moving(_)) {
        let found = format!("body \"{name}\", which does not move as prescribed");
        table.document.report(table.line_of("body"), &table.key("body"), found, "a body of kind \"moving\"");
        return None;
    }
    Some(index)
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
