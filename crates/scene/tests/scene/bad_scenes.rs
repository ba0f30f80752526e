//! Every scene in `tests/scenes/bad` is rejected with exactly the message at its top.

use std::{
    fs,
    path::{Path, PathBuf},
};

use plimsoll_scene::Scene;

const FOLDER: &str = "tests/scenes/bad";
const MARK: &str = "# expect: ";

/// Minimum number of bad scenes, so that a missing folder is noticed.
const MIN_SCENES: usize = 30;

/// Paths relative to the package, sorted by name.
fn bad_scenes() -> Vec<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(FOLDER);
    let entries = fs::read_dir(folder).expect("the folder of bad scenes can be read");
    let mut names = entries.map(|entry| entry.expect("an entry can be read").file_name()).collect::<Vec<_>>();
    names.sort();
    names.into_iter().map(|name| Path::new(FOLDER).join(name)).collect()
}

/// The error message in the comments at the top of the scene.
fn expected_message(text: &str) -> String {
    text.lines().map_while(|line| line.strip_prefix(MARK)).collect::<Vec<_>>().join("\n")
}

#[test]
fn each_bad_scene_is_refused_with_its_message() {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).expect("the package has a folder");
    let scenes = bad_scenes();
    assert!(scenes.len() >= MIN_SCENES, "{} bad scenes", scenes.len());
    let mut failures = Vec::new();
    for path in scenes {
        let text = fs::read_to_string(&path).expect("a bad scene can be read");
        let expected = expected_message(&text);
        let found = Scene::load(&path).map_or_else(|error| error.to_string(), |_| "no error".to_owned());
        if expected != found {
            failures.push(format!("{}\n  expected\n{expected}\n  found\n{found}\n", path.display()));
        }
    }
    assert!(failures.is_empty(), "{} scenes:\n{}", failures.len(), failures.join("\n"));
}

/// The example of messages in the documentation is what is reported.
#[test]
fn the_documentation_shows_the_messages_that_are_reported() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let name = "scenes/fluid/dam_break.toml";
    let read = |name: &str| fs::read_to_string(root.join(name)).expect("a file of the package");
    let text = read(name).replacen("particle_radius = 0.02", "particle_radius = -0.02\ndensty = 1000", 1);
    let error = Scene::parse(&text, &root.join(name)).expect_err("two mistakes").to_string();
    let message = error.replace(&format!("{}/", root.display()), "");
    assert!(read("docs/scene.md").contains(&message), "{message}");
}

/// The last part of a dotted key without its number: `time` of `body "lift".motion.keyframe[3].time`.
fn last_part(key: &str) -> &str {
    let part = key.rsplit_once('.').map_or(key, |(_, part)| part);
    part.split(['[', ' ']).next().unwrap_or(part)
}

#[test]
fn each_line_named_holds_its_key_or_begins_its_table() {
    for path in bad_scenes() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path);
        let text = fs::read_to_string(&path).expect("a bad scene can be read");
        let error = Scene::load(&path).expect_err("a bad scene");
        for problem in error.problems.iter().filter(|problem| !problem.key.is_empty()) {
            let line = problem.line.and_then(|line| text.lines().nth(line - 1)).expect("a line of the file");
            let about_table = problem.found == "nothing" || line.starts_with('[');
            assert!(
                about_table && (line.starts_with('[') || problem.line == Some(1)) || line.contains(last_part(&problem.key)),
                "{problem}"
            );
        }
    }
}
