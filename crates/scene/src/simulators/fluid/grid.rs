//! The sections `[[grid]]`: grids at whose points the fluid is measured for each frame.

use plimsoll_base::math::{Aabb, Domain, format::list};
use plimsoll_fluid::probes::SampleGrid;

use super::probe::check_name;
use crate::{
    read::{Quantity, Range, Table},
    simulators::spheres::AXES,
};

const BOX: &str = "a box { min = [x, y, z], max = [x, y, z] } in m";
const CORNER: &str = "a position [x, y, z] in m";
const SPACING: Quantity = Quantity::new(Range::Positive, "a positive distance in m");
/// Maximum number of points of a grid.
const MAX_POINTS: f64 = 1e7;

/// The valid grids of a scene in a space with the periodic axes of `domain`.
pub(super) fn read_all(root: &Table, domain: &Domain) -> Vec<SampleGrid> {
    let (mut grids, mut names) = (Vec::new(), Vec::new());
    for table in root.tables("grid") {
        let name = table.text("name", "a name in quotes").filter(|name| check_name(&table, name));
        if let Some(name) = name {
            table.call("grid", name, &mut names);
        }
        let region = read_region(&table, domain);
        let spacing = table.number("spacing", SPACING);
        if let (Some(name), Some(region), Some(spacing)) = (name, region, spacing)
            && check_size(&table, &region, spacing)
        {
            grids.push(SampleGrid::over(name.to_owned(), &region, spacing));
        }
        table.finish();
    }
    grids
}

/// The box, which may be flat; along a periodic axis it is at most a period away from the domain.
fn read_region(table: &Table, domain: &Domain) -> Option<Aabb> {
    if !table.has("box") {
        table.missing("box", BOX);
    }
    let corners = table.table("box", BOX)?;
    let (min, max) = (corners.position("min", CORNER), corners.position("max", CORNER));
    let (line, key) = (corners.line_of("max"), corners.key("max"));
    corners.finish();
    let (min, max) = (min?, max?);
    let origin = table.document.origin.get();
    if min.cmpgt(max).any() {
        let expected = format!("no coordinate below that of min, {}", list(min + origin));
        table.document.report(line, &key, list(max + origin), expected);
        return None;
    }
    for axis in (0..3).filter(|&axis| domain.periodic[axis]) {
        let (low, high) = (domain.low[axis] - domain.size[axis], domain.high()[axis] + domain.size[axis]);
        if min[axis] < low || max[axis] > high {
            let name = AXES[axis];
            let found = format!("{name} from {} to {}", min[axis] + origin[axis], max[axis] + origin[axis]);
            let expected = format!("at most a period beyond fluid.periodic.{name}, {} to {}", low + origin[axis], high + origin[axis]);
            table.document.report(table.line_of("box"), &table.key("box"), found, expected);
            return None;
        }
    }
    Some(Aabb { min, max })
}

fn check_size(table: &Table, region: &Aabb, spacing: f64) -> bool {
    let points: f64 = region.extent().to_array().iter().map(|length| (length / spacing).round().max(1.0) + 1.0).product();
    if points > MAX_POINTS {
        let found = format!("{spacing} m, which are about {points:.1e} points");
        table.document.report(table.line_of("spacing"), &table.key("spacing"), found, format!("at most {MAX_POINTS:e} points"));
    }
    points <= MAX_POINTS
}
