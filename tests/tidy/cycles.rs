//! Files of a module do not import each other in cycles, except the known ones.

use std::collections::BTreeSet;

use crate::{
    graph::{Graph, circles},
    known::KNOWN_CYCLES,
    none, sources,
};

/// Differences between the `found` and the `known` cycles; files are named relative to `src/`.
fn differences(found: &[BTreeSet<String>], known: &[&[&str]]) -> Vec<String> {
    let known: Vec<BTreeSet<String>> = known.iter().map(|files| files.iter().map(|&file| file.to_owned()).collect()).collect();
    let show = |circle: &BTreeSet<String>| circle.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let new = found
        .iter()
        .filter(|circle| !known.contains(circle))
        .map(|circle| format!("these import one another in a circle: {}", show(circle)));
    let gone = known
        .iter()
        .filter(|circle| !found.contains(circle))
        .map(|circle| format!("take this circle out of KNOWN_CYCLES: {}", show(circle)));
    new.chain(gone).collect()
}

#[test]
fn files_of_a_module_import_in_no_circle() {
    let sources = sources();
    let graph = Graph::new(&sources);
    let tops: BTreeSet<&str> = sources.iter().filter_map(|source| source.module.first()).map(String::as_str).collect();
    let mut wrong = Vec::new();
    for top in tops {
        let found = circles(&graph.needs(&sources, top));
        let found: Vec<BTreeSet<String>> =
            found.into_iter().map(|circle| circle.iter().map(|file| file.replacen("src/", "", 1)).collect()).collect();
        let known: Vec<&[&str]> = KNOWN_CYCLES.iter().filter(|(module, _)| *module == top).map(|&(_, files)| files).collect();
        wrong.extend(differences(&found, &known));
    }
    none(&wrong);
}

#[test]
fn new_and_outlived_circles_are_reported() {
    let circle = |files: &[&str]| -> BTreeSet<String> { files.iter().map(|&file| file.to_owned()).collect() };
    assert!(differences(&[circle(&["a", "b"])], &[&["b", "a"]]).is_empty());
    assert_eq!(differences(&[circle(&["a", "b"])], &[]), ["these import one another in a circle: a, b"]);
    assert_eq!(differences(&[], &[&["a", "b"]]), ["take this circle out of KNOWN_CYCLES: a, b"]);
    assert_eq!(differences(&[circle(&["a", "b"])], &[&["a", "b", "c"]]).len(), 2);
}
