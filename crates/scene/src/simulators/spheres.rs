//! Common parts of the sections `[gas]` and `[grains]`: a box, and spheres in it.

use glam::DVec3;
use plimsoll_base::math::Aabb;

use crate::read::Table;

pub const AXES: [&str; 3] = ["x", "y", "z"];

/// The box that contains the spheres.
pub struct SphereBox {
    /// Name in messages.
    name: String,
    /// 2 or 3.
    pub dimension: usize,
    /// m
    pub bounds: Aabb,
    /// The axes along which the box is periodic and has no walls.
    pub periodic: [bool; 3],
}

/// The keys `dimension`, `box` and `periodic`.
pub fn read_box(table: &Table) -> Option<SphereBox> {
    let dimension = read_dimension(table);
    let bounds = table.required_table("box", "a box { min = [x, y, z], max = [x, y, z] }").and_then(read_corners);
    let periodic = table.choices("periodic", &AXES).unwrap_or_default();
    let (dimension, bounds) = dimension.zip(bounds)?;
    let Aabb { min: low, max: high } = bounds;
    let report = |found: String, expected: &str| table.document.report(table.line_of("box.max"), &table.key("box.max"), found, expected);
    for axis in 0..dimension {
        if low[axis] >= high[axis] {
            report(format!("{} = {}", AXES[axis], high[axis]), &format!("more than the {} of {}", low[axis], table.key("box.min")));
        }
    }
    if dimension == 2 && (low.z != 0.0 || high.z != 0.0) {
        report(format!("z from {} to {}", low.z, high.z), "z = 0 in min and max: dimension = 2");
    }
    if dimension == 2 && periodic.contains(&"z") {
        table.document.report(table.line_of("periodic"), &table.key("periodic"), "\"z\"", "\"x\" or \"y\": dimension = 2");
    }
    Some(SphereBox { name: table.key("box"), dimension, bounds, periodic: AXES.map(|axis| periodic.contains(&axis)) })
}

fn read_dimension(table: &Table) -> Option<usize> {
    match table.integer_or("dimension", 1, 3) {
        2 => Some(2),
        3 => Some(3),
        other => {
            table.document.report(table.line_of("dimension"), &table.key("dimension"), format!("{other}"), "2 or 3");
            None
        }
    }
}

fn read_corners(table: Table) -> Option<Aabb> {
    let corner = |key| table.vector(key, "a corner [x, y, z] in m");
    let (min, max) = (corner("min"), corner("max"));
    table.finish();
    Some(Aabb { min: min?, max: max? })
}

/// The initial region of a group in the box, m.
pub fn read_region(table: &Table) -> Option<Aabb> {
    table.table("region", "a region { min = [x, y, z], max = [x, y, z] }").and_then(read_corners)
}

/// A vector, whose z must be zero in two dimensions.
pub fn read_flat(table: &Table, key: &'static str, words: &str, space: Option<&SphereBox>) -> DVec3 {
    let vector = table.vector_or(key, words, DVec3::ZERO);
    if vector.z != 0.0 && space.is_some_and(|space| space.dimension == 2) {
        table.document.report(table.line_of(key), &table.key(key), format!("z = {}", vector.z), "z = 0: dimension = 2");
    }
    vector
}

/// The position of a sphere inside the box, with a tolerance of `slack` radii.
pub fn read_position(table: &Table, radius: Option<f64>, space: Option<&SphereBox>, slack: f64) -> Option<DVec3> {
    let position = table.vector("position", "a position [x, y, z] in m")?;
    if let (Some(radius), Some(space)) = (radius, space) {
        let inside = |axis: usize| {
            let margin = if space.periodic[axis] { 0.0 } else { radius * (1.0 - slack) };
            position[axis] >= space.bounds.min[axis] + margin && position[axis] <= space.bounds.max[axis] - margin
        };
        if !((0..space.dimension).all(inside) && (space.dimension == 3 || position.z == 0.0)) {
            let found = format!("{position}, with radius {radius}");
            table.document.report(
                table.line_of("position"),
                &table.key("position"),
                found,
                format!("a position completely inside {}", space.name),
            );
        }
    }
    Some(position)
}

/// Checks that there are spheres, and not too many. `kind` is the name of their tables.
pub fn check_amount(table: &Table, kind: &str, groups: impl Iterator<Item = usize>, placed: usize, most: usize) {
    let section = table.name.borrow();
    let report = |found: String, expected: String| table.document.report(table.line, &section, found, expected);
    let count = groups.fold(placed, usize::saturating_add);
    if count == 0 {
        report(format!("no {kind}"), format!("at least one [[{section}.group]] or [[{section}.{kind}]]"));
    } else if count > most {
        report(format!("{count} {kind}s"), format!("at most {most}"));
    }
}
