//! The table of crates in docs/architecture.md is that of the manifests, which say who may use whom.

use std::collections::BTreeMap;

use crate::{files_under, none, read};

const PAGE: &str = "docs/architecture.md";

/// Crates of the workspace that a manifest names before `[dev-dependencies]`, in its order.
fn used(manifest: &str) -> Vec<String> {
    let normal = manifest.split("[dev-dependencies]").next().unwrap_or(manifest);
    let lines = normal.lines().filter_map(|line| line.strip_prefix("plimsoll-"));
    lines.filter_map(|line| line.split(['.', ' ']).next()).map(str::to_owned).collect()
}

/// The rows `| crate | content | uses |` of `page`, as the crate and what it uses.
fn shown(page: &str) -> BTreeMap<String, Vec<String>> {
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = page.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells = cells(line);
        let names = cells.last()?.split(", ").filter(|name| *name != "—").map(str::to_owned).collect();
        Some((cells.first()?.trim_matches('`').to_owned(), names))
    };
    rows.filter_map(row).collect()
}

#[test]
fn the_page_shows_what_the_manifests_say() {
    let manifests = files_under("crates").into_iter().filter_map(|path| {
        let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?.to_owned();
        Some((name, used(&read(&path))))
    });
    let manifests: BTreeMap<String, Vec<String>> = manifests.collect();
    let shown = shown(&read(PAGE));
    assert!(manifests.len() > 10, "{} crates", manifests.len());
    let wrong = manifests.iter().filter(|(name, used)| shown.get(*name) != Some(used));
    none(&wrong.map(|(name, used)| format!("{name} uses {}, but {PAGE} shows {:?}", used.join(", "), shown.get(name))).collect::<Vec<_>>());
    assert_eq!(manifests.len(), shown.len(), "{PAGE} shows crates that are not there");
}

/// Crates without tests of their own say so, because otherwise all their code is compiled a second time.
#[test]
fn only_crates_without_unit_tests_are_built_without() {
    let manifests: Vec<String> = files_under("crates").into_iter().filter(|path| path.ends_with("/Cargo.toml")).collect();
    let with_tests = |folder: &str| {
        let sources = files_under(folder).into_iter().filter(|path| path.ends_with(".rs"));
        sources.map(|path| read(&path)).any(|text| text.contains("#[cfg(test)]"))
    };
    let wrong = manifests.iter().filter(|path| {
        let without = read(path).contains("[lib]\ntest = false\n");
        without == with_tests(&format!("{}src", path.trim_end_matches("Cargo.toml")))
    });
    none(&wrong.map(|path| format!("{path}: `test = false` of [lib] belongs where no file has #[cfg(test)]")).collect::<Vec<_>>());
}

#[test]
fn tables_and_manifests_are_read() {
    let manifest = "[dependencies]\nplimsoll-base.workspace = true\nplimsoll-shape = { workspace = true }\nglam.workspace = true\n\n[dev-dependencies]\nplimsoll-run.workspace = true\n";
    assert_eq!(used(manifest), ["base", "shape"]);
    let shown = shown(
        "| a | b |\n\n| crate | content | uses |\n|---|---|---|\n| `base` | F0 | — |\n| `fluid` | water, sand | base, shape |\n\n| `no` | x | y |",
    );
    let expected = [("base", &[] as &[&str]), ("fluid", &["base", "shape"])];
    assert_eq!(shown, expected.map(|(name, used)| (name.to_owned(), used.iter().map(|&name| name.to_owned()).collect())).into());
}
