//! Rules of the code base: floors import only from floors below, files of a module do not import each other in cycles, and docs name only
//! things that exist.

#[path = "tidy/cycles.rs"]
mod cycles;
#[path = "tidy/docs.rs"]
mod docs;
#[path = "tidy/floors.rs"]
mod floors;
#[path = "tidy/graph.rs"]
mod graph;
#[path = "tidy/imports.rs"]
mod imports;
#[path = "tidy/markdown.rs"]
mod markdown;
#[path = "tidy/names.rs"]
mod names;
#[path = "tidy/promises.rs"]
mod promises;
#[path = "tidy/scene_keys.rs"]
mod scene_keys;
#[path = "tidy/size.rs"]
mod size;
#[path = "tidy/unsafe_code.rs"]
mod unsafe_code;

use std::{
    fs,
    path::{Path, PathBuf},
};

use walkdir::WalkDir;

/// A Rust file of `src`.
struct Source {
    /// Path within the package: `src/fluid/wall/edge.rs`.
    path: String,
    /// `["fluid", "wall", "edge"]`; empty for the two crate roots.
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
    let below = path.strip_prefix("src/").expect("a source").trim_end_matches(".rs");
    let mut module: Vec<String> = below.split('/').map(str::to_owned).collect();
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

/// Every Rust file in `src`; parsed each time, because the results of `syn` cannot be shared between threads.
fn sources() -> Vec<Source> {
    let sources: Vec<_> = files_under("src").iter().map(|path| Source::new(path, &read(path))).collect();
    assert!(sources.len() > 50, "{} sources", sources.len());
    sources
}

/// Fails with one line for each entry of `wrong`.
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
