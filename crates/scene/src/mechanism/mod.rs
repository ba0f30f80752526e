//! The sections `[[joint]]`, `[[mooring]]` and `[[contact]]`, and which bodies do not collide.

mod joint;
mod mooring;
mod names;
mod pair;

use std::collections::HashMap;

use glam::DVec3;
use plimsoll_base::math::Domain;
use plimsoll_bodies::{BodyKind, MechanismDefinition};

use self::{names::Names, pair::Partners};
use super::{body::PlacedBody, read::Table};

/// The mechanism of a scene with these `bodies` under `gravity` (m/s²).
pub(super) fn read(root: &Table, bodies: &[PlacedBody], gravity: DVec3) -> MechanismDefinition {
    let tables = if bodies.is_empty() { Vec::new() } else { root.tables("body") };
    let names: Vec<&str> = tables.iter().map(|table| table.peek_text("name").unwrap_or_default()).collect();
    let names = Names { bodies: (names.len() == bodies.len()).then_some(bodies), names };
    let mut mechanism = MechanismDefinition::default();
    for table in root.tables("joint") {
        joint::read(&table, &names, &mut mechanism);
        table.finish();
    }
    let mut moorings = Vec::new();
    for table in root.tables("mooring") {
        mechanism.moorings.extend(mooring::read(&table, &names, gravity, &mut moorings));
        table.finish();
    }
    let partners = names.bodies.map(Partners::new);
    let mut pairs = HashMap::new();
    for table in root.tables("contact") {
        pair::read(&table, partners.as_ref(), &mut pairs);
        table.finish();
    }
    mechanism.pairs.extend(pairs.into_values());
    mechanism.pairs.sort_by_key(|pair| pair.bodies);
    let linked = mechanism.linked();
    for (index, body) in bodies.iter().enumerate() {
        if body.definition.presence.changes() && linked.contains(&index) {
            let found = "a body with a joint or mooring that appears or vanishes";
            root.document.report(body.line, &body.key, found, "a joined body without `appears` and `vanishes`");
        }
        if !body.collides {
            mechanism.without_any_contact.push(index);
        }
        for name in &body.no_contact_with {
            let key = format!("{}.no_contact_with", body.key);
            mechanism.without_contact.extend(names.find(root.document, body.line, &key, name).map(|other| [index, other]));
        }
    }
    mechanism
}

/// Reports joined bodies that may leave a periodic `domain`, since they would do so one by one.
pub(super) fn check_periodic(root: &Table, mechanism: &MechanismDefinition, bodies: &[PlacedBody], domain: &Domain) {
    if !domain.is_periodic() {
        return;
    }
    let held: Vec<bool> = bodies.iter().map(|body| !matches!(body.definition.kind, BodyKind::Floating(_))).collect();
    let anchored = mechanism.anchored(held);
    let joints = mechanism.joints.iter().map(|joint| joint.body).chain(mechanism.springs.iter().map(|spring| spring.bodies.0));
    if let Some(body) = joints.into_iter().find(|&body| !anchored[body]) {
        let found = format!("body \"{}\" joined only to bodies that may leave the periodic domain", bodies[body].definition.name);
        let expected = "a joint or mooring to the world or to a body that does not float, directly or through others";
        root.document.report(root.line_of("joint"), "joint", found, expected);
    }
}
