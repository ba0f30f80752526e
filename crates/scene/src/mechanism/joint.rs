//! One section `[[joint]]`.

use glam::DVec3;
use plimsoll_bodies::{JointDefinition, JointKind, MechanismDefinition, Motor, SpringDefinition};

use super::names::Names;
use crate::read::{Quantity, Range, Table};

const POSITION: &str = "a position [x, y, z] in m";
const AXIS: &str = "a nonzero axis [x, y, z]";
const ANGLES: &str = "two angles [low, high] in degrees from -180 to 180, with low <= 0 <= high";
const LENGTHS: &str = "two displacements [low, high] in m, with low <= 0 <= high";
const MOTOR: &str = "a table { speed = …, max_torque = … } or { torque = … }; max_force and force for a slider";
const ANGULAR_SPEED: Quantity = Quantity::new(Range::Any, "an angular speed in degrees per second");
const SPEED: Quantity = Quantity::new(Range::Any, "a speed in m/s");
const TORQUE: Quantity = Quantity::new(Range::Any, "a torque in N m");
const FORCE: Quantity = Quantity::new(Range::Any, "a force in N");
const MAX_TORQUE: Quantity = Quantity::new(Range::Positive, "a positive torque in N m");
const MAX_FORCE: Quantity = Quantity::new(Range::Positive, "a positive force in N");
const STIFFNESS: Quantity = Quantity::new(Range::Positive, "a positive stiffness in N/m");
const DAMPING: Quantity = Quantity::new(Range::NotNegative, "a damping coefficient in N s/m, 0 or more");
const LENGTH: Quantity = Quantity::new(Range::NotNegative, "a length in m, 0 or more");

/// The keys of a joint, and the types to which they apply.
const KEYS: [(&str, &[&str]); 8] = [
    ("axis", &["hinge", "slider"]),
    ("limits", &["hinge", "slider"]),
    ("motor", &["hinge", "slider"]),
    ("contacts", &["hinge", "slider", "ball", "fixed"]),
    ("end", &["spring"]),
    ("stiffness", &["spring"]),
    ("damping", &["spring"]),
    ("length", &["spring"]),
];

/// Adds the joint or spring of `table` to `mechanism`, if it is valid.
pub(super) fn read(table: &Table, names: &Names, mechanism: &mut MechanismDefinition) {
    let joint_type = table.choice("type", &["hinge", "slider", "ball", "fixed", "spring"]);
    match joint_type {
        Some(joint_type) => refuse_others(table, joint_type),
        None => table.pass(&KEYS.map(|(key, _)| key)),
    }
    let bodies = read_bodies(table, names);
    let position = table.position("position", POSITION);
    match joint_type {
        Some("spring") => mechanism.springs.extend(read_spring(table, bodies, position)),
        Some(joint_type) => mechanism.joints.extend(read_joint(table, joint_type, bodies, position)),
        None => {}
    }
}

/// Reports keys that belong to joints of another type.
fn refuse_others(table: &Table, joint: &str) {
    for (key, owners) in KEYS {
        if !owners.contains(&joint) {
            let owners = owners.iter().map(|owner| format!("\"{owner}\"")).collect::<Vec<_>>().join(" or ");
            table.misplaced(key, &format!("in a joint of type \"{joint}\""), &format!("it only with type {owners}"));
        }
    }
}

/// The body, and the other one if there are two.
fn read_bodies(table: &Table, names: &Names) -> Option<(usize, Option<usize>)> {
    let found = table.texts("bodies", 1..=2, "the names of one or two bodies in quotes")?;
    let (line, key) = (table.line_of("bodies"), table.key("bodies"));
    let indices: Vec<Option<usize>> = found.iter().map(|name| names.find(table.document, line, &key, name)).collect();
    let indices = indices.into_iter().collect::<Option<Vec<usize>>>()?;
    let report = |found: String, expected: &str| table.document.report(line, &key, found, expected);
    if indices.len() == 2 && indices[0] == indices[1] {
        report(format!("body \"{}\" twice", found[0]), "two bodies, or one to join it to the world");
        return None;
    }
    if !indices.iter().any(|&body| names.floats(body)) {
        report("no floating body".to_owned(), "at least one body of kind \"floating\"");
        return None;
    }
    // The coordinate and the motor are those of the first body, so its order matters and is kept.
    Some((indices[0], indices.get(1).copied()))
}

fn read_joint(table: &Table, joint: &str, bodies: Option<(usize, Option<usize>)>, position: Option<DVec3>) -> Option<JointDefinition> {
    let slides = joint == "slider";
    let axis = if matches!(joint, "hinge" | "slider") { table.direction("axis", AXIS) } else { Some(DVec3::X) };
    let limits = read_limits(table, slides);
    let motor = read_motor(table, slides);
    let contacts = table.flag_or("contacts", false);
    let (body, other) = bodies?;
    let axis = axis?;
    let kind = match joint {
        "hinge" => JointKind::Hinge(axis),
        "slider" => JointKind::Slider(axis),
        "ball" => JointKind::Ball,
        _ => JointKind::Fixed,
    };
    Some(JointDefinition { kind, body, other, position: position?, limits, motor, contacts })
}

/// Limits in rad or m.
fn read_limits(table: &Table, slides: bool) -> Option<[f64; 2]> {
    let words = if slides { LENGTHS } else { ANGLES };
    let limits = table.optional_pair("limits", words)?;
    let [low, high] = limits;
    let fits = low <= 0.0 && high >= 0.0 && low < high && (slides || low >= -180.0 && high <= 180.0);
    if !fits {
        table.document.report(table.line_of("limits"), &table.key("limits"), format!("[{low}, {high}]"), words);
        return None;
    }
    Some(if slides { limits } else { limits.map(f64::to_radians) })
}

fn read_motor(table: &Table, slides: bool) -> Option<Motor> {
    let motor = table.table("motor", MOTOR)?;
    let kind = if slides { "slider" } else { "hinge" };
    let [others, owner] = if slides { [["torque", "max_torque"], ["hinge"; 2]] } else { [["force", "max_force"], ["slider"; 2]] };
    for key in others {
        motor.misplaced(key, &format!("in a motor of a {kind}"), &format!("it only in a {}", owner[0]));
    }
    let speed = motor.optional_number("speed", if slides { SPEED } else { ANGULAR_SPEED });
    let [effort, limit] = match slides {
        true => [motor.optional_number("force", FORCE), motor.optional_number("max_force", MAX_FORCE)],
        false => [motor.optional_number("torque", TORQUE), motor.optional_number("max_torque", MAX_TORQUE)],
    };
    let key = if slides { "force" } else { "torque" };
    let given = [motor.has("speed"), motor.has(key)];
    if given == [false, false] || given == [true, true] {
        let found = if given[0] { format!("both `speed` and `{key}`") } else { format!("neither `speed` nor `{key}`") };
        motor.document.report(motor.line, &motor.name.borrow(), found, "one of them");
    }
    if !given[0] {
        let most = if slides { "max_force" } else { "max_torque" };
        motor.misplaced(most, "without `speed`", "it only with `speed`");
    }
    motor.finish();
    match (speed, effort) {
        (Some(speed), _) => Some(Motor::Speed { speed: if slides { speed } else { speed.to_radians() }, limit }),
        (None, effort) => effort.map(Motor::Effort),
    }
}

fn read_spring(table: &Table, bodies: Option<(usize, Option<usize>)>, position: Option<DVec3>) -> Option<SpringDefinition> {
    let end = table.position("end", POSITION);
    let stiffness = table.number("stiffness", STIFFNESS);
    let damping = table.number_or("damping", DAMPING, 0.0);
    let length = table.optional_number("length", LENGTH);
    let ends = [position?, end?];
    if ends[0] == ends[1] {
        let expected = "another position than `position`: the spring would have no direction";
        table.document.report(table.line_of("end"), &table.key("end"), "the same position", expected);
    }
    Some(SpringDefinition { bodies: bodies?, ends, stiffness: stiffness?, damping, length })
}
