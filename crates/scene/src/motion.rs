//! The section `[body.motion]`: prescribed motion.

use glam::{DQuat, DVec3};
use plimsoll_base::math::{Pose, format::list};
use plimsoll_bodies::{Keyframe, PrescribedMotion};

use super::{
    motion_file,
    read::{Quantity, Range, Table},
    waves::{self, WaveContext},
};

const LENGTH: &str = "a displacement [x, y, z] in m";
const VELOCITY: &str = "a velocity [x, y, z] in m/s";
const ANGULAR: &str = "an angular velocity [x, y, z] in degrees per second";
const ANGLES: &str = "a rotation vector [x, y, z] in degrees";
const POSITION: &str = "a position [x, y, z] in m";
const AXIS: &str = "a nonzero axis [x, y, z]";
const ROTATION: &str = "a rotation { axis = [x, y, z], angle = degrees }";
const ANGLE: Quantity = Quantity::new(Range::Any, "an angle in degrees");
const FREQUENCY: Quantity = Quantity::new(Range::Positive, "a positive frequency in Hz");
const TIME: Quantity = Quantity::new(Range::NotNegative, "a time in seconds, 0 or more");

/// The keys of a motion, and the types to which they apply.
const KEYS: [(&str, &[&str]); 21] = [
    ("linear", &["constant"]),
    ("angular", &["constant"]),
    ("pivot", &["constant", "sinusoid", "waves"]),
    ("amplitude", &["sinusoid"]),
    ("rotation", &["sinusoid"]),
    ("frequency", &["sinusoid"]),
    ("phase", &["sinusoid", "waves"]),
    ("keyframe", &["keyframes"]),
    ("file", &["keyframes"]),
    ("paddle", &["waves"]),
    ("direction", &["waves"]),
    ("depth", &["waves"]),
    ("height", &["waves"]),
    ("period", &["waves"]),
    ("ramp", &["waves"]),
    ("hinge", &["waves"]),
    ("second_order", &["waves"]),
    ("spectrum", &["waves"]),
    ("peak_enhancement", &["waves"]),
    ("components", &["waves"]),
    ("seed", &["waves"]),
];

/// The motion of a body with the initial pose `pose`, read from `motion`.
pub(super) fn read(body: &Table, pose: Pose, context: &WaveContext) -> Option<PrescribedMotion> {
    let Some(table) = body.table("motion", "a table [body.motion]") else {
        if !body.has("motion") {
            body.missing("motion", "a table [body.motion]: kind \"moving\" requires it");
        }
        return None;
    };
    let motion_type = table.choice("type", &["constant", "sinusoid", "keyframes", "waves"]);
    match motion_type {
        Some(motion_type) => refuse_others(&table, motion_type),
        // Without a type no key can be reported as misplaced.
        None => table.pass(&KEYS.map(|(key, _)| key)),
    }
    let motion = match motion_type {
        Some("constant") => Some(read_constant(&table, pose)),
        Some("sinusoid") => read_sinusoid(&table, pose),
        Some("waves") => waves::read(&table, pose, context).map(|maker| PrescribedMotion::Waves(Box::new(maker))),
        Some(_) => read_keyframes(&table),
        None => None,
    };
    table.finish();
    motion
}

/// Whether the motion under `motion` consists of keyframes, which also define the initial pose.
pub(super) fn is_keyframes(body: &Table) -> bool {
    body.has_text("motion.type", "keyframes")
}

/// Reports keys that belong to motions of another type.
fn refuse_others(table: &Table, motion: &str) {
    for (key, owners) in KEYS {
        if !owners.contains(&motion) {
            let owners = owners.iter().map(|owner| format!("\"{owner}\"")).collect::<Vec<_>>().join(" or ");
            table.misplaced(key, &format!("in a motion of type \"{motion}\""), &format!("it only with type {owners}"));
        }
    }
}

fn read_constant(table: &Table, pose: Pose) -> PrescribedMotion {
    PrescribedMotion::Constant {
        linear: table.vector_or("linear", VELOCITY, DVec3::ZERO),
        angular: to_radians(table.vector_or("angular", ANGULAR, DVec3::ZERO)),
        pivot: table.optional_position("pivot", POSITION).unwrap_or(pose.translation),
    }
}

fn read_sinusoid(table: &Table, pose: Pose) -> Option<PrescribedMotion> {
    let amplitude = table.vector_or("amplitude", LENGTH, DVec3::ZERO);
    let rotation = to_radians(table.vector_or("rotation", ANGLES, DVec3::ZERO));
    let pivot = table.optional_position("pivot", POSITION).unwrap_or(pose.translation);
    let phase = table.number_or("phase", ANGLE, 0.0).to_radians();
    Some(PrescribedMotion::Sinusoid { amplitude, rotation, pivot, frequency: table.number("frequency", FREQUENCY)?, phase })
}

fn read_keyframes(table: &Table) -> Option<PrescribedMotion> {
    if table.has("file") {
        table.misplaced("keyframe", "with `file`", "keyframes either here or in the file");
        return motion_file::read(table).map(PrescribedMotion::Keyframes);
    }
    let tables = table.tables("keyframe");
    if tables.len() < 2 {
        let found = if tables.is_empty() { "nothing" } else { "one keyframe" };
        table.document.report(table.line_of("keyframe"), &table.key("keyframe"), found, "at least two [[body.motion.keyframe]]");
    }
    let mut keyframes: Vec<Keyframe> = Vec::new();
    let mut complete = !tables.is_empty();
    for entry in tables {
        let keyframe = read_keyframe(&entry);
        if let (Some(keyframe), Some(last)) = (keyframe, keyframes.last())
            && keyframe.time <= last.time
        {
            let expected = format!("a time after the previous keyframe, {} s", last.time);
            entry.document.report(entry.line_of("time"), &entry.key("time"), format!("{}", keyframe.time), expected);
        }
        complete &= keyframe.is_some();
        keyframes.extend(keyframe);
        entry.finish();
    }
    complete.then_some(PrescribedMotion::Keyframes(keyframes))
}

fn read_keyframe(table: &Table) -> Option<Keyframe> {
    let time = table.number("time", TIME);
    let position = table.position("position", POSITION);
    let rotation = read_rotation(table);
    Some(Keyframe { time: time?, position: position?, rotation })
}

/// The rotation under `rotation`; the identity if it is absent or invalid.
pub(super) fn read_rotation(table: &Table) -> DQuat {
    let Some(rotation) = table.table("rotation", ROTATION) else { return DQuat::IDENTITY };
    let axis = rotation.vector("axis", AXIS);
    let angle = rotation.number("angle", ANGLE);
    let axis = axis.map(|axis| (axis, axis.try_normalize()));
    if let Some((axis, None)) = axis {
        rotation.document.report(rotation.line_of("axis"), &rotation.key("axis"), list(axis), AXIS);
    }
    rotation.finish();
    match (axis, angle) {
        (Some((_, Some(axis))), Some(angle)) => DQuat::from_axis_angle(axis, angle.to_radians()),
        _ => DQuat::IDENTITY,
    }
}

pub(super) fn to_radians(degrees: DVec3) -> DVec3 {
    degrees.map(f64::to_radians)
}
