//! Every test that docs/reliability.md names exists.

use crate::{files_under, is_source, none, read};

const PAGE: &str = "docs/reliability.md";

/// The tests named in `text`, as file and name: two pieces of code, one after the other, in the second column of a table.
fn named(text: &str) -> Vec<(&str, &str)> {
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.rsplit_once(" | "));
    let tests = cells.filter(|(promise, _)| *promise != "promise").flat_map(|(_, tests)| tests.split(", "));
    // What is not of this form is no test, and is not found.
    tests.map(|test| test.strip_prefix('`').and_then(|test| test.strip_suffix('`')?.split_once("` `")).unwrap_or((test, ""))).collect()
}

/// Whether a test of this name is in the module `file` of the tests, or among the unit tests for `lib`.
fn exists(file: &str, name: &str) -> bool {
    let is_there = |path: &String| match file {
        "lib" => is_source(path),
        _ => path.contains("tests/") && path.trim_end_matches(".rs").split('/').any(|part| part == file),
    };
    let holds = |path: &String| {
        let text = read(path);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let is_test = |place: usize| lines[place.saturating_sub(4)..place].contains(&"#[test]");
        lines.iter().enumerate().any(|(place, line)| line.starts_with(&format!("fn {name}(")) && is_test(place))
    };
    ["crates", "src", "tests"]
        .into_iter()
        .flat_map(files_under)
        .filter(|path| path.ends_with(".rs"))
        .filter(is_there)
        .any(|path| holds(&path))
}

fn missing((file, name): &(&str, &str)) -> bool {
    !exists(file, name)
}

#[test]
fn each_promise_has_a_test() {
    let text = read(PAGE);
    let tests = named(&text);
    assert!(tests.len() > 30, "{} tests", tests.len());
    none(&tests.iter().filter(|test| missing(test)).map(|(file, name)| format!("{PAGE} names {file} {name}")).collect::<Vec<_>>());
    assert!(missing(&("gas", "gone")) && missing(&("gone", "each_promise_has_a_test")) && !missing(&("tidy", "each_promise_has_a_test")));
}
