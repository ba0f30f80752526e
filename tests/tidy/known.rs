//! Known exceptions. Entries are only ever removed: the tests fail if one is no longer needed.

/// Files of a module, named relative to `src/`, that import each other in a cycle.
pub const KNOWN_CYCLES: &[(&str, &[&str])] = &[];

/// Path prefixes of files that still name individual simulators where only the contract of `simulator.rs` should be known.
pub const PENDING_NAMES: &[&str] = &[];

/// Errors of files whose paths do not begin with an entry of `list`, and entries that no file needs.
pub fn but_for_pending(wrong: Vec<(String, Vec<String>)>, list: &[&str], name: &str) -> Vec<String> {
    let (pending, open): (Vec<_>, Vec<_>) = wrong.into_iter().partition(|(path, _)| list.iter().any(|start| path.starts_with(start)));
    let reports = open.iter().flat_map(|(path, wrong)| wrong.iter().map(move |wrong| format!("{path} {wrong}")));
    let needed = |start: &&&str| pending.iter().any(|(path, wrong)| path.starts_with(**start) && !wrong.is_empty());
    let outlived = list.iter().filter(|start| !needed(start)).map(|start| format!("take {start} out of {name}"));
    reports.chain(outlived).collect()
}

#[test]
fn pending_files_are_let_pass_and_outlived_entries_reported() {
    let wrong = |path: &str, count: usize| (path.to_owned(), vec!["is wrong".to_owned(); count]);
    let files = || vec![wrong("src/plot/a.rs", 1), wrong("src/plot/b.rs", 0), wrong("src/cli/check.rs", 0)];
    assert!(but_for_pending(files(), &["src/plot/"], "LIST").is_empty());
    assert_eq!(but_for_pending(files(), &[], "LIST"), ["src/plot/a.rs is wrong"]);
    assert_eq!(but_for_pending(files(), &["src/plot/", "src/cli/"], "LIST"), ["take src/cli/ out of LIST"]);
}
