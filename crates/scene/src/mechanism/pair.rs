//! One section `[[contact]]`.

use std::collections::HashMap;

use plimsoll_bodies::PairDefinition;

use crate::{
    body::{FRICTION, PlacedBody, RESTITUTION},
    read::Table,
};

/// What touches: names of bodies, or materials of bodies.
pub(super) struct Partners<'a> {
    bodies: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Partners<'a> {
    pub fn new(bodies: &'a [PlacedBody]) -> Self {
        let mut partners: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, body) in bodies.iter().enumerate() {
            partners.entry(&body.definition.name).or_default().push(index);
            if let Some(material) = body.material.as_deref().filter(|material| *material != body.definition.name) {
                partners.entry(material).or_default().push(index);
            }
        }
        Self { bodies: partners }
    }

    /// The bodies called `name` or made of it; reports a name of nothing.
    fn find(&self, table: &Table, name: &str) -> &[usize] {
        if let Some(found) = self.bodies.get(name) {
            return found;
        }
        let mut names: Vec<&str> = self.bodies.keys().copied().collect();
        names.sort_unstable();
        table.document.unknown_name(table.line_of("between"), &table.key("between"), name, "body or material", names);
        &[]
    }
}

/// Adds the pairs of bodies of `table` to `pairs`, of which each may be given once. `partners` is absent if not all bodies are valid.
pub(super) fn read(table: &Table, partners: Option<&Partners>, pairs: &mut HashMap<[usize; 2], PairDefinition>) {
    let friction = table.optional_number("friction", FRICTION);
    let restitution = table.optional_number("restitution", RESTITUTION);
    if !table.has("friction") && !table.has("restitution") {
        table.document.report(table.line, &table.name.borrow(), "neither `friction` nor `restitution`", "at least one of them");
    }
    let Some(between) = table.texts("between", 2..=2, "an array of two names of bodies or materials") else { return };
    let Some(partners) = partners else { return };
    let [ones, others] = [between[0], between[1]].map(|name| partners.find(table, name));
    let mut repeated = false;
    for (&one, &other) in ones.iter().flat_map(|one| others.iter().map(move |other| (one, other))).filter(|(one, other)| one != other) {
        let bodies = [one.min(other), one.max(other)];
        let definition = PairDefinition { bodies, friction, restitution };
        // Two bodies of the same material are found in both orders.
        repeated |= pairs.insert(bodies, definition).is_some_and(|before| between[0] != between[1] || before != definition);
    }
    if repeated {
        let found = format!("\"{}\" and \"{}\", some of whose bodies another `contact` has as well", between[0], between[1]);
        table.document.report(table.line_of("between"), &table.key("between"), found, "each pair of bodies once");
    }
}
