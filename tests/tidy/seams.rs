//! What a browser does not have is used only behind a seam: the clock and the disk of the standard library.

use crate::{Source, imports::paths, none, sources};

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

impl Seam {
    /// Whether `path` is, or is part of, what the seam hides; a glob may bring any of it.
    fn hides(&self, path: &str) -> bool {
        let is_within = |hidden: &str| path.strip_prefix(hidden).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        let may_bring = |hidden: &str| path.strip_suffix('*').is_some_and(|module| hidden.starts_with(module));
        self.paths.iter().any(|hidden| is_within(hidden) || may_bring(hidden))
    }

    /// What a file names outside of its tests that the seam hides, with the lines.
    fn hidden(&self, source: &Source) -> Vec<(String, usize)> {
        let named = paths(&source.parsed, &source.module, false, false).into_iter();
        named.map(|named| (named.path.join("::"), named.line)).filter(|(path, _)| self.hides(path)).collect()
    }
}

#[test]
fn clock_and_disk_are_used_only_behind_their_seams() {
    let sources = sources();
    let violations = SEAMS.iter().flat_map(|seam| {
        let is_allowed = |path: &str| path.ends_with("/tests.rs") || seam.allowed.iter().any(|place| path.starts_with(place));
        let others = sources.iter().filter(move |source| !is_allowed(&source.path));
        others.flat_map(move |source| {
            let name = |(name, line)| format!("{}:{line}: {name} instead of {}", source.path, seam.instead);
            seam.hidden(source).into_iter().map(name)
        })
    });
    none(&violations.collect::<Vec<_>>());
}

#[test]
fn the_search_finds_each_kind_of_path() {
    let found = |text: &str| {
        let source = Source::new("crates/gas/src/lib.rs", text);
        SEAMS.iter().map(|seam| seam.hidden(&source).len()).sum::<usize>()
    };
    for text in [
        "use std::time::Instant;",
        "use std::{io, time::{Duration, Instant as Moment}};",
        "use std::{fs::{self}, io};",
        "fn f() { std::fs::read(path); }",
        "use std::time::*;",
        "fn f() -> std::time::Instant { g() }",
        "fn f() { std::time::SystemTime::now(); }",
        "fn f() { assert!(std::fs::exists(path)); }",
    ] {
        assert_eq!(found(text), 1, "{text}");
    }
    assert_eq!(found("use std::time::Duration; #[cfg(test)] mod tests { use std::time::Instant; }"), 0);
}
