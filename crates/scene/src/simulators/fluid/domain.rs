//! The section `[fluid.domain]`: the box that fluid and bodies should not leave, and what does not fit into it.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain, format::list};
use plimsoll_fluid::{DomainBox, FluidSettings, Outside};

use crate::{
    body::PlacedBody,
    fill::{Place, read_box},
    read::{Document, Table},
    simulators::spheres::AXES,
};

/// Share of a side by which what touches it may stick out.
const TOLERANCE: f64 = 1e-9;

/// The box, if there is one; it must reach beyond the periods of `domain`.
pub(super) fn read(fluid: &Table, domain: &Domain) -> Option<DomainBox> {
    let table = fluid.table("domain", "a table [fluid.domain]")?;
    if !table.has("box") {
        table.missing("box", "a box { min = [x, y, z], max = [x, y, z] } in m");
    }
    let region = read_box(&table);
    let outside = match table.choice("outside", &["remove", "report", "end"]) {
        Some("remove") => Some(Outside::Remove),
        Some("report") => Some(Outside::Report),
        Some(_) => Some(Outside::End),
        None => None,
    };
    if let Some(region) = region {
        check_periods(&table, &region, domain);
    }
    table.finish();
    Some(DomainBox { region: region?, outside: outside? })
}

fn check_periods(table: &Table, region: &Aabb, domain: &Domain) {
    let origin = table.document.origin.get();
    for axis in (0..3).filter(|&axis| domain.periodic[axis]) {
        let (low, high) = (domain.low[axis], domain.high()[axis]);
        let margin = TOLERANCE * domain.size[axis];
        if region.min[axis] > low + margin || region.max[axis] < high - margin {
            let name = AXES[axis];
            let found = format!("{name} from {} to {}", region.min[axis] + origin[axis], region.max[axis] + origin[axis]);
            let expected = format!(
                "at least the period, {} to {} (fluid.periodic.{name}): fluid does not leave along a periodic axis",
                low + origin[axis],
                high + origin[axis]
            );
            table.document.report(table.line_of("box"), &table.key("box"), found, expected);
        }
    }
}

/// Reports fills, emitters and floating bodies among `bodies` that are outside from the start.
pub(crate) fn check_contents(document: &Document, settings: &FluidSettings, fills: &[Place], emitters: &[Place], bodies: &[PlacedBody]) {
    let Some(limits) = &settings.domain_box else { return };
    let check = |line: usize, key: &str, what: &str, place: Aabb| {
        let tolerance = TOLERANCE * limits.region.extent().max_element();
        let [low, high] = [place.min + tolerance, place.max - tolerance];
        if !limits.contains(low, &settings.domain) || !limits.contains(high, &settings.domain) {
            let words = |Aabb { min, max }: Aabb| {
                let of = |point: DVec3| list(point + document.origin.get());
                if min == max { format!("at {}", of(min)) } else { format!("from {} to {}", of(min), of(max)) }
            };
            document.report(line, key, format!("{what} {}", words(place)), format!("inside fluid.domain, {}", words(limits.region)));
        }
    };
    for (fill, Place { line, key }) in settings.fills.iter().zip(fills) {
        check(*line, key, "a region", fill.shape.aabb());
    }
    for (emitter, Place { line, key }) in settings.emitters.iter().zip(emitters) {
        check(*line, key, "a nozzle", emitter.walls(settings.particle_radius).aabb());
    }
    for body in bodies.iter().filter(|body| body.is_floating()) {
        let center = body.aabb().center();
        check(body.line, &body.key, "the center of a floating body", Aabb { min: center, max: center });
    }
}
