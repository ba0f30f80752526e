//! Rules of the code base: files of a crate do not import each other in cycles, and docs name only things that exist.

mod crates;
mod cycles;
mod dependencies;
mod docs;
mod graph;
mod imports;
mod markdown;
mod names;
mod promises;
mod scene_keys;
mod seams;
mod size;
mod unsafe_code;

use std::{
    fs,
    path::{Path, PathBuf},
};

use walkdir::WalkDir;

/// A Rust file of a crate.
struct Source {
    /// Path within the repository: `crates/fluid/src/walls/edge.rs`.
    path: String,
    /// The crate and its modules: `["fluid", "walls", "edge"]`.
    module: Vec<String>,
    text: String,
    parsed: syn::File,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self { path: path.to_owned(), module: module_of(path), text: text.to_owned(), parsed }
    }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn module_of(path: &str) -> Vec<String> {
    let (of_crate, below) = path.strip_prefix("crates/").unwrap_or(path).split_once("src/").expect("a source");
    let of_crate = if of_crate.is_empty() { "plimsoll" } else { of_crate.trim_end_matches('/') };
    let below = below.trim_end_matches(".rs").split('/');
    let mut module: Vec<String> = [of_crate].into_iter().chain(below).map(str::to_owned).collect();
    module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
    module
}

/// All files under a folder of the package, as paths within the package with `/` as separator.
fn files_under(folder: &str) -> Vec<String> {
    let entries = WalkDir::new(package().join(folder)).sort_by_file_name().into_iter().map(|entry| entry.expect("a folder can be read"));
    let below = |path: &Path| path.strip_prefix(package()).expect("a path below the package").to_string_lossy().replace('\\', "/");
    entries.filter(|entry| entry.file_type().is_file()).map(|entry| below(entry.path())).collect()
}

fn read(path: &str) -> String {
    let full: PathBuf = package().join(path);
    fs::read_to_string(&full).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether `path` belongs to a crate, and not to its tests.
fn is_source(path: &str) -> bool {
    let mut folders = path.split('/');
    let folder = match folders.next() {
        Some("crates") => folders.nth(1),
        first => first,
    };
    folder == Some("src") && path.ends_with(".rs")
}

/// Every Rust file of all crates; parsed each time, because the results of `syn` cannot be shared between threads.
fn sources() -> Vec<Source> {
    let files = ["src", "crates"].into_iter().flat_map(files_under).filter(|path| is_source(path));
    let sources: Vec<_> = files.map(|path| Source::new(&path, &read(&path))).collect();
    assert!(sources.len() > 500, "{} sources", sources.len());
    sources
}

/// Fails with one line for each entry of `wrong`.
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
