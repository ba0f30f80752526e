//! Files of a crate do not import each other in cycles.

use std::collections::BTreeSet;

use crate::{
    graph::{Graph, cycles},
    none, sources,
};

#[test]
fn files_of_a_crate_do_not_import_each_other_in_cycles() {
    let sources = sources();
    let graph = Graph::new(&sources);
    let tops: BTreeSet<&str> = sources.iter().filter_map(|source| source.module.first()).map(String::as_str).collect();
    let found = tops.iter().flat_map(|top| cycles(&graph.needs(&sources, top)));
    let show = |cycle: BTreeSet<String>| cycle.into_iter().collect::<Vec<_>>().join(", ");
    let wrong: Vec<String> = found.map(|cycle| format!("these files import each other in a cycle: {}", show(cycle))).collect();
    none(&wrong);
}
