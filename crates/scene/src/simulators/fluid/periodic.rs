//! The table `periodic` of `[fluid]`: periodic axes, and what does not fit between their ends.

use plimsoll_base::math::{Aabb, Domain};
use plimsoll_fluid::FluidSettings;

use crate::{
    body::PlacedBody,
    fill::Place,
    read::{Document, Table},
    simulators::spheres::AXES,
};

const ENDS: &str = "the ends [low, high] of a period in m";

/// The domain; open if there is no table `periodic`.
pub(super) fn read(fluid: &Table) -> Domain {
    let mut domain = Domain::OPEN;
    let Some(table) = fluid.table("periodic", "a table { x = [low, high], … } with the periodic axes") else { return domain };
    for (axis, name) in AXES.into_iter().enumerate() {
        let Some(ends) = table.optional_point(name, ENDS) else { continue };
        if ends.x >= ends.y {
            let expected = format!("{ENDS}, the second above the first");
            table.document.report(table.line_of(name), &table.key(name), format!("[{}, {}]", ends.x, ends.y), expected);
            continue;
        }
        domain.periodic[axis] = true;
        domain.low[axis] = ends.x - table.document.origin.get()[axis];
        domain.size[axis] = ends.y - ends.x;
    }
    table.finish();
    domain
}

/// Checks that periods are long enough for the kernel.
pub(super) fn check_lengths(fluid: &Table, settings: &FluidSettings) {
    let (domain, shortest) = (settings.domain, settings.min_period());
    for axis in (0..3).filter(|&axis| domain.periodic[axis] && domain.size[axis] < shortest * (1.0 - 1e-9)) {
        let path = format!("periodic.{}", AXES[axis]);
        let expected = format!("at least {shortest} m, which is 16 times fluid.particle_radius");
        fluid.document.report(fluid.line_of(&path), &fluid.key(&path), format!("a period of {} m", domain.size[axis]), expected);
    }
}

/// Checks that fills and emitters are between the ends of the periods, and that floating bodies do not meet themselves.
pub(crate) fn check_contents(document: &Document, settings: &FluidSettings, fills: &[Place], emitters: &[Place], bodies: &[PlacedBody]) {
    let domain = &settings.domain;
    for (fill, place) in settings.fills.iter().zip(fills) {
        check_within(document, domain, place, "a region", &fill.shape.aabb());
    }
    for (emitter, place) in settings.emitters.iter().zip(emitters) {
        check_within(document, domain, place, "a nozzle", &emitter.walls(settings.particle_radius).aabb());
    }
    for body in bodies.iter().filter(|body| body.is_floating()) {
        for axis in (0..3).filter(|&axis| domain.periodic[axis]) {
            // Longer when it is tilted.
            let (size, longest) = (body.aabb().extent()[axis], domain.size[axis] - settings.support_radius());
            if size > longest {
                let found = format!("a floating body {size} m long along {}", AXES[axis]);
                let expected =
                    format!("at most {longest} m: the period minus 4 times fluid.particle_radius, so that it cannot touch itself");
                document.report(body.line, &body.key, found, expected);
            }
        }
    }
}

fn check_within(document: &Document, domain: &Domain, place: &Place, what: &str, aabb: &Aabb) {
    for axis in (0..3).filter(|&axis| domain.periodic[axis]) {
        let ([low, high], [from, to]) = ([domain.low[axis], domain.high()[axis]], [aabb.min[axis], aabb.max[axis]]);
        let tolerance = 1e-9 * domain.size[axis];
        if from < low - tolerance || to > high + tolerance {
            let axis = AXES[axis];
            let found = format!("{what} from {axis} = {from} to {to}");
            document.report(
                place.line,
                &place.key,
                found,
                format!("one between the ends of the period, {low} and {high} (fluid.periodic.{axis})"),
            );
        }
    }
}
