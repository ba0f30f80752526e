//! The sections `[[blocks.block]]`, `[[blocks.region]]` and `[[blocks.arch]]`.

use glam::DVec2;
use plimsoll_blocks::{BlockDefinition, BlockEntry, Cutting, JointSet, Region, arch, generate};

use super::materials::Names;
use crate::read::{Quantity, Range, Table};

const LENGTH: Quantity = Quantity::new(Range::Positive, "a positive length in m");
const ANGLE: Quantity = Quantity::new(Range::Any, "an angle in degrees");
const SCATTER_ANGLE: Quantity = Quantity::new(Range::NotNegative, "an angle in degrees, 0 or more");
const FRACTION: Quantity = Quantity::new(Range::Fraction, "a number from 0 to 1");
const SHARE: Quantity = Quantity::new(Range::PositiveUpTo(1.0), "a fraction above 0, at most 1");
const ANGULAR: Quantity = Quantity::new(Range::Any, "an angular velocity in rad/s");
const POINT: &str = "a point [x, y] in m";

/// Maximum number of blocks.
const MAX_BLOCKS: f64 = 500_000.0;

/// Maximum number of crossings of the lines of joint sets; more take minutes.
const MAX_CROSSINGS: f64 = 5e6;

/// Common settings of the blocks of one entry.
struct Common {
    material: u16,
    fixed: bool,
    velocity: DVec2,
    angular_velocity: f64,
    entry: BlockEntry,
}

impl Common {
    fn read(table: &Table, names: &Names, entry: BlockEntry) -> Self {
        Self {
            entry,
            material: names.read(table, "material"),
            fixed: table.flag_or("fixed", false),
            velocity: table.optional_point("velocity", "a velocity [x, y] in m/s").unwrap_or(DVec2::ZERO),
            angular_velocity: table.number_or("angular_velocity", ANGULAR, 0.0),
        }
    }

    fn block(&self, vertices: Vec<DVec2>) -> BlockDefinition {
        let Self { material, fixed, velocity, angular_velocity, entry } = *self;
        BlockDefinition { vertices, material, fixed, velocity, angular_velocity, entry: Some(entry) }
    }
}

pub fn read(table: &Table, names: &Names, seed: u64) -> Vec<BlockDefinition> {
    let mut blocks = Vec::new();
    for (index, block) in table.tables("block").into_iter().enumerate() {
        let common = Common::read(&block, names, BlockEntry::Block(index));
        read_block(block, &common, &mut blocks);
    }
    for (index, arch) in table.tables("arch").into_iter().enumerate() {
        let common = Common::read(&arch, names, BlockEntry::Arch(index));
        read_arch(arch, &common, &mut blocks);
    }
    for (index, region) in table.tables("region").into_iter().enumerate() {
        let common = Common::read(&region, names, BlockEntry::Region(index));
        read_region(region, &common, seed.wrapping_add(index as u64), &mut blocks);
    }
    blocks
}

fn read_block(table: Table, common: &Common, blocks: &mut Vec<BlockDefinition>) {
    let polygon = table.polygon("vertices");
    let (mut count, mut shift) = (1, DVec2::ZERO);
    if let Some(repeat) = table.table("repeat", "a table { count = …, shift = [x, y] }") {
        count = repeat.integer_or("count", 1, 1);
        shift = repeat.point("shift", "a shift [x, y] in m").unwrap_or(DVec2::ZERO);
        if count as f64 > MAX_BLOCKS {
            repeat.document.report(repeat.line_of("count"), &repeat.key("count"), format!("{count}"), format!("at most {MAX_BLOCKS}"));
            count = 1;
        }
        repeat.finish();
    }
    table.finish();
    let Some(polygon) = polygon else { return };
    blocks.extend((0..count).map(|k| common.block(polygon.iter().map(|&vertex| vertex + k as f64 * shift).collect())));
}

fn read_arch(table: Table, common: &Common, blocks: &mut Vec<BlockDefinition>) {
    let center = table.point("center", POINT);
    let (inner, outer) = (table.number("inner_radius", LENGTH), table.number("outer_radius", LENGTH));
    let from = table.number_or("from", ANGLE, 0.0);
    let to = table.number_or("to", ANGLE, 180.0);
    let count = table.integer_or("count", 1, 0);
    let report = |key: &str, found: String, expected: &str| table.document.report(table.line_of(key), &table.key(key), found, expected);
    if count < 2 || count as f64 > MAX_BLOCKS {
        report("count", format!("{count}"), "a whole number, 2 or more");
    }
    if let Some((inner, outer)) = inner.zip(outer).filter(|(inner, outer)| inner >= outer) {
        report("outer_radius", format!("{outer}"), &format!("more than inner_radius, {inner}"));
    }
    let turned = to - from;
    if !(turned > 0.0 && turned < 360.0) || turned / count.max(1) as f64 >= 90.0 {
        report("to", format!("{to}"), "an angle less than 360 above `from`, and less than 90 per voussoir");
    }
    let sound = table.document.is_sound();
    table.finish();
    if let (Some(center), Some(inner), Some(outer), true) = (center, inner, outer, sound) {
        let angles = [from.to_radians(), to.to_radians()];
        blocks.extend(arch(center, [inner, outer], angles, count as usize).into_iter().map(|polygon| common.block(polygon)));
    }
}

fn read_region(table: Table, common: &Common, seed: u64, blocks: &mut Vec<BlockDefinition>) {
    let outline = table.polygon("outline");
    let holes = table.polygons("hole");
    let sets: Vec<JointSet> = table.tables("joint_set").into_iter().filter_map(read_joint_set).collect();
    let voronoi = table.table("voronoi", "a table { spacing = …, scatter = … }").and_then(|voronoi| {
        let spacing = voronoi.number("spacing", LENGTH);
        let scatter = voronoi.number_or("scatter", FRACTION, 0.7);
        voronoi.finish();
        Some(Cutting::Voronoi { spacing: spacing?, scatter })
    });
    let bricks = table.table("bricks", "a table { width = …, height = … }").and_then(|bricks| {
        let (width, height) = (bricks.number("width", LENGTH), bricks.number("height", LENGTH));
        let bonded = bricks.flag_or("bonded", true);
        bricks.finish();
        Some(Cutting::Bricks { width: width?, height: height?, bonded })
    });
    let given = ["joint_set", "voronoi", "bricks"].iter().filter(|key| table.has(key)).count();
    if given != 1 {
        let found = if given == 0 { "none of them" } else { "more than one of them" };
        table.document.report(table.line, &table.key("joint_set"), found, "exactly one of joint_set, voronoi, bricks");
    }
    let cutting = voronoi.or(bricks).unwrap_or(Cutting::Joints(sets));
    if let Some(outline) = &outline {
        check_count(&table, outline, &cutting);
    }
    let sound = table.document.is_sound();
    if let (Some(outline), true) = (outline, sound) {
        let pieces = generate(&Region { outline, holes, cutting }, seed);
        if pieces.is_empty() {
            table.document.report(table.line, &table.key("outline"), "holes that cover the whole outline", "a region with a positive area");
        }
        blocks.extend(pieces.into_iter().map(|polygon| common.block(polygon)));
    }
    table.finish();
}

fn read_joint_set(table: Table) -> Option<JointSet> {
    let angle = table.number("angle", ANGLE);
    let spacing = table.number("spacing", LENGTH);
    let persistence = table.number_or("persistence", SHARE, 1.0);
    let length = table.optional_number("length", LENGTH);
    let angle_scatter = table.number_or("angle_scatter", SCATTER_ANGLE, 0.0).to_radians();
    let spacing_scatter = table.number_or("spacing_scatter", FRACTION, 0.0);
    table.finish();
    let (angle, spacing) = (angle?.to_radians(), spacing?);
    Some(JointSet { angle, spacing, persistence, length: length.unwrap_or(5.0 * spacing), angle_scatter, spacing_scatter })
}

/// Reports a cutting that is unreasonably fine.
fn check_count(table: &Table, outline: &[DVec2], cutting: &Cutting) {
    let key = match cutting {
        Cutting::Joints(_) => "joint_set",
        Cutting::Voronoi { .. } => "voronoi",
        Cutting::Bricks { .. } => "bricks",
    };
    let pieces = cutting.max_pieces(outline);
    if pieces > MAX_BLOCKS {
        return table.document.report(
            table.line_of(key),
            &table.key(key),
            format!("about {pieces:.1e} blocks"),
            format!("at most {MAX_BLOCKS}"),
        );
    }
    let crossings = cutting.max_crossings(outline);
    if crossings > MAX_CROSSINGS {
        let found = format!("lines that cross about {crossings:.1e} times in and around the outline");
        table.document.report(table.line_of(key), &table.key(key), found, format!("at most {MAX_CROSSINGS:e} times"));
    }
}
