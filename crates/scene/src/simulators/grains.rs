//! The sections `[grains]`, `[[grains.material]]`, `[[grains.group]]` and `[[grains.grain]]`.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use plimsoll_base::math::{Aabb, Domain};
use plimsoll_bodies::MechanismDefinition;
use plimsoll_grains::{ContactLaw, ExpectedOverlap, GrainsSettings, Group, Material, PlacedGrain, SearchMethod, Sizes};
use plimsoll_search::hierarchical_grid::{LevelChoice, MAX_LEVELS};

use super::spheres::{AXES, SphereBox, check_amount, read_box, read_flat, read_position, read_region};
use crate::{
    materials::{check_names, read_name},
    read::{Quantity, Range, Table},
};

const RADIUS: Quantity = Quantity::new(Range::Positive, "a positive length in m");
const DENSITY: Quantity = Quantity::new(Range::Positive, "a positive density in kg/m³");
const STIFFNESS: Quantity = Quantity::new(Range::Positive, "a positive stiffness in N/m");
const MODULUS: Quantity = Quantity::new(Range::Positive, "a positive modulus in Pa");
const POISSON: Quantity = Quantity::new(Range::PositiveUpTo(0.5), "a number above 0, at most 0.5");
const RESTITUTION: Quantity = Quantity::new(Range::PositiveUpTo(1.0), "a number above 0, at most 1");
const FRICTION: Quantity = Quantity::new(Range::NotNegative, "a friction coefficient, 0 or more");
const SPREAD: Quantity = Quantity::new(Range::Positive, "a positive standard deviation of the logarithm");
const STEP: Quantity = Quantity::new(Range::Positive, "a positive time in seconds");

/// Tolerated overlap of a grain with a wall, as a share of its radius: a grain may touch the wall exactly, up to rounding.
const ROUNDING: f64 = 1e-9;
const MAX_GRAINS: usize = 20_000_000;
const MAX_GROUPS: usize = 1000;
/// Expected overlaps above this are warned of, in radii.
const LARGE_OVERLAP: f64 = 0.5;
/// Maximum number of steps of a scene.
const MAX_STEPS: f64 = 1e9;
/// Maximum packing fraction of random placement in a region: discs; spheres.
const MAX_PACKED: [f64; 2] = [0.52, 0.37];

/// Other scene settings on which the grains depend.
pub(crate) struct GrainsContext {
    /// m/s²
    pub gravity: DVec3,
    pub seed: u64,
    /// Simulated seconds.
    pub duration: f64,
}

/// The grains of a scene.
pub(crate) fn read(root: &Table, context: &GrainsContext) -> Option<GrainsSettings> {
    for other in ["fluid", "gas"] {
        root.misplaced(other, "with simulator = \"grains\"", "a table [grains]");
    }
    let table = root.required_table("grains", "a table [grains]")?;
    let domain = read_box(&table);
    let law = match table.choice_or("law", &["linear", "hertz_mindlin"], "hertz_mindlin") {
        "linear" => ContactLaw::Linear,
        _ => ContactLaw::HertzMindlin,
    };
    let materials: Vec<Option<Material>> = table.tables("material").into_iter().map(|material| read_material(material, law)).collect();
    if materials.is_empty() && !table.has("material") {
        table.missing("material", "at least one [[grains.material]]");
    }
    // An invalid material keeps its index in the list of names.
    let names: Vec<Option<String>> = materials.iter().map(|material| material.as_ref().map(|material| material.name.clone())).collect();
    check_names(&table, "grains", &names);
    let wall_material = read_name(&table, "wall_material", &names);
    let search = read_search(&table);
    let skin = table.optional_number("skin", RADIUS);
    let time_step = table.optional_number("time_step", STEP);
    let contact_lines = table.flag_or("contact_lines", false);
    let groups = table.tables("group").into_iter().filter_map(|group| read_group(group, &names, domain.as_ref())).collect();
    let placed = table.tables("grain").into_iter().filter_map(|grain| read_grain(grain, &names, domain.as_ref())).collect();
    let settings =
        domain.zip(materials.into_iter().collect::<Option<Vec<_>>>()).zip(wall_material).map(|((domain, materials), wall_material)| {
            let GrainsContext { gravity, seed, .. } = *context;
            let SphereBox { bounds, periodic, dimension, .. } = domain;
            let domain = Domain { low: bounds.min, size: bounds.extent(), periodic, dimension };
            let mechanism = MechanismDefinition::default();
            GrainsSettings {
                domain,
                gravity,
                law,
                materials,
                wall_material,
                groups,
                placed,
                search,
                skin,
                time_step,
                seed,
                contact_lines,
                mechanism,
            }
        });
    if let Some(settings) = settings.as_ref().filter(|_| root.document.is_sound()) {
        check_amount(&table, "grain", settings.groups.iter().map(|group| group.count), settings.placed.len(), MAX_GRAINS);
        if settings.groups.len() > MAX_GROUPS {
            table.document.report(table.line, "grains", format!("{} groups", settings.groups.len()), format!("at most {MAX_GROUPS}"));
        }
        check_gravity(root, settings);
        check_steps(&table, settings, context.duration);
        warn_of_overlaps(&table, settings);
    }
    table.finish();
    settings
}

fn read_material(table: Table, law: ContactLaw) -> Option<Material> {
    let name = table.text("name", "a name in quotes").map(str::to_owned);
    let density = table.number("density", DENSITY);
    let default = Material::new("", 1.0, 1.0);
    let (stiffness, young_modulus, poisson_ratio) = match law {
        ContactLaw::Linear => {
            for key in ["young_modulus", "poisson_ratio"] {
                table.misplaced(key, "with law = \"linear\"", "it only with law = \"hertz_mindlin\"");
            }
            (table.number("stiffness", STIFFNESS), Some(default.young_modulus), default.poisson_ratio)
        }
        ContactLaw::HertzMindlin => {
            table.misplaced("stiffness", "with law = \"hertz_mindlin\"", "it only with law = \"linear\"");
            let poisson_ratio = table.number_or("poisson_ratio", POISSON, default.poisson_ratio);
            (Some(default.stiffness), table.number("young_modulus", MODULUS), poisson_ratio)
        }
    };
    let restitution = table.number_or("restitution", RESTITUTION, default.restitution);
    let friction = table.number_or("friction", FRICTION, default.friction);
    let rolling_friction = table.number_or("rolling_friction", FRICTION, default.rolling_friction);
    table.finish();
    let (name, density, stiffness, young_modulus) = (name?, density?, stiffness?, young_modulus?);
    Some(Material { name, density, stiffness, young_modulus, poisson_ratio, restitution, friction, rolling_friction })
}

fn read_search(table: &Table) -> SearchMethod {
    let method = table.choice_or("search", &["multi_level", "single_level", "brute_force"], "multi_level");
    if method != "multi_level" {
        table.misplaced("levels", &format!("with search = \"{method}\""), "it only with search = \"multi_level\"");
    }
    let levels = table.has("levels").then(|| table.integer_or("levels", 1, 1) as usize);
    table.pass(&["levels"]);
    if let Some(levels) = levels.filter(|&levels| levels > MAX_LEVELS) {
        table.document.report(table.line_of("levels"), &table.key("levels"), format!("{levels}"), format!("at most {MAX_LEVELS}"));
    }
    match method {
        "brute_force" => SearchMethod::BruteForce,
        "single_level" => SearchMethod::HierarchicalGrid(LevelChoice::Levels(1)),
        _ => SearchMethod::HierarchicalGrid(levels.map_or(LevelChoice::Automatic, LevelChoice::Levels)),
    }
}

fn read_sizes(table: &Table) -> Option<Sizes> {
    let Some(sizes) = table.table("sizes", "a table { distribution = …, … }") else {
        return table.number("radius", RADIUS).map(Sizes::One);
    };
    table.misplaced("radius", "with `sizes`", "only one of them");
    let distribution = sizes.choice("distribution", &["uniform", "log_normal"]);
    let (smallest, largest) = (sizes.optional_number("smallest", RADIUS), sizes.optional_number("largest", RADIUS));
    if let (Some(smallest), Some(largest)) = (smallest, largest)
        && smallest >= largest
    {
        sizes.document.report(
            sizes.line_of("largest"),
            &sizes.key("largest"),
            format!("{largest}"),
            format!("more than smallest, {smallest}"),
        );
    }
    let found = match distribution {
        Some("uniform") => {
            for (key, value) in [("median", "log_normal"), ("spread", "log_normal")] {
                sizes.misplaced(key, "with distribution = \"uniform\"", &format!("it only with distribution = \"{value}\""));
            }
            let need = |key: &'static str, value: Option<f64>| {
                if value.is_none() && !sizes.has(key) {
                    sizes.missing(key, RADIUS.words);
                }
                value
            };
            let (smallest, largest) = (need("smallest", smallest), need("largest", largest));
            smallest.zip(largest).map(|(smallest, largest)| Sizes::Uniform { smallest, largest })
        }
        Some(_) => {
            let (median, spread) = (sizes.number("median", RADIUS), sizes.number("spread", SPREAD));
            median.zip(spread).map(|(median, spread)| {
                // About one in eighty values is beyond two and a half standard deviations.
                let bound = (2.5 * spread).exp();
                let sizes = (smallest.unwrap_or(median / bound), largest.unwrap_or(median * bound));
                Sizes::LogNormal { median, spread, smallest: sizes.0, largest: sizes.1 }
            })
        }
        None => {
            sizes.pass(&["median", "spread"]);
            None
        }
    };
    if let Some(Sizes::LogNormal { median, smallest, largest, .. }) = found
        && !(smallest..=largest).contains(&median)
    {
        let expected = format!("a radius from {smallest} to {largest}, between smallest and largest");
        sizes.document.report(sizes.line_of("median"), &sizes.key("median"), format!("{median}"), expected);
    }
    sizes.finish();
    found
}

fn read_group(table: Table, names: &[Option<String>], domain: Option<&SphereBox>) -> Option<Group> {
    let count = table.count("count");
    let sizes = read_sizes(&table);
    let material = read_name(&table, "material", names);
    let velocity = read_flat(&table, "velocity", "a velocity [x, y, z] in m/s", domain);
    let region = read_region(&table);
    if let (Some(domain), Some(sizes), Some(count)) = (domain, sizes, count) {
        check_room(&table, domain, region.as_ref(), sizes, count);
    }
    table.finish();
    Some(Group { count: count?, sizes: sizes?, material: material?, velocity, region })
}

/// Checks that the grains of a group have room in their region.
fn check_room(table: &Table, domain: &SphereBox, region: Option<&Aabb>, sizes: Sizes, count: usize) {
    let (smallest, largest) = sizes.range();
    let (mut low, mut high) = (domain.bounds.min, domain.bounds.max);
    if let Some(region) = region {
        (low, high) = (low.max(region.min), high.min(region.max));
    }
    let (line, key) =
        if region.is_some() { (table.line_of("region"), table.key("region")) } else { (table.line, table.name.borrow().clone()) };
    let axes = 0..domain.dimension;
    if axes.clone().any(|axis| low[axis] > high[axis]) {
        // Without a region, the box itself is wrong, which has been reported.
        let found = region.map(|region| format!("from {} to {}", region.min, region.max));
        found.into_iter().for_each(|found| table.document.report(line, &key, found, "a region that overlaps grains.box"));
        return;
    }
    for axis in axes.clone().filter(|&axis| !domain.periodic[axis]) {
        // Centers are in the region; a grain may extend beyond the region, but not beyond the box.
        let (first, last) = (low[axis].max(domain.bounds.min[axis] + largest), high[axis].min(domain.bounds.max[axis] - largest));
        if first > last {
            let found = format!("no space along {} for a grain of radius {largest} m", AXES[axis]);
            return table.document.report(line, &key, found, "space for the largest grain in grains.box");
        }
    }
    let (own, most) =
        if domain.dimension == 2 { (PI * smallest.powi(2), MAX_PACKED[0]) } else { (4.0 / 3.0 * PI * smallest.powi(3), MAX_PACKED[1]) };
    let (low, high) = ((low - smallest).max(domain.bounds.min), (high + smallest).min(domain.bounds.max));
    let volume: f64 = axes.map(|axis| high[axis] - low[axis]).product();
    let packing = own * count as f64 / volume;
    if packing > most {
        let found = format!("{count} grains that fill {packing:.3} of their region or more");
        table.document.report(
            line,
            &key,
            found,
            format!("at most {most}, the limit of random placement: use a larger region and let the grains fall"),
        );
    }
}

fn read_grain(table: Table, names: &[Option<String>], domain: Option<&SphereBox>) -> Option<PlacedGrain> {
    let radius = table.number("radius", RADIUS);
    let material = read_name(&table, "material", names);
    let position = read_position(&table, radius, domain, ROUNDING);
    let velocity = read_flat(&table, "velocity", "a velocity [x, y, z] in m/s", domain);
    let degrees = table.vector_or("angular_velocity", "an angular velocity [x, y, z] in degrees per second", DVec3::ZERO);
    if domain.is_some_and(|domain| domain.dimension == 2) && degrees.truncate() != DVec2::ZERO {
        let (line, key) = (table.line_of("angular_velocity"), table.key("angular_velocity"));
        table.document.report(line, &key, format!("{degrees}"), "x = 0 and y = 0: dimension = 2");
    }
    let angular_velocity = degrees * (PI / 180.0);
    table.finish();
    Some(PlacedGrain { radius: radius?, material: material?, position: position?, velocity, angular_velocity })
}

fn check_gravity(root: &Table, settings: &GrainsSettings) {
    if settings.domain.dimension == 2 && settings.gravity.z != 0.0 {
        let found = format!("z = {}", settings.gravity.z);
        root.document.report(root.line_of("gravity"), "gravity", found, "z = 0: dimension = 2");
    }
}

/// Warns if speeds or weight are expected to cause large overlaps.
fn warn_of_overlaps(table: &Table, settings: &GrainsSettings) {
    let ExpectedOverlap { impact, weight } = settings.expected_overlap();
    let key = if settings.law == ContactLaw::Linear { "stiffness" } else { "young_modulus" };
    let cause = if weight > impact { "the weight of the grains" } else { "impacts after a fall through the box" };
    let most = impact.max(weight);
    if most > LARGE_OVERLAP {
        let text = format!("overlaps of about {most:.2} radii are expected from {cause}: grains need a higher {key}");
        table.document.warn(table.line_of("material"), &format!("grains.material.{key}"), &text);
    }
}

/// Checks that the step is stable, and that the number of steps is not excessive.
fn check_steps(table: &Table, settings: &GrainsSettings, duration: f64) {
    match settings.max_step() {
        Err(error) => {
            let plimsoll_grains::GrainsError::TimeStep { found, most, advised, reason } = error else { return };
            let expected = format!("at most {most:.3e} s: {reason}; about {advised:.3e} s is recommended");
            table.document.report(table.line_of("time_step"), &table.key("time_step"), format!("{found} s"), expected);
        }
        Ok(step) if duration / step > MAX_STEPS => {
            let found = format!("a step of {step:.3e} s, which are {:.1e} steps", duration / step);
            let expected = format!("at most {MAX_STEPS:.0e} steps: softer materials, larger grains or a shorter duration");
            table.document.report(table.line, "grains", found, expected);
        }
        Ok(_) => {}
    }
}
