//! Dependencies between the files of the workspace: paths are followed through `use` and `pub use` to the file that defines the item.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, UseTree};

use crate::{
    Source,
    imports::{Kind, absolute, attributes, is_test_only, paths},
    module_of,
};

/// Maximum number of `use` declarations that a name is followed through.
const MAX_ALIASES: usize = 16;

/// Data of one module.
#[derive(Default)]
struct Module {
    file: String,
    /// Full paths, which begin with a crate, of the names that `use` introduces here.
    aliases: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// Names defined here.
    items: BTreeSet<String>,
    test_only: bool,
}

/// All modules of the workspace by path.
pub struct Graph {
    modules: BTreeMap<Vec<String>, Module>,
}

/// What a path refers to.
enum Target<'a> {
    Module,
    /// Something defined in a file.
    Item(&'a str),
}

impl Graph {
    pub fn new(sources: &[Source]) -> Self {
        // The root contains the crates.
        let mut graph = Self { modules: [(Vec::new(), Module::default())].into() };
        for source in sources.iter().filter(|source| source.path != "src/main.rs") {
            graph.add(&source.path, source.module.clone(), &source.parsed.items);
        }
        graph.spread_test_only(sources);
        graph
    }

    fn add(&mut self, file: &str, path: Vec<String>, items: &[Item]) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        for item in items {
            match item {
                Item::Use(found) => add_aliases(&found.tree, &[], &path, &mut module),
                Item::Mod(found) => {
                    if let Some((_, items)) = &found.content {
                        self.add(file, [path.as_slice(), &[found.ident.to_string()]].concat(), items);
                    }
                }
                _ => module.items.extend(name_of(item)),
            }
        }
        self.modules.insert(path, module);
    }

    /// Marks modules declared under `#[cfg(test)]`, and modules within them.
    fn spread_test_only(&mut self, sources: &[Source]) {
        for source in sources {
            let declared = source.parsed.items.iter().filter(|item| is_test_only(attributes(item)));
            for item in declared.filter_map(|item| if let Item::Mod(item) = item { Some(item.ident.to_string()) } else { None }) {
                let path = [source.module.as_slice(), &[item]].concat();
                self.modules.iter_mut().filter(|(other, _)| other.starts_with(&path)).for_each(|(_, module)| module.test_only = true);
            }
        }
    }

    /// What `path` refers to, if it belongs to the workspace.
    fn resolve(&self, path: &[String], depth: usize) -> Option<Target<'_>> {
        let mut here = Vec::new();
        let mut module = self.modules.get(&here)?;
        for (place, name) in path.iter().enumerate() {
            let rest = &path[place + 1..];
            here.push(name.clone());
            if let Some(inner) = self.modules.get(&here) {
                module = inner;
                continue;
            }
            if module.items.contains(name) {
                return Some(Target::Item(&module.file));
            }
            if depth > MAX_ALIASES {
                return None;
            }
            if let Some(alias) = module.aliases.get(name) {
                return self.resolve(&[alias.as_slice(), rest].concat(), depth + 1);
            }
            let through_glob = |glob: &Vec<String>| self.resolve(&[glob.as_slice(), &path[place..]].concat(), depth + 1);
            return module.globs.iter().find_map(through_glob);
        }
        Some(Target::Module)
    }

    /// For each file of the crate `top`, the other files of that crate that it needs. Re-exports and tests do not count.
    pub fn needs(&self, sources: &[Source], top: &str) -> BTreeMap<String, BTreeSet<String>> {
        let within = |source: &&Source| source.module.first().is_some_and(|name| name == top);
        let mut needs = BTreeMap::new();
        for source in sources.iter().filter(within).filter(|source| !self.modules[&source.module].test_only) {
            let used: &mut BTreeSet<String> = needs.entry(source.path.clone()).or_default();
            for named in paths(&source.parsed, &source.module, true, false) {
                let file = match self.resolve(&named.path, 0) {
                    Some(Target::Item(file)) if named.kind != Kind::Reexport => file,
                    _ => continue,
                };
                let in_top = module_of(file).first().is_some_and(|name| name == top);
                if in_top && file != source.path {
                    used.insert(file.to_owned());
                }
            }
        }
        needs
    }
}

fn add_aliases(tree: &UseTree, prefix: &[String], here: &[String], module: &mut Module) {
    let joined = |name: String| [prefix, &[name]].concat();
    let mut add = |written: &[String], name: Option<String>| {
        let Some(path) = absolute(written, here, true) else { return };
        match name {
            Some(name) if path != [here, std::slice::from_ref(&name)].concat() => drop(module.aliases.insert(name, path)),
            Some(_) => {}
            None => module.globs.push(path),
        }
    };
    match tree {
        UseTree::Path(path) => add_aliases(&path.tree, &joined(path.ident.to_string()), here, module),
        UseTree::Group(group) => group.items.iter().for_each(|tree| add_aliases(tree, prefix, here, module)),
        UseTree::Glob(_) => add(prefix, None),
        UseTree::Name(name) if name.ident == "self" => add(prefix, prefix.last().cloned()),
        UseTree::Rename(name) if name.ident == "self" => add(prefix, Some(name.rename.to_string())),
        UseTree::Name(name) => add(&joined(name.ident.to_string()), Some(name.ident.to_string())),
        UseTree::Rename(name) => add(&joined(name.ident.to_string()), Some(name.rename.to_string())),
    }
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// The strongly connected components with at least two files, each sorted.
pub fn cycles(needs: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reach = |from: &String| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(next) = open.pop() {
            open.extend(needs.get(next).into_iter().flatten().filter(|&file| reached.insert(file.clone())));
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = needs.keys().map(|file| (file, reach(file))).collect();
    let cycle = |file: &String| {
        let mutual = reached[file].iter().filter(|other| reached.get(other).is_some_and(|back| back.contains(file)));
        mutual.cloned().collect::<BTreeSet<String>>()
    };
    let cycles: BTreeSet<BTreeSet<String>> = needs.keys().map(cycle).filter(|cycle| cycle.len() > 1).collect();
    cycles.into_iter().collect()
}

#[cfg(test)]
fn needed(files: &[(&str, &str)], top: &str) -> Vec<String> {
    let sources: Vec<Source> = files.iter().map(|&(path, text)| Source::new(path, text)).collect();
    let needs = Graph::new(&sources).needs(&sources, top);
    let pairs = needs.iter().flat_map(|(file, used)| used.iter().map(move |other| format!("{file} -> {other}")));
    pairs.map(|pair| pair.replace("crates/fluid/src/", "")).collect()
}

#[test]
fn names_are_followed_to_the_file_that_defines_them() {
    let files = [
        ("crates/fluid/src/lib.rs", "mod grid; mod step; pub use grid::{Cells as Grid, make}; pub use step::*; pub const N: u8 = 1;"),
        ("crates/fluid/src/grid.rs", "pub struct Cells; pub fn make() {} #[cfg(test)] mod tests { use super::super::step::Step; }"),
        ("crates/fluid/src/step.rs", "use crate::{self as fluid, Grid}; pub struct Step; fn f() { fluid::make(); super::N; }"),
        ("crates/fluid/src/run.rs", "fn f() { format!(\"{}\", super::Step::new()); }"),
    ];
    assert_eq!(needed(&files, "fluid"), ["run.rs -> step.rs", "step.rs -> grid.rs", "step.rs -> lib.rs"]);
}

#[test]
fn modules_named_by_imports_are_followed() {
    let files = [
        ("crates/fluid/src/lib.rs", "mod placement; mod step;"),
        ("crates/fluid/src/placement/mod.rs", "mod relaxation; pub use relaxation::relax; pub fn place() {}"),
        ("crates/fluid/src/placement/relaxation.rs", "pub fn relax() {}"),
        ("crates/fluid/src/step.rs", "use crate::placement; fn f() { placement::relax(); }"),
    ];
    assert_eq!(needed(&files, "fluid"), ["step.rs -> placement/relaxation.rs"]);
}

#[test]
fn cycles_are_found() {
    let needs = |pairs: &[(&str, &str)]| {
        let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for &(from, to) in pairs {
            needs.entry(from.to_owned()).or_default().insert(to.to_owned());
        }
        needs
    };
    assert!(cycles(&needs(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let found = cycles(&needs(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d")]));
    assert_eq!(found, [["a", "b", "c"].map(str::to_owned).into(), ["d", "e"].map(str::to_owned).into()]);
}
