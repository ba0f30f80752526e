//! Every scene in `tests/scenes/bad` is refused with exactly the message that stands at its top.

use std::{
    fs,
    path::{Path, PathBuf},
};

use plimsoll::scene::Scene;

const FOLDER: &str = "tests/scenes/bad";
const MARK: &str = "# expect: ";

/// Least number of bad scenes, so that a lost folder is noticed.
const LEAST_SCENES: usize = 30;

/// Paths relative to the package, in order of their names.
fn bad_scenes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let entries = fs::read_dir(folder).expect("the folder of bad scenes can be read");
    let mut names = entries.map(|entry| entry.expect("an entry can be read").file_name()).collect::<Vec<_>>();
    names.sort();
    names.into_iter().map(|name| Path::new(FOLDER).join(name)).collect()
}

/// What the comments at the top of the scene say its error is.
fn expected_message(text: &str) -> String {
    text.lines().map_while(|line| line.strip_prefix(MARK)).collect::<Vec<_>>().join("\n")
}

#[test]
fn each_bad_scene_is_refused_with_its_message() {
    std::env::set_current_dir(env!("CARGO_MANIFEST_DIR")).expect("the package has a folder");
    let scenes = bad_scenes();
    assert!(scenes.len() >= LEAST_SCENES, "{} bad scenes", scenes.len());
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
