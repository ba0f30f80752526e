//! Scenes are the same from memory as from the disk, and so are the messages of bad ones.

use std::{
    fs,
    path::{Path, PathBuf},
};

use plimsoll_base::input::{Disk, FileMap, Files};
use plimsoll_scene::Scene;

use super::scenes::scenes_under;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// All files under `folder`.
fn files_under(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder can be read").map(|entry| entry.expect("an entry can be read").path());
    entries.flat_map(|path| if path.is_dir() { files_under(&path) } else { vec![path] }).collect()
}

fn below_root(path: &Path) -> &Path {
    path.strip_prefix(root()).expect("a path in the package")
}

/// Scenes and meshes of the package in memory, by their paths in it.
fn in_memory() -> FileMap {
    let files = ["meshes", "scenes", "tests/scenes"].into_iter().flat_map(|folder| files_under(&root().join(folder)));
    files.map(|path| (below_root(&path).to_owned(), fs::read(&path).expect("a file can be read"))).collect()
}

/// All that was loaded as text, or the message, with paths in the package.
fn loaded(files: &dyn Files, path: &Path) -> String {
    let text = Scene::load_from(files, path).map_or_else(|error| error.to_string(), |scene| format!("{scene:?}"));
    // The system has its own words for a folder that is not there.
    text.replace(&format!("{}/", root().display()), "").replace("No such file or directory (os error 2)", "no such folder")
}

/// Compares what is loaded of each scene in `folder`; at least `count` of them.
fn compare(folder: &str, count: usize) {
    let files = in_memory();
    let scenes = scenes_under(&root().join(folder));
    assert!(scenes.len() >= count, "{} scenes", scenes.len());
    for path in scenes {
        let (on_disk, in_memory) = (loaded(&Disk, &path), loaded(&files, below_root(&path)));
        let place = on_disk.bytes().zip(in_memory.bytes()).take_while(|(one, other)| one == other).count();
        let around = |text: &str| text.chars().skip(place.saturating_sub(200)).take(300).collect::<String>();
        assert!(on_disk == in_memory, "{}:\n{}\n{}", path.display(), around(&on_disk), around(&in_memory));
    }
}

#[test]
fn shipped_scenes_are_the_same_from_memory() {
    compare("scenes", 40);
}

#[test]
fn good_scenes_of_the_tests_are_the_same_from_memory() {
    compare("tests/scenes/good", 3);
}

#[test]
fn messages_are_the_same_from_memory() {
    compare("tests/scenes/bad", 300);
}

#[test]
fn missing_names_are_reported_with_file_and_line() {
    let scene = fs::read(root().join("scenes/fluid/deforming.toml")).expect("a shipped scene");
    let alone: FileMap = [("scenes/fluid/deforming.toml", scene)].into_iter().collect();
    let message = |name: &str| Scene::load_from(&alone, Path::new(name)).expect_err("a file is missing").to_string();
    let problems = message("scenes/fluid/deforming.toml");
    assert!(problems.contains("no such folder") && problems.contains("scenes/fluid/deforming.toml:"), "{problems}");
    assert_eq!(message("none.toml"), "none.toml: found no such file, expected a readable scene file in TOML (UTF-8)");
}
