//! The keys of a floating body: mass properties, initial state, and how it is held at first.

use glam::{DMat3, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::{Floating, Held, MassSource, PrescribedMotion};

use crate::{
    motion::{self, to_radians},
    read::{Quantity, Range, Table},
    waves::WaveContext,
};

const DENSITY: Quantity = Quantity::new(Range::Positive, "a positive density in kg/m³");
const RELEASED: Quantity = Quantity::new(Range::Positive, "a positive time in s");
const MASS: Quantity = Quantity::new(Range::Positive, "a positive mass in kg");
const INERTIA: &str = "three rows of three numbers in kg m²";
const AXES: [&str; 3] = ["x", "y", "z"];

/// Asymmetry and imbalance of an inertia tensor that is attributed to rounding, relative to its trace.
const ROUNDING: f64 = 1e-6;

/// Keys specific to floating bodies.
const KEYS: [&str; 10] = [
    "density",
    "mass",
    "center_of_mass",
    "inertia",
    "locked_translation",
    "locked_rotation",
    "velocity",
    "angular_velocity",
    "force",
    "torque",
];

/// Reports keys of floating bodies in a body of another kind.
pub(crate) fn refuse(table: &Table, kind: &str) {
    for key in KEYS {
        table.misplaced(key, &format!("in a body of kind \"{kind}\""), "it only with kind \"floating\"");
    }
}

/// Accepts the keys of floating bodies without reading them.
pub(crate) fn accept(table: &Table) {
    table.pass(&KEYS);
}

pub(crate) fn read(table: &Table, pose: Pose, waves: &WaveContext) -> Option<Floating> {
    let held = read_held(table, pose, waves);
    let mass = read_mass(table);
    let center_of_mass = table.optional_vector("center_of_mass", "a position [x, y, z] in body coordinates, in m");
    let inertia = read_inertia(table);
    let floating = Floating {
        mass: MassSource::Mass(0.0),
        center_of_mass,
        inertia,
        locked_translation: read_axes(table, "locked_translation"),
        locked_rotation: read_axes(table, "locked_rotation"),
        velocity: table.vector_or("velocity", "a velocity [x, y, z] in m/s", DVec3::ZERO),
        angular_velocity: to_radians(table.vector_or(
            "angular_velocity",
            "an angular velocity [x, y, z] in degrees per second",
            DVec3::ZERO,
        )),
        force: table.vector_or("force", "a force [x, y, z] in N", DVec3::ZERO),
        torque: table.vector_or("torque", "a torque [x, y, z] in N m", DVec3::ZERO),
        held: held.map(Box::new),
    };
    Some(Floating { mass: mass?, ..floating })
}

/// The key `released`, and the motion until then: none without [body.motion].
fn read_held(table: &Table, pose: Pose, waves: &WaveContext) -> Option<Held> {
    let until = table.optional_number("released", RELEASED);
    let keeps_velocity = table.has("motion");
    if !table.has("released") {
        table.misplaced(
            "motion",
            "in a body of kind \"floating\"",
            "it only with kind \"moving\", or with the time of its release, `released`",
        );
        return None;
    }
    let motion = match keeps_velocity {
        true => {
            for key in ["velocity", "angular_velocity"] {
                table.misplaced(
                    key,
                    "with `released` and a motion",
                    "it only without a motion: the body keeps the velocity that it has when it is released",
                );
            }
            motion::read(table, pose, waves)?
        }
        false => PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::ZERO, pivot: pose.translation },
    };
    Some(Held { motion, keeps_velocity, until: until? })
}

fn read_mass(table: &Table) -> Option<MassSource> {
    let density = table.optional_number("density", DENSITY);
    let mass = table.optional_number("mass", MASS);
    match (table.has("density"), table.has("mass")) {
        (true, true) => {
            let later = if table.line_of("mass") > table.line_of("density") { "mass" } else { "density" };
            table.document.report(table.line_of(later), &table.key(later), "both `density` and `mass`", "only one of them");
            None
        }
        (false, false) => {
            let name = table.name.borrow();
            table.document.report(table.line, &name, "neither `density` nor `mass`", "one of them: kind \"floating\" requires it");
            None
        }
        _ => density.map(MassSource::Density).or(mass.map(MassSource::Mass)),
    }
}

fn read_axes(table: &Table, key: &'static str) -> [bool; 3] {
    let axes = table.choices(key, &AXES).unwrap_or_default();
    AXES.map(|axis| axes.contains(&axis))
}

/// A physically possible inertia tensor: symmetric, with positive principal moments, none of which exceeds the sum of the other two.
fn read_inertia(table: &Table) -> Option<DMat3> {
    let rows = table.optional_rows("inertia", INERTIA)?;
    let inertia = DMat3::from_cols_array_2d(&rows.map(|row| row.to_array())).transpose();
    let report = |found: &str, expected: &str| {
        table.document.report(table.line_of("inertia"), &table.key("inertia"), found, expected);
    };
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let asymmetry = (inertia - inertia.transpose()).to_cols_array().into_iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    if asymmetry > ROUNDING * trace.abs() {
        report("a matrix that is not symmetric", "a symmetric matrix");
    } else if !is_positive_definite(inertia) {
        report("a matrix that is not positive definite", "an inertia tensor with positive principal moments");
    } else if !is_positive_definite(DMat3::from_diagonal(DVec3::splat((0.5 + ROUNDING) * trace)) - inertia) {
        report(
            "a principal moment greater than the sum of the other two",
            "an inertia tensor in which no principal moment exceeds the sum of the others",
        );
    } else {
        return Some(0.5 * (inertia + inertia.transpose()));
    }
    None
}

/// Sylvester's criterion: all leading minors are positive.
fn is_positive_definite(matrix: DMat3) -> bool {
    let minor = matrix.x_axis.x * matrix.y_axis.y - matrix.x_axis.y * matrix.y_axis.x;
    matrix.x_axis.x > 0.0 && minor > 0.0 && matrix.determinant() > 0.0
}
