//! The sections `[gas]`, `[[gas.group]]`, `[[gas.sphere]]` and `[[gas.wall]]`.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_base::math::format::significant;
use plimsoll_gas::{
    Axis, Container, Dimension, GasSettings, Group, Impact, Leg, PlacedSphere, Species, SpeedDistribution, Wall, jamming_share,
};

use super::spheres::{AXES, SphereBox, check_amount, read_box, read_flat, read_position, read_region};
use crate::read::{Quantity, Range, Table};

const RADIUS: Quantity = Quantity::new(Range::Positive, "a positive length in m");
const MASS: Quantity = Quantity::new(Range::Positive, "a positive mass in kg");
const TEMPERATURE: Quantity = Quantity::new(Range::NotNegative, "kT in J, 0 or more");
const FRACTION: Quantity = Quantity::new(Range::Fraction, "a number from 0 to 1");
const SPEED: Quantity = Quantity::new(Range::NotNegative, "a speed in m/s, 0 or more");
const VELOCITY: Quantity = Quantity::new(Range::Any, "a velocity in m/s");
const TIME: Quantity = Quantity::new(Range::NotNegative, "a time in seconds, 0 or more");

const SIDES: [&str; 6] = ["x_min", "x_max", "y_min", "y_max", "z_min", "z_max"];

/// Maximum number of species, limited by their 16-bit index.
const MAX_SPECIES: usize = 65_535;
const MAX_SPHERES: usize = 50_000_000;
/// Maximum packing fraction of spheres of equal size (close packing): discs; spheres.
const CLOSE_PACKED: [f64; 2] = [0.9069, 0.7405];

/// The gas of a scene that lasts `duration` seconds.
pub(crate) fn read(root: &Table, seed: u64, duration: f64) -> Option<GasSettings> {
    root.misplaced("gravity", "with simulator = \"gas\"", "it only with simulator = \"fluid\": gas spheres move in straight lines");
    root.misplaced("body", "with simulator = \"gas\"", "it only with simulator = \"fluid\"");
    root.misplaced("fluid", "with simulator = \"gas\"", "a table [gas]");
    let table = root.required_table("gas", "a table [gas]")?;
    let space = read_box(&table);
    let impact =
        Impact { restitution: table.number_or("restitution", FRACTION, 1.0), elastic_below: table.number_or("elastic_below", SPEED, 0.0) };
    let groups = table.tables("group").into_iter().filter_map(|group| read_group(group, space.as_ref())).collect();
    let placed = table.tables("sphere").into_iter().filter_map(|sphere| read_sphere(sphere, space.as_ref())).collect();
    let mut container = space.as_ref().map(container);
    for wall in table.tables("wall") {
        read_wall(wall, container.as_mut());
    }
    let settings = container.map(|container| GasSettings { container, impact, groups, placed, seed });
    if let Some(settings) = settings.as_ref().filter(|_| root.document.is_sound()) {
        check_amount(&table, "sphere", settings.groups.iter().map(|group| group.count), settings.placed.len(), MAX_SPHERES);
        if settings.groups.len() + settings.placed.len() > MAX_SPECIES {
            table.document.report(table.line, "gas", "too many groups and spheres", format!("at most {MAX_SPECIES} of both"));
        }
        check_room(&table, settings, duration);
    }
    table.finish();
    settings
}

/// The box, with walls at rest.
fn container(space: &SphereBox) -> Container {
    let axis = |axis: usize| {
        let (low, high) = (space.bounds.min[axis], space.bounds.max[axis]);
        match space.periodic[axis] {
            true => Axis::Periodic { low, length: high - low },
            false => Axis::Walls { low: Wall::at_rest(low), high: Wall::at_rest(high) },
        }
    };
    Container { axes: (0..space.dimension).map(axis).collect() }
}

fn read_species(table: &Table) -> Option<Species> {
    let (radius, mass) = (table.number("radius", RADIUS), table.number("mass", MASS));
    Some(Species { radius: radius?, mass: mass? })
}

fn read_group(table: Table, space: Option<&SphereBox>) -> Option<Group> {
    let count = table.count("count");
    let species = read_species(&table);
    let temperature = table.number("temperature", TEMPERATURE);
    let velocity = read_flat(&table, "velocity", "a mean velocity [x, y, z] in m/s", space);
    let speeds = match table.choice_or("speeds", &["maxwell", "equal"], "maxwell") {
        "equal" => SpeedDistribution::Equal,
        _ => SpeedDistribution::Maxwell,
    };
    let region = read_region(&table);
    if let Some((region, space)) = region.zip(space) {
        let (from, to) = (region.min.max(space.bounds.min), region.max.min(space.bounds.max));
        if (0..space.dimension).any(|axis| from[axis] >= to[axis]) {
            let found = format!("from {} to {}", region.min, region.max);
            table.document.report(table.line_of("region"), &table.key("region"), found, "a region that overlaps gas.box");
        }
    }
    table.finish();
    Some(Group { count: count?, species: species?, temperature: temperature?, velocity, speeds, region })
}

fn read_sphere(table: Table, space: Option<&SphereBox>) -> Option<PlacedSphere> {
    let species = read_species(&table);
    let position = read_position(&table, species.map(|species| species.radius), space, 0.0);
    let velocity = read_flat(&table, "velocity", "a velocity [x, y, z] in m/s", space);
    let traced = table.flag_or("trace", false);
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
                    report(
                        "from",
                        format!("{from}"),
                        "motions of a side in order of time, each starting after `until` of the previous one",
                    );
                }
                schedule.push(Leg { from, velocity });
                schedule.extend(until.map(|until| Leg { from: until, velocity: 0.0 }));
            }
            Some(Axis::Periodic { .. }) => report("side", format!("\"{side}\", on a periodic axis"), "a side with a wall"),
            None => report("side", format!("\"{side}\""), "a side along x or y: dimension = 2"),
        }
    }
    table.finish();
}

/// Checks that the spheres have room in the box at the start, each time a wall changes its motion, and at the end.
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
    let mut has_room = jamming_share(&container, 0.0, &spheres) < 1.0;
    for time in times {
        container.change_velocities_at(time, time);
        let (_, size) = container.extent_at(time);
        for (axis, name) in AXES.iter().enumerate().take(container.axes.len()) {
            if size[axis] < 2.0 * largest {
                let found = format!("{} m along {name} at {time} s", size[axis]);
                return table.document.report(table.line, "gas", found, format!("space for the largest sphere, {} m", 2.0 * largest));
            }
        }
        let packing = filled / container.volume_at(time);
        let most = CLOSE_PACKED[dimension.count() - 2];
        if packing >= most {
            let found = format!("spheres that fill {packing:.3} of the box at {time} s");
            return table.document.report(table.line, "gas", found, format!("less than {most}: denser packings do not exist"));
        }
        let share = jamming_share(&container, time, &spheres);
        // A crystal is placed denser than random packings become.
        if has_room && share >= 1.0 {
            warn_of_jam(table, (size, container.axes.len()), share, time);
            has_room = false;
        }
    }
}

/// Warns of spheres that have no room left in a box of this size, with this number of axes.
fn warn_of_jam(table: &Table, (size, axes): (DVec3, usize), share: f64, time: f64) {
    let edges: Vec<String> = size.to_array()[..axes].iter().map(|&edge| significant(edge)).collect();
    let text = format!(
        "at {time} s the walls leave a box of {} m, with {:.0} % of the spheres that jam in it: the run will end before; fewer or smaller spheres, or an earlier `until`",
        edges.join(" × "),
        100.0 * share
    );
    table.document.warn(table.line, "gas.wall", &text);
}
