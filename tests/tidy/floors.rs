//! Each module imports only from floors below its own, or from lower steps of its own floor.

use crate::{
    Source,
    imports::{Named, paths},
    none, read, sources,
};

/// A module, its floor, and its step on that floor. Modules on one step do not know each other, except those of F1.
struct Place {
    module: &'static str,
    floor: u32,
    step: u32,
}

const fn place(module: &'static str, floor: u32, step: u32) -> Place {
    Place { module, floor, step }
}

/// `lib.rs` documents the same.
const FLOORS: [Place; 22] = [
    place("math", 0, 0),
    place("input", 0, 0),
    place("shape", 1, 0),
    place("frame", 1, 1),
    place("simulator", 1, 2),
    place("timing", 1, 2),
    place("chart", 1, 2),
    place("search", 2, 0),
    place("bodies", 3, 0),
    place("fluid", 4, 0),
    place("gas", 4, 0),
    place("grains", 4, 0),
    place("aggregates", 4, 0),
    place("blocks", 4, 0),
    place("scene", 5, 0),
    place("output", 5, 0),
    place("run", 5, 1),
    place("surface", 5, 2),
    place("plot", 5, 2),
    place("validation", 5, 0),
    place("cli", 6, 1),
    place("viewer", 6, 0),
];

fn place_of(module: &str) -> Option<&'static Place> {
    FLOORS.iter().find(|place| place.module == module)
}

/// Wrong imports of a file: for each, the line and the reason.
fn misplaced(source: &Source) -> Vec<String> {
    let Some(own) = place_of(&source.module[0]) else { return vec![format!("module {} has no floor", source.module[0])] };
    let wrong = |Named { path, line, .. }: Named| {
        let other = path.first().map_or("the crate's root", String::as_str);
        // Re-exports of another crate by the root.
        if other == "glam" || other == own.module {
            return None;
        }
        let Some(place) = place_of(other) else { return Some(format!("line {line}: {other} is not a module with a floor")) };
        let name = |place: &Place| format!("{} (floor {}.{})", place.module, place.floor, place.step);
        ((place.floor, place.step) >= (own.floor, own.step)).then(|| format!("line {line}: {} uses {}", name(own), name(place)))
    };
    paths(&source.parsed, &source.module, false, true).into_iter().filter_map(wrong).collect()
}

#[test]
fn floors_use_only_what_is_below() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| !source.module.is_empty()) {
        wrong.extend(misplaced(source).into_iter().map(|why| format!("{}: {why}", source.path)));
    }
    none(&wrong);
}

#[test]
fn misplaced_imports_are_found() {
    let misplaced = |source: &str, of: &str| misplaced(&Source::new(of, source));
    let count = |source: &str, of: &str| misplaced(source, of).len();
    assert_eq!(count("use crate::{math::Pose, shape::{TriangleMesh, topology::EdgeTable}};", "src/search/grid.rs"), 0);
    assert_eq!(count("use crate::{\n    math::Pose,\n    search::{self, CellGrid},\n};", "src/shape/mesh.rs"), 2);
    assert_eq!(misplaced("\n\nuse crate::fluid::Kernel;", "src/bodies/body.rs"), ["line 3: bodies (floor 3.0) uses fluid (floor 4.0)"]);
    assert_eq!(count("use super::super::fluid::Kernel;", "src/bodies/body.rs"), 1);
    assert_eq!(count("use crate::gas::Contact;", "src/fluid/step.rs"), 1);
    assert_eq!(count("fn f() -> crate::cli::Arguments { g() }", "src/run/plan.rs"), 1);
    assert_eq!(count("fn f() -> plimsoll::cli::Arguments { g() }", "src/run/plan.rs"), 1);
    // The order within the fifth floor.
    assert_eq!(count("use crate::{output::Table, scene::Scene};", "src/run.rs"), 0);
    assert_eq!(count("use crate::run::Run;", "src/scene/load.rs"), 1);
    assert_eq!(count("use crate::output::Table;", "src/scene/load.rs"), 1);
    assert_eq!(count("use crate::run::Run;", "src/plot/table.rs"), 0);
    assert_eq!(count("use crate::plot::Panel;", "src/surface/files.rs"), 1);
    assert_eq!(count("use crate::cellar::Wine;", "src/cli/mod.rs"), 1);
    assert_eq!(count("use crate as plimsoll;", "src/math/mod.rs"), 1);
    assert_eq!(count("use crate::math::Pose;", "src/cellar.rs"), 1);
    assert_eq!(count("mod tests { use super::super::super::fluid::Kernel; }", "src/bodies/body.rs"), 1);
}

#[test]
fn the_crate_page_shows_the_same_floors() {
    let text = read("src/lib.rs");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | F"));
    let shown = rows.flat_map(|row| {
        let mut cells = row.split('|');
        let floor: u32 = cells.next().and_then(|cell| cell.trim().parse().ok()).expect("a number after F");
        let modules = cells.next().expect("a column of modules").split(',');
        modules.map(move |module| (module.trim().trim_matches(['[', ']', '`']).to_owned(), floor)).collect::<Vec<_>>()
    });
    let known: Vec<(String, u32)> = FLOORS.iter().map(|place| (place.module.to_owned(), place.floor)).collect();
    assert_eq!(shown.collect::<Vec<_>>(), known);
    let modules = text.lines().filter_map(|line| line.strip_prefix("pub mod ")).map(|name| name.trim_end_matches(';').to_owned());
    let mut names: Vec<String> = known.into_iter().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(modules.collect::<Vec<_>>(), names);
}
