//! The sections `[blocks.step]` and `[blocks.search]`.

use glam::DVec2;
use plimsoll_blocks::{BlockDefinition, Material, SearchSettings, StepSettings};
use plimsoll_search::planar::SearchMethod;

use crate::read::{Quantity, Range, Table};

const TIME: Quantity = Quantity::new(Range::Positive, "a positive time in seconds");
const LENGTH: Quantity = Quantity::new(Range::Positive, "a positive length in m");
const STIFFNESS: Quantity = Quantity::new(Range::Positive, "a positive stiffness in N/m");
const KEPT: Quantity = Quantity::new(Range::Fraction, "a number from 0 (statics) to 1 (dynamics)");

/// Settings of the step, with defaults from the blocks and their materials.
pub fn read(table: &Table, of: (&[BlockDefinition], &[Material]), gravity: DVec2, frame_interval: f64) -> Option<StepSettings> {
    let default = StepSettings::new(of.0, of.1, gravity);
    let step = table.table("step", "a table [blocks.step]");
    let number = |key: &'static str, quantity: Quantity| step.as_ref().and_then(|step| step.optional_number(key, quantity));
    let maximum_displacement = number("maximum_displacement", LENGTH).unwrap_or(default.maximum_displacement);
    let maximum = number("maximum", TIME);
    if let (Some(maximum), Some(step)) = (maximum.filter(|&maximum| maximum > frame_interval), &step) {
        let expected = format!("at most the frame interval, {frame_interval} s");
        step.document.report(step.line_of("maximum"), &step.key("maximum"), format!("{maximum}"), expected);
    }
    let normal_stiffness = number("normal_stiffness", STIFFNESS).unwrap_or(default.normal_stiffness);
    let shear_stiffness = number("shear_stiffness", STIFFNESS).unwrap_or_else(|| StepSettings::shear(normal_stiffness));
    let velocity_kept = number("velocity_kept", KEPT).unwrap_or(default.velocity_kept);
    let whole = |key: &'static str, least: u64, default: u32| {
        step.as_ref().map_or(default.into(), |step| step.integer_or(key, least, default.into()))
    };
    let iterations = whole("iterations", 1, default.iterations).min(u32::MAX.into()) as u32;
    let cuts = whole("cuts", 0, default.cuts).min(u32::MAX.into()) as u32;
    if let Some(step) = step {
        step.finish();
    }
    Some(StepSettings {
        maximum: maximum.unwrap_or_else(|| StepSettings::longest(maximum_displacement, gravity).min(frame_interval)),
        maximum_displacement,
        normal_stiffness,
        shear_stiffness,
        iterations,
        cuts,
        velocity_kept,
    })
}

pub fn read_search(table: &Table) -> SearchSettings {
    let mut search = SearchSettings::default();
    if let Some(table) = table.table("search", "a table [blocks.search]") {
        let names = SearchMethod::ALL.map(SearchMethod::name);
        let name = table.choice_or("method", &names, search.method.name());
        search.method = SearchMethod::ALL.into_iter().find(|method| method.name() == name).unwrap_or(search.method);
        search.cell_size = table.optional_number("cell_size", LENGTH);
        if search.cell_size.is_some() && search.method != SearchMethod::VoxelGrid {
            table.document.report(
                table.line_of("cell_size"),
                &table.key("cell_size"),
                "this key with another method",
                "it only with method = \"voxel_grid\"",
            );
        }
        table.finish();
    }
    search
}
