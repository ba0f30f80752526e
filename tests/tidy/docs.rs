//! Everything that the docs name exists, and every count in them is correct.

use std::{collections::BTreeSet, process::Command, sync::OnceLock};

use crate::{
    files_under,
    markdown::{Page, Piece},
    none, package, read,
};

/// Folders of the repository whose files the docs may name.
const FOLDERS: [&str; 10] = ["src", "crates", "tests", "docs", "scenes", "meshes", "examples", "tools", "benches", ".ci"];
/// Files that the docs ask the reader to create.
const TO_BE_MADE: [&str; 1] = ["scenes/first.toml"];
/// What the docs count, as the words after the number.
const COUNTED: [&str; 4] = ["tests", "crates", "scenes", "lines of code"];

/// Numbers in the docs: the page, the text around the number, and its correct value.
const COUNTS: [(&str, &str, &str, Count); 10] = [
    ("docs/validation.md", "`cargo test --release --test scene bad_scenes::` | ", " scenes", Count::Files("tests/scenes/bad", "toml")),
    ("docs/validation.md", "`cargo test --release --test scene scenes::` | ", " scenes", Count::Files("scenes", "toml")),
    ("docs/architecture.md", "| none | F0 to F4, `validation` | ", " crates", Count::Crates(&["--no-default-features"])),
    (
        "docs/architecture.md",
        "| `files` | `scene`, `output`, `run` | ",
        " crates",
        Count::Crates(&["--no-default-features", "--features", "files"]),
    ),
    ("docs/architecture.md", "| `plot` | `plot` | ", " crates", Count::Crates(&["--no-default-features", "--features", "plot"])),
    ("docs/architecture.md", "| `surface` | `surface` | ", " crates", Count::Crates(&["--no-default-features", "--features", "surface"])),
    ("docs/architecture.md", "| `cli` (default) | `cli` and the program | ", " crates", Count::Crates(&[])),
    ("docs/architecture.md", "| `viewer` | `viewer` | ", " crates", Count::Crates(&["--features", "viewer"])),
    ("README.md", "the simulators alone: ", " crates", Count::Crates(&["--no-default-features"])),
    ("README.md", "in place of the program's ", ".", Count::Crates(&[])),
];

/// How to count.
enum Count {
    /// Files under a folder with an extension.
    Files(&'static str, &'static str),
    /// Packages required by a build with these arguments, including this one, on Linux.
    Crates(&'static [&'static str]),
}

impl Count {
    /// Absent if it cannot be determined.
    fn count(&self) -> Option<usize> {
        match self {
            Self::Files(folder, extension) => {
                Some(files_under(folder).iter().filter(|path| path.ends_with(&format!(".{extension}"))).count())
            }
            Self::Crates(arguments) if cfg!(all(target_os = "linux", target_arch = "x86_64")) => {
                let arguments =
                    [&["tree", "-p", "plimsoll", "--offline", "--locked", "--edges", "normal", "--prefix", "none"], *arguments].concat();
                let output = Command::new(env!("CARGO")).args(arguments).current_dir(package()).output().ok()?;
                let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
                Some(text.lines().map(|line| line.trim_end_matches(" (*)")).collect::<BTreeSet<_>>().len())
            }
            Self::Crates(_) => None,
        }
    }
}

fn pages() -> &'static [Page] {
    static PAGES: OnceLock<Vec<Page>> = OnceLock::new();
    PAGES.get_or_init(|| {
        let docs = files_under("docs").into_iter().filter(|path| path.ends_with(".md"));
        let pages: Vec<Page> =
            docs.chain(["README.md", "meshes/README.md"].map(str::to_owned)).map(|path| Page::new(&path, &read(&path))).collect();
        assert!(pages.len() > 15, "{} pages", pages.len());
        pages
    })
}

/// All files of the repository and their folders, relative to the package.
fn repository() -> &'static BTreeSet<String> {
    static REPOSITORY: OnceLock<BTreeSet<String>> = OnceLock::new();
    REPOSITORY.get_or_init(|| {
        let roots = ["README.md", "CHANGELOG.md", "Cargo.toml", "Cargo.lock", "LICENSE-MIT", "LICENSE-APACHE", "rustfmt.toml"];
        let files = FOLDERS.into_iter().flat_map(files_under).chain(roots.map(str::to_owned));
        let with_folders = |file: String| {
            let ends: Vec<usize> = file.match_indices('/').map(|(end, _)| end).chain([file.len()]).collect();
            ends.into_iter().map(|end| file[..end].to_owned()).collect::<Vec<_>>()
        };
        files.flat_map(with_folders).collect()
    })
}

/// `target` relative to the folder of `page`.
fn from_page(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/').filter(|part| !part.is_empty()) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Links of `page` to a missing file or heading.
fn broken_links(page: &Page, files: &BTreeSet<String>, pages: &[Page]) -> Vec<String> {
    let broken = |Piece { line, text }: &Piece| {
        if text.contains("://") || text.starts_with("mailto:") {
            return None;
        }
        let (target, anchor) = text.split_once('#').unwrap_or((text, ""));
        let target = if target.is_empty() { page.path.clone() } else { from_page(&page.path, target) };
        let has_anchor = || {
            let linked = pages.iter().find(|other| other.path == target);
            anchor.is_empty() || linked.is_some_and(|linked| linked.anchors.contains(anchor))
        };
        (!files.contains(&target) || !has_anchor()).then(|| format!("{} line {line}: no {text}", page.path))
    };
    page.links.iter().filter_map(broken).collect()
}

/// Paths in code that do not exist. A path begins with a folder of the repository, or names a Rust file.
fn broken_paths(page: &Page, files: &BTreeSet<String>) -> Vec<String> {
    let in_blocks = page.blocks.iter().flat_map(|(_, block)| {
        let words = block.text.split_whitespace().map(|word| word.trim_matches(['"', ',', '\'', '(', ')', ';']));
        words.filter(|word| word.starts_with("scenes/") || word.starts_with("meshes/")).map(|word| (block.line, word.to_owned()))
    });
    let in_prose = page.codes.iter().map(|code| (code.line, code.text.clone()));
    let broken = |(line, text): (usize, String)| {
        let path = text.trim_end_matches('/');
        let is_plain = path.chars().all(|character| character.is_alphanumeric() || "._-/".contains(character));
        let of_folder = text.contains('/') && FOLDERS.contains(&path.split('/').next().unwrap_or(""));
        let exists = if of_folder {
            files.contains(path) || TO_BE_MADE.contains(&path)
        } else if path.ends_with(".rs") {
            files.iter().any(|file| file.ends_with(&format!("/{path}")))
        } else {
            true
        };
        (is_plain && !exists).then(|| format!("{} line {line}: no `{text}`", page.path))
    };
    in_prose.chain(in_blocks).filter_map(broken).collect()
}

/// Tests, examples and benchmarks named in commands that do not exist.
fn broken_commands(page: &Page, files: &BTreeSet<String>) -> Vec<String> {
    let folders = |flag: &str| match flag {
        "--test" => &["tests/"] as &[&str],
        "--bench" => &["benches/"],
        "--example" => &["examples/", "tools/"],
        _ => &[],
    };
    let blocks = page.blocks.iter().map(|(_, block)| block);
    let texts = page.codes.iter().chain(blocks).map(|piece| (piece.line, piece.text.split_whitespace().collect::<Vec<_>>()));
    let broken = |(line, words): (usize, Vec<&str>)| {
        let pairs: Vec<(&str, &str)> = words.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let missing = pairs.into_iter().filter(|(flag, name)| {
            let ends = |folder: &str| [format!("{folder}{name}.rs"), format!("{folder}{name}/main.rs")];
            let is_at =
                |file: &str, end: &str| file.strip_suffix(end).is_some_and(|before| before.is_empty() || before.starts_with("crates/"));
            let exists = |folder: &&str| files.iter().any(|file| ends(folder).iter().any(|end| is_at(file, end)));
            !folders(flag).is_empty()
                && name.chars().all(|character| character.is_alphanumeric() || character == '_')
                && !folders(flag).iter().any(exists)
        });
        missing.map(|(flag, name)| format!("{} line {line}: no {flag} {name}", page.path)).collect::<Vec<_>>()
    };
    texts.flat_map(broken).collect()
}

/// Crates that the diagram in `architecture.md` shows but that are not there, and those that it does not show.
fn misdrawn_house(block: &str, files: &BTreeSet<String>) -> Vec<String> {
    let rows = block.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names = rows.flat_map(|row| row.split("  ").next().unwrap_or("").split(", "));
    let shown: BTreeSet<String> = names.map(|name| format!("crates/{}", name.trim_end_matches('/'))).collect();
    let here: BTreeSet<String> =
        files.iter().filter(|file| file.starts_with("crates/") && file.matches('/').count() == 1).cloned().collect();
    let missing = shown.difference(&here).map(|name| format!("docs/architecture.md shows {name}, which is not there"));
    missing.chain(here.difference(&shown).map(|name| format!("docs/architecture.md does not show {name}"))).collect()
}

/// The number between `before` and `after` in a page.
fn stated(page: &Page, before: &str, after: &str) -> Option<usize> {
    let number = page.prose.iter().find_map(|piece| piece.text.split_once(before)?.1.split_once(after))?.0;
    number.replace(',', "").parse().ok()
}

/// Counts that are wrong or missing.
fn wrong_count(page: &Page, before: &str, after: &str, actual: usize) -> Option<String> {
    match stated(page, before, after) {
        None => Some(format!("{} has no number in \"{before}…{after}\": take it out of COUNTS", page.path)),
        Some(number) => (number != actual).then(|| format!("{} says \"{before}{number}{after}\", but there are {actual}", page.path)),
    }
}

/// Counts in a page that are not listed, so that nothing would check them.
fn unchecked_counts(page: &Page, counts: &[(&str, &str)]) -> Vec<String> {
    let unchecked = |Piece { line, text }: &Piece| {
        if counts.iter().any(|(before, _)| text.contains(before)) {
            return None;
        }
        let found = COUNTED.into_iter().find(|words| {
            text.match_indices(&format!(" {words}")).any(|(place, _)| text[..place].ends_with(|character: char| character.is_ascii_digit()))
        });
        found.map(|words| format!("{} line {line} states a number of {words} that no test checks", page.path))
    };
    page.prose.iter().filter_map(unchecked).collect()
}

#[test]
fn links_lead_somewhere() {
    none(&pages().iter().flat_map(|page| broken_links(page, repository(), pages())).collect::<Vec<_>>());
}

#[test]
fn paths_in_pages_exist() {
    none(&pages().iter().flat_map(|page| broken_paths(page, repository())).collect::<Vec<_>>());
}

#[test]
fn commands_in_pages_name_what_exists() {
    none(&pages().iter().flat_map(|page| broken_commands(page, repository())).collect::<Vec<_>>());
}

#[test]
fn the_page_on_architecture_shows_the_house() {
    let page = pages().iter().find(|page| page.path == "docs/architecture.md").expect("the page");
    none(&misdrawn_house(&page.blocks.first().expect("the house").1.text, repository()));
}

#[test]
fn counts_in_pages_are_right() {
    let mut wrong = Vec::new();
    for (path, before, after, count) in &COUNTS {
        let page = pages().iter().find(|page| page.path == *path).expect("a page");
        wrong.extend(count.count().and_then(|actual| wrong_count(page, before, after, actual)));
    }
    for page in pages() {
        let counts: Vec<(&str, &str)> =
            COUNTS.iter().filter(|(path, ..)| *path == page.path).map(|&(_, before, after, _)| (before, after)).collect();
        wrong.extend(unchecked_counts(page, &counts));
    }
    none(&wrong);
}

#[test]
fn the_readme_shows_the_example_that_is_compiled() {
    let page = pages().iter().find(|page| page.path == "README.md").expect("the page");
    let shown: Vec<&str> = page.blocks.iter().filter(|(language, _)| language == "rust").map(|(_, block)| block.text.as_str()).collect();
    assert_eq!(shown, [read("examples/floating_box.rs")]);
}

#[test]
fn what_does_not_exist_is_found() {
    let files: BTreeSet<String> =
        ["src", "src/fluid", "src/fluid/step.rs", "docs/a.md", "crates/fluid/tests/wall.rs", "tests/program/main.rs", "tools/gas/main.rs"]
            .map(str::to_owned)
            .into();
    let page = |text: &str| Page::new("docs/a.md", text);
    let links = |text: &str| broken_links(&page(text), &files, &[page("# One two")]).len();
    assert_eq!(links("[a](../src/fluid/step.rs) [b](a.md#one-two) [c](#one-two) [d](https://x.org/y) [e](.)"), 1);
    assert_eq!(links("[a](b.md) [b](#two) [c](../src/gone.rs) ![d](gone.png)"), 4);
    let paths = |text: &str| broken_paths(&page(text), &files).len();
    assert_eq!(
        paths("`src/fluid/` `step.rs` `fluid/step.rs` `a/b` `x.md` `scenes/first.toml` `src/*.rs`\n```\nrun scenes/first.toml\n```"),
        0
    );
    assert_eq!(paths("`src/gas/` `gone.rs` `fluid/gone.rs`\n```\nrun scenes/gone.toml\n```"), 4);
    let commands = |text: &str| broken_commands(&page(text), &files).len();
    assert_eq!(
        commands("`cargo test --test wall` `cargo test --test program` `cargo run --example gas -- x` `cargo bench --bench NAME…`"),
        0
    );
    assert_eq!(commands("`cargo test --test gone`\n```\ncargo run --example wall\ncargo bench --bench gone\n```"), 3);
    let house: BTreeSet<String> = ["src/lib.rs", "crates/fluid", "crates/fluid/src", "crates/run"].map(str::to_owned).into();
    assert!(misdrawn_house("src/\ncrates/\n  fluid/    F4\n  run/   F5\nmeshes/  samples\n", &house).is_empty());
    assert_eq!(misdrawn_house("crates/\n  gas/  F4\n  run/  F5\n", &house).len(), 2);
}

#[test]
fn wrong_counts_are_found() {
    let page = Page::new("docs/a.md", "| all | 1,158 scenes, whole |\nabout 300 crates\nIn 1999 tests were few, scenes of 3 lines");
    assert_eq!(wrong_count(&page, "| all | ", " scenes", 1158), None);
    assert!(wrong_count(&page, "| all | ", " scenes", 1159).is_some());
    assert!(wrong_count(&page, "| none | ", " scenes", 1158).is_some());
    assert_eq!(unchecked_counts(&page, &[("| all | ", " scenes")]).len(), 2);
    assert!(unchecked_counts(&page, &[("| all | ", ""), ("about ", ""), ("In ", "")]).is_empty());
}
