//! The sections `[[probe]]`: instruments.

use glam::DVec3;
use plimsoll_base::math::{Aabb, format::list};
use plimsoll_fluid::probes::{
    BodyForce, BodyMotion, BoxEvents, Flow, FluidTotals, Patch, PressurePoint, Probe, ProbeKind, Velocities, Volume, WaterHeight,
};
use plimsoll_shape::{TriangleMesh, import};

use crate::{
    body::PlacedBody,
    fill::read_box,
    read::{Quantity, Range, Table},
};

const RATE: Quantity = Quantity::new(Range::Positive, "a positive number of samples per second");
const POSITION: &str = "a position [x, y, z] in m";
const SIDE: &str = "a side [x, y, z] in m, from the corner";
const BODY: &str = "the name of a body in quotes";
const BOX: &str = "a box { min = [x, y, z], max = [x, y, z] } in m";
const NAME: &str = "a file name of letters, digits, `_`, `-` and `.`";

/// What a probe can measure.
const KINDS: [&str; 10] = ["pressure", "patch", "force", "height", "velocity", "flow", "volume", "motion", "fluid", "events"];
/// Those that sample quantities.
const SAMPLED: [&str; 9] = ["pressure", "patch", "force", "height", "velocity", "flow", "volume", "motion", "fluid"];

/// The keys of a probe, and what it must measure for them.
const KEYS: [(&str, &[&str]); 12] = [
    ("position", &["pressure", "height", "velocity"]),
    ("body", &["pressure", "patch", "force", "motion"]),
    ("box", &["patch", "volume", "events"]),
    ("group", &["patch"]),
    ("about", &["force"]),
    ("from", &["velocity"]),
    ("to", &["velocity"]),
    ("points", &["velocity"]),
    ("corner", &["flow"]),
    ("u", &["flow"]),
    ("v", &["flow"]),
    ("rate", &SAMPLED),
];

/// Maximum number of points of a velocity probe.
const MAX_POINTS: usize = 1000;

/// The valid probes of a file whose root is `root`, for a scene with `bodies`; by default they sample at `rate`.
pub(crate) fn read_all(root: &Table, bodies: &[PlacedBody], rate: f64) -> Vec<Probe> {
    let (mut probes, mut names) = (Vec::new(), Vec::new());
    for table in root.tables("probe") {
        let name = table.text("name", "a name in quotes").filter(|name| check_name(&table, name));
        if let Some(name) = name {
            table.call("probe", name, &mut names);
        }
        let rate = table.number_or("rate", RATE, rate);
        let kind = read_kind(&table, bodies);
        if let (Some(name), Some(kind)) = (name, kind) {
            probes.push(Probe { name: name.to_owned(), rate, kind });
        }
        table.finish();
    }
    probes
}

pub(super) fn check_name(table: &Table, name: &str) -> bool {
    let sound = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    let valid = !name.is_empty() && name.chars().all(sound) && !name.starts_with('.');
    if !valid {
        table.document.report(table.line_of("name"), &table.key("name"), format!("\"{name}\""), NAME);
    }
    valid
}

fn read_kind(table: &Table, bodies: &[PlacedBody]) -> Option<ProbeKind> {
    let Some(kind) = table.choice("measures", &KINDS) else {
        // Without a kind no key can be reported as misplaced.
        table.pass(&KEYS.map(|(key, _)| key));
        return None;
    };
    for (key, owners) in KEYS.into_iter().filter(|(_, owners)| !owners.contains(&kind)) {
        let owners = owners.iter().map(|owner| format!("\"{owner}\"")).collect::<Vec<_>>().join(" or ");
        table.misplaced(key, &format!("in a probe that measures \"{kind}\""), &format!("it only in one that measures {owners}"));
    }
    match kind {
        "pressure" => read_pressure(table, bodies).map(ProbeKind::Pressure),
        "patch" => read_patch(table, bodies).map(ProbeKind::Patch),
        "force" => {
            let (body, about) = (required_body(table, bodies), table.optional_position("about", POSITION));
            body.map(|(body, _)| ProbeKind::Force(BodyForce { body, about }))
        }
        "height" => table.position("position", POSITION).map(|position| ProbeKind::Height(WaterHeight { position })),
        "velocity" => read_velocities(table).map(ProbeKind::Velocity),
        "flow" => read_flow(table).map(ProbeKind::Flow),
        "volume" => required_box(table).map(|region| ProbeKind::Volume(Volume { region })),
        "motion" => required_body(table, bodies).map(|(body, _)| ProbeKind::Motion(BodyMotion { body })),
        "events" => required_box(table).map(|region| ProbeKind::Events(BoxEvents { region })),
        _ => Some(ProbeKind::Fluid(FluidTotals {})),
    }
}

fn read_pressure(table: &Table, bodies: &[PlacedBody]) -> Option<PressurePoint> {
    let position = table.position("position", POSITION);
    if !table.has("body") {
        table.pass(&["body"]);
        return position.map(|position| PressurePoint { position, body: None });
    }
    let (body, placed) = required_body(table, bodies)?;
    position.map(|position| PressurePoint { position: placed.start.inverse_transform_point(position), body: Some(body) })
}

fn read_velocities(table: &Table) -> Option<Velocities> {
    if table.has("position") {
        for key in ["from", "to", "points"] {
            table.misplaced(key, "together with `position`", "either `position` or `from`, `to` and `points`");
        }
        return table.position("position", POSITION).map(|position| Velocities { points: vec![position] });
    }
    table.pass(&["position"]);
    let (from, to, count) = (table.position("from", POSITION), table.position("to", POSITION), table.count("points"));
    let count = count.filter(|&count| {
        let valid = (2..=MAX_POINTS).contains(&count);
        if !valid {
            let expected = format!("a whole number from 2 to {MAX_POINTS}");
            table.document.report(table.line_of("points"), &table.key("points"), format!("{count}"), expected);
        }
        valid
    });
    Some(Velocities::along(from?, to?, count?))
}

fn read_flow(table: &Table) -> Option<Flow> {
    let (corner, u, v) = (table.position("corner", POSITION), table.vector("u", SIDE), table.vector("v", SIDE));
    let flow = Flow { corner: corner?, u: u?, v: v? };
    let (lengths, product) = (flow.u.length() * flow.v.length(), flow.u.dot(flow.v).abs());
    if lengths == 0.0 || product > 1e-6 * lengths {
        table.document.report(table.line_of("v"), &table.key("v"), list(flow.v), format!("a side perpendicular to u, {}", list(flow.u)));
        return None;
    }
    Some(flow)
}

/// The body under `body`, which must be given.
fn required_body<'b>(table: &Table, bodies: &'b [PlacedBody]) -> Option<(usize, &'b PlacedBody)> {
    let name = table.text("body", BODY)?;
    let found = bodies.iter().enumerate().find(|(_, body)| body.definition.name == name);
    if found.is_none() {
        let names = bodies.iter().map(|body| body.definition.name.as_str());
        table.document.unknown_name(table.line_of("body"), &table.key("body"), name, "body", names);
    }
    found
}

fn required_box(table: &Table) -> Option<Aabb> {
    if !table.has("box") {
        table.missing("box", BOX);
    }
    read_box(table)
}

/// The part of a body's surface in a box (world coordinates at time zero), or in a named group of the mesh file.
fn read_patch(table: &Table, bodies: &[PlacedBody]) -> Option<Patch> {
    let body = required_body(table, bodies);
    if table.has("box") == table.has("group") {
        let found = if table.has("box") { "`box` and `group`" } else { "neither `box` nor `group`" };
        table.document.report(table.line, &table.name.borrow(), found, "exactly one of `box`, `group`");
        table.pass(&["box", "group"]);
        return None;
    }
    let (index, body) = body?;
    if body.definition.kind.deformation().is_some() {
        let found = format!("\"{}\", which deforms", body.definition.name);
        table.document.report(table.line_of("body"), &table.key("body"), found, "a body that does not deform");
        table.pass(&["box", "group"]);
        return None;
    }
    let surface = if table.has("box") { surface_in_box(table, body) } else { surface_of_group(table, body) };
    surface.map(|surface| Patch { body: index, surface })
}

fn surface_in_box(table: &Table, body: &PlacedBody) -> Option<TriangleMesh> {
    table.pass(&["group"]);
    let region = required_box(table)?;
    let mut part = body.definition.mesh.clone();
    for axis in 0..3 {
        // Faces within a side of the box belong to it.
        let margin = 1e-5 * region.extent()[axis];
        let normal = body.start.rotation.conjugate() * DVec3::AXES[axis];
        let along = |corner: DVec3, outward: f64| corner[axis] + outward * margin - body.start.translation[axis];
        part = part.between(normal, [along(region.min, -1.0), along(region.max, 1.0)]);
    }
    if part.triangles.is_empty() {
        let found = format!("a box without any part of body \"{}\"", body.definition.name);
        let aabb = body.aabb();
        let expected = format!("a box that overlaps its surface, which is from {} to {}", list(aabb.min), list(aabb.max));
        table.document.report(table.line_of("box"), &table.key("box"), found, expected);
        return None;
    }
    Some(part)
}

fn surface_of_group(table: &Table, body: &PlacedBody) -> Option<TriangleMesh> {
    table.pass(&["box"]);
    let group = table.text("group", "the name of a group of faces in the mesh file, in quotes")?;
    let names = match import::load_groups(table.document.files, &body.mesh_file.path, &body.mesh_file.options) {
        Ok(groups) => match groups.into_iter().partition::<Vec<_>, _>(|(name, _)| name == group) {
            (mut found, _) if !found.is_empty() => return Some(found.remove(0).1.wound_like(&body.definition.mesh)),
            (_, others) => others.iter().map(|(name, _)| format!("\"{name}\"")).collect::<Vec<_>>().join(", "),
        },
        // The mesh has been read before.
        Err(error) => error.to_string(),
    };
    table.document.report(table.line_of("group"), &table.key("group"), format!("\"{group}\""), format!("one of {names}"));
    None
}
