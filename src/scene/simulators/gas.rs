//! The sections `[gas]`, `[[gas.group]]`, `[[gas.sphere]]` and `[[gas.wall]]`.

use std::f64::consts::PI;

use glam::DVec3;

use crate::gas::{Axis, Container, Dimension, GasSettings, Group, Impact, Leg, PlacedSphere, Region, Species, SpeedDistribution, Wall};
use crate::scene::read::{Quantity, Range, Table};

const RADIUS: Quantity = Quantity::new(Range::Positive, "a positive length in metres");
const MASS: Quantity = Quantity::new(Range::Positive, "a positive mass in kg");
const TEMPERATURE: Quantity = Quantity::new(Range::NotNegative, "kT in joules, 0 or more");
const FRACTION: Quantity = Quantity::new(Range::Fraction, "a number from 0 to 1");
const SPEED: Quantity = Quantity::new(Range::NotNegative, "a speed in metres per second, 0 or more");
const VELOCITY: Quantity = Quantity::new(Range::Any, "a velocity in metres per second");
const TIME: Quantity = Quantity::new(Range::NotNegative, "a time in seconds, 0 or more");

const AXES: [&str; 3] = ["x", "y", "z"];
const SIDES: [&str; 6] = ["x_min", "x_max", "y_min", "y_max", "z_min", "z_max"];

/// Most species, as they are numbered with 16 bits.
const MOST_SPECIES: usize = 65_535;
const MOST_SPHERES: usize = 50_000_000;
/// Share of the volume that spheres of one size fill at most: close-packed; discs; spheres.
const CLOSE_PACKED: [f64; 2] = [0.9069, 0.7405];

/// The gas of a scene that lasts `duration` seconds.
pub(in crate::scene) fn read(root: &Table, seed: u64, duration: f64) -> Option<GasSettings> {
    root.misplaced("gravity", "beside simulator = \"gas\"", "it only beside simulator = \"fluid\": these spheres fly straight");
    root.misplaced("body", "beside simulator = \"gas\"", "it only beside simulator = \"fluid\"");
    root.misplaced("fluid", "beside simulator = \"gas\"", "a table [gas]");
    let Some(table) = root.table("gas", "a table [gas]") else {
        if !root.has("gas") {
            root.missing("gas", "a table [gas]");
        }
        return None;
    };
    let dimension = read_dimension(&table);
    let region = read_region(&table, "box", "a box { min = [x, y, z], max = [x, y, z] }");
    if region.is_none() && !table.has("box") {
        table.missing("box", "a box { min = [x, y, z], max = [x, y, z] }");
    }
    let periodic = table.choices("periodic", &AXES).unwrap_or_default();
    let impact =
        Impact { restitution: table.number_or("restitution", FRACTION, 1.0), elastic_below: table.number_or("elastic_below", SPEED, 0.0) };
    let container = dimension.zip(region.as_ref()).map(|(dimension, region)| container(&table, dimension, region, &periodic));
    let groups = table.tables("group").into_iter().filter_map(|group| read_group(group, container.as_ref())).collect();
    let placed = table.tables("sphere").into_iter().filter_map(|sphere| read_sphere(sphere, container.as_ref())).collect();
    let mut container = container;
    for wall in table.tables("wall") {
        read_wall(wall, container.as_mut());
    }
    let settings = container.map(|container| GasSettings { container, impact, groups, placed, seed });
    if let Some(settings) = settings.as_ref().filter(|_| root.document.is_sound()) {
        check_amount(&table, settings);
        check_room(&table, settings, duration);
    }
    table.finish();
    settings
}

fn read_dimension(table: &Table) -> Option<Dimension> {
    match table.integer_or("dimension", 1, 3) {
        2 => Some(Dimension::Two),
        3 => Some(Dimension::Three),
        other => {
            table.document.report(table.line_of("dimension"), &table.key("dimension"), format!("{other}"), "2 or 3");
            None
        }
    }
}

fn read_region(table: &Table, key: &'static str, words: &str) -> Option<Region> {
    let region = table.table(key, words)?;
    let corner = |key| region.vector(key, "a corner [x, y, z] in metres");
    let (low, high) = (corner("min"), corner("max"));
    region.finish();
    Some(Region { low: low?, high: high? })
}

/// The box, with walls at rest.
fn container(table: &Table, dimension: Dimension, region: &Region, periodic: &[&str]) -> Container {
    let Region { low, high } = *region;
    let axes = dimension.count();
    let report = |found: String, expected: &str| table.document.report(table.line_of("box.max"), "gas.box.max", found, expected);
    for axis in 0..axes {
        if low[axis] >= high[axis] {
            let expected = format!("more than the {} of gas.box.min", low[axis]);
            report(format!("{} = {}", AXES[axis], high[axis]), &expected);
        }
    }
    if axes == 2 && (low.z != 0.0 || high.z != 0.0) {
        report(format!("z from {} to {}", low.z, high.z), "z = 0 in min and max, for dimension = 2");
    }
    if axes == 2 && periodic.contains(&"z") {
        table.document.report(table.line_of("periodic"), "gas.periodic", "\"z\"", "\"x\" or \"y\", for dimension = 2");
    }
    let axis = |axis: usize| match periodic.contains(&AXES[axis]) {
        true => Axis::Periodic { low: low[axis], length: high[axis] - low[axis] },
        false => Axis::Walls { low: Wall::at_rest(low[axis]), high: Wall::at_rest(high[axis]) },
    };
    Container { axes: (0..axes).map(axis).collect() }
}

fn read_species(table: &Table) -> Option<Species> {
    let (radius, mass) = (table.number("radius", RADIUS), table.number("mass", MASS));
    Some(Species { radius: radius?, mass: mass? })
}

/// A vector without z in two dimensions.
fn read_flat(table: &Table, key: &'static str, words: &str, container: Option<&Container>) -> DVec3 {
    let vector = table.vector_or(key, words, DVec3::ZERO);
    if vector.z != 0.0 && container.is_some_and(|container| container.dimension() == Dimension::Two) {
        table.document.report(table.line_of(key), &table.key(key), format!("z = {}", vector.z), "z = 0, for dimension = 2");
    }
    vector
}

fn read_group(table: Table, container: Option<&Container>) -> Option<Group> {
    let count = table.integer_or("count", 1, 0);
    if !table.has("count") {
        table.missing("count", "a whole number, 1 or more");
    }
    let species = read_species(&table);
    let temperature = table.number("temperature", TEMPERATURE);
    let velocity = read_flat(&table, "velocity", "a mean velocity [x, y, z] in metres per second", container);
    let speeds = match table.choice_or("speeds", &["maxwell", "equal"], "maxwell") {
        "equal" => SpeedDistribution::Equal,
        _ => SpeedDistribution::Maxwell,
    };
    let region = read_region(&table, "region", "a region { min = [x, y, z], max = [x, y, z] }");
    if let Some((region, container)) = region.zip(container) {
        let (low, size) = container.extent_at(0.0);
        let (from, to) = (region.low.max(low), region.high.min(low + size));
        if (0..container.axes.len()).any(|axis| from[axis] >= to[axis]) {
            let found = format!("from {} to {}", region.low, region.high);
            table.document.report(table.line_of("region"), &table.key("region"), found, "a region that has a part in gas.box");
        }
    }
    table.finish();
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    Some(Group { count, species: species?, temperature: temperature?, velocity, speeds, region })
}

fn read_sphere(table: Table, container: Option<&Container>) -> Option<PlacedSphere> {
    let species = read_species(&table);
    let position = table.vector("position", "a position [x, y, z] in metres");
    let velocity = read_flat(&table, "velocity", "a velocity [x, y, z] in metres per second", container);
    let traced = table.flag_or("trace", false);
    if let (Some(species), Some(position), Some(container)) = (species, position, container) {
        let (low, size) = container.extent_at(0.0);
        let inside = |axis: usize| {
            let margin = if container.axes[axis].period() > 0.0 { 0.0 } else { species.radius };
            position[axis] >= low[axis] + margin && position[axis] <= low[axis] + size[axis] - margin
        };
        let flat = container.dimension() == Dimension::Three || position.z == 0.0;
        if !(flat && (0..container.axes.len()).all(inside)) {
            let found = format!("{position}, with radius {}", species.radius);
            table.document.report(table.line_of("position"), &table.key("position"), found, "a place wholly inside gas.box");
        }
    }
    table.finish();
    Some(PlacedSphere { species: species?, position: position?, velocity, traced })
}

/// Adds a motion to a wall of the container.
fn read_wall(table: Table, container: Option<&mut Container>) {
    let side = table.choice("side", &SIDES);
    let velocity = table.number("velocity", VELOCITY);
    let from = table.number_or("from", TIME, 0.0);
    let until = table.optional_number("until", TIME);
    let report = |key: &str, found: String, expected: &str| table.document.report(table.line_of(key), &table.key(key), found, expected);
    if let Some(until) = until.filter(|&until| until <= from) {
        report("until", format!("{until}"), "a time after `from`");
    }
    if let (Some(side), Some(velocity), Some(container)) = (side, velocity, container) {
        let number = SIDES.iter().position(|&name| name == side).unwrap_or(0);
        match container.axes.get_mut(number / 2) {
            Some(Axis::Walls { low, high }) => {
                let schedule = if number % 2 == 0 { &mut low.schedule } else { &mut high.schedule };
                if schedule.last().is_some_and(|last| last.velocity != 0.0 || last.from > from) {
                    report("from", format!("{from}"), "motions of a side in order of time, each begun after `until` of the one before");
                }
                schedule.push(Leg { from, velocity });
                schedule.extend(until.map(|until| Leg { from: until, velocity: 0.0 }));
            }
            Some(Axis::Periodic { .. }) => report("side", format!("\"{side}\", on a periodic axis"), "a side with a wall"),
            None => report("side", format!("\"{side}\""), "a side along x or y, for dimension = 2"),
        }
    }
    table.finish();
}

fn check_amount(table: &Table, settings: &GasSettings) {
    let count = settings.groups.iter().map(|group| group.count).fold(settings.placed.len(), usize::saturating_add);
    let report = |found: String, expected: String| table.document.report(table.line, "gas", found, expected);
    if count == 0 {
        report("no sphere".to_owned(), "at least one [[gas.group]] or [[gas.sphere]]".to_owned());
    } else if count > MOST_SPHERES {
        report(format!("{count} spheres"), format!("at most {MOST_SPHERES}"));
    }
    if settings.groups.len() + settings.placed.len() > MOST_SPECIES {
        report("too many groups and spheres".to_owned(), format!("at most {MOST_SPECIES} of both"));
    }
}

/// Whether the spheres have room in the box as it is at first and each time a wall changes its motion, and at the end.
fn check_room(table: &Table, settings: &GasSettings, duration: f64) {
    let dimension = settings.container.dimension();
    let own = |radius: f64| if dimension == Dimension::Two { PI * radius.powi(2) } else { 4.0 / 3.0 * PI * radius.powi(3) };
    let groups = settings.groups.iter().map(|group| (group.species.radius, group.count));
    let spheres: Vec<(f64, usize)> = groups.chain(settings.placed.iter().map(|sphere| (sphere.species.radius, 1))).collect();
    let filled: f64 = spheres.iter().map(|&(radius, count)| own(radius) * count as f64).sum();
    let largest = spheres.iter().map(|&(radius, _)| radius).fold(0.0, f64::max);
    let mut times: Vec<f64> = settings.container.walls().flat_map(|wall| wall.schedule.iter().map(|leg| leg.from)).collect();
    times.extend([0.0, duration]);
    times.retain(|&time| time <= duration);
    times.sort_by(f64::total_cmp);
    let mut container = settings.container.clone();
    for time in times {
        container.change_velocities_at(time, time);
        let (_, size) = container.extent_at(time);
        for (axis, name) in AXES.iter().enumerate().take(container.axes.len()) {
            if size[axis] < 2.0 * largest {
                let found = format!("{} m along {name} at {time} s", size[axis]);
                return table.document.report(table.line, "gas", found, format!("room for the largest sphere, {} m", 2.0 * largest));
            }
        }
        let packing = filled / container.volume_at(time);
        let most = CLOSE_PACKED[dimension.count() - 2];
        if packing >= most {
            let found = format!("spheres that fill {packing:.3} of the box at {time} s");
            return table.document.report(table.line, "gas", found, format!("less than {most}, for more cannot be packed"));
        }
    }
}
