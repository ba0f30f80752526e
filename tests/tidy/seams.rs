//! What a browser does not have is used only behind a seam: the clock and the disk of the standard library.

use syn::{
    Attribute, Item, UseTree,
    spanned::Spanned,
    visit::{self, Visit},
};

use crate::{
    Source,
    imports::{attributes, is_test_only},
    none, sources,
};

/// What only a few places may use.
struct Seam {
    /// Paths that begin with one of these.
    paths: &'static [&'static str],
    /// Files and folders that may use it.
    allowed: &'static [&'static str],
    instead: &'static str,
}

const SEAMS: [Seam; 2] = [
    Seam {
        paths: &["std::time::Instant", "std::time::SystemTime", "std::time::UNIX_EPOCH"],
        allowed: &["src/", "crates/viewer/"],
        instead: "plimsoll_base::clock",
    },
    Seam {
        paths: &["std::fs"],
        allowed: &["src/", "crates/base/src/input/disk.rs", "crates/output/", "crates/plot/", "crates/run/", "crates/viewer/"],
        instead: "plimsoll_base::input",
    },
];

/// Paths of the standard library that a file names outside of its tests, with their lines.
#[derive(Default)]
struct Paths {
    found: Vec<(String, usize)>,
}

impl Paths {
    fn of(file: &syn::File) -> Vec<(String, usize)> {
        let mut paths = Self::default();
        paths.visit_file(file);
        paths.found.retain(|(path, _)| path.starts_with("std::"));
        paths.found
    }

    fn tree(&mut self, tree: &UseTree, prefix: &str) {
        let line = tree.span().start().line;
        match tree {
            UseTree::Path(path) => self.tree(&path.tree, &format!("{prefix}{}::", path.ident)),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, prefix)),
            UseTree::Name(name) if name.ident == "self" => self.found.push((prefix.trim_end_matches(':').to_owned(), line)),
            UseTree::Name(name) => self.found.push((format!("{prefix}{}", name.ident), line)),
            UseTree::Rename(name) => self.found.push((format!("{prefix}{}", name.ident), line)),
            UseTree::Glob(_) => self.found.push((prefix.to_owned(), line)),
        }
    }
}

impl Visit<'_> for Paths {
    fn visit_attribute(&mut self, _: &Attribute) {}

    fn visit_item(&mut self, item: &Item) {
        if !is_test_only(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        self.tree(&item.tree, "");
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.found.push((names.join("::"), path.span().start().line));
        visit::visit_path(self, path);
    }
}

impl Seam {
    /// Whether `path` is, or is part of, what the seam hides; a glob ends with `::` and may bring any of it.
    fn hides(&self, path: &str) -> bool {
        let is_within = |hidden: &str| path.strip_prefix(hidden).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        self.paths.iter().any(|hidden| is_within(hidden) || path.ends_with("::") && hidden.starts_with(path))
    }
}

#[test]
fn clock_and_disk_are_used_only_behind_their_seams() {
    let sources = sources();
    let violations = SEAMS.iter().flat_map(|seam| {
        let is_allowed = |path: &str| path.ends_with("/tests.rs") || seam.allowed.iter().any(|place| path.starts_with(place));
        let others = sources.iter().filter(move |source| !is_allowed(&source.path));
        others.flat_map(move |Source { path, parsed, .. }| {
            let hidden = Paths::of(parsed).into_iter().filter(|(name, _)| seam.hides(name));
            hidden.map(move |(name, line)| format!("{path}:{line}: {name} instead of {}", seam.instead))
        })
    });
    none(&violations.collect::<Vec<_>>());
}

#[test]
fn the_search_finds_each_kind_of_path() {
    let found = |text: &str| {
        let paths = Paths::of(&syn::parse_file(text).expect("Rust"));
        SEAMS.iter().flat_map(|seam| paths.iter().filter(|(path, _)| seam.hides(path))).count()
    };
    for text in [
        "use std::time::Instant;",
        "use std::{io, time::{Duration, Instant as Moment}};",
        "use std::{fs::{self}, io};",
        "fn f() { std::fs::read(path); }",
        "use std::time::*;",
        "fn f() -> std::time::Instant { g() }",
        "fn f() { std::time::SystemTime::now(); }",
    ] {
        assert_eq!(found(text), 1, "{text}");
    }
    assert_eq!(found("use std::time::Duration; #[cfg(test)] mod tests { use std::time::Instant; }"), 0);
}
