//! The sections of a scene of blocks.

mod materials;
mod points;
mod shapes;
mod step;

use glam::DVec2;
use plimsoll_blocks::{BlocksSettings, Plane};

use crate::read::Table;
use materials::Names;

/// The blocks of a scene with the duration (s) and frames per second in `times`.
pub(crate) fn read(root: &Table, seed: u64, times: Option<(f64, f64)>) -> Option<BlocksSettings> {
    root.misplaced("body", "with simulator = \"blocks\"", "it only with simulator = \"fluid\"");
    root.misplaced("fluid", "with simulator = \"blocks\"", "a table [blocks]");
    root.misplaced("gas", "with simulator = \"blocks\"", "a table [blocks]");
    let gravity = root.optional_vector("gravity", "an acceleration [x, y, 0] in m/s²");
    if let Some(gravity) = gravity.filter(|gravity| gravity.z != 0.0) {
        root.document.report(root.line_of("gravity"), "gravity", format!("z = {}", gravity.z), "z = 0: blocks move in the plane");
    }
    let gravity = gravity.map_or(DVec2::new(0.0, -9.81), |gravity| gravity.truncate());
    let table = root.required_table("blocks", "a table [blocks]")?;
    let plane = match table.choice_or("plane", &["strain", "stress"], "strain") {
        "stress" => Plane::Stress,
        _ => Plane::Strain,
    };
    let materials = materials::read_materials(&table);
    let names = Names::of(&materials);
    let joints = materials::read_joints(&table, &names);
    let blocks = shapes::read(&table, &names, seed);
    let fixed_points = points::read_fixed(&table);
    let bolts = points::read_bolts(&table);
    let loads = points::read_loads(&table);
    let measured = points::read_measured(&table);
    let removals = points::read_removals(&table);
    let interval = times.map_or(f64::INFINITY, |(_, frames_per_second)| 1.0 / frames_per_second);
    let step = step::read(&table, (&blocks, &materials), gravity, interval);
    let search = step::read_search(&table);
    if blocks.is_empty() && root.document.is_sound() {
        table.document.report(table.line, "blocks", "no block", "at least one [[blocks.block]], [[blocks.region]] or [[blocks.arch]]");
    }
    table.finish();
    Some(BlocksSettings { plane, gravity, materials, joints, blocks, fixed_points, bolts, loads, measured, removals, step: step?, search })
}
