//! What is checked of each reader when it gets damaged files. The fuzz targets in `fuzz/` and the tests in `tests/fuzz.rs` use the same checks.
// Each of them uses only a part of this.
#![allow(dead_code)]

mod checkpoints;
mod frames;
mod meshes;
mod mutation;
mod plots;
mod records;
mod scenes;
mod seeds;
mod tables;

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

pub use mutation::mutate;
pub use scenes::runs;

/// A reader of files.
pub struct Reader {
    /// Name of the fuzz target.
    pub name: &'static str,
    /// Reads the content of a file and panics if a promise is broken.
    pub check: fn(&[u8]),
    /// Good files, from which damaged ones are made.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All readers, by name.
pub const READERS: [Reader; 14] = [
    Reader { name: "bodies", check: tables::check_bodies, seeds: seeds::body_tables },
    Reader { name: "checkpoint", check: checkpoints::check, seeds: checkpoints::seeds },
    Reader { name: "collection", check: frames::check_collection, seeds: seeds::collections },
    Reader { name: "frames", check: frames::check, seeds: seeds::frames },
    Reader { name: "gltf", check: meshes::check_gltf, seeds: seeds::gltf },
    Reader { name: "motion", check: scenes::check_motion, seeds: seeds::motions },
    Reader { name: "obj", check: meshes::check_obj, seeds: seeds::obj },
    Reader { name: "plot", check: plots::check, seeds: seeds::tables },
    Reader { name: "ply", check: meshes::check_ply, seeds: seeds::ply },
    Reader { name: "probes", check: scenes::check_probes, seeds: seeds::probes },
    Reader { name: "record", check: records::check, seeds: seeds::records },
    Reader { name: "scene", check: scenes::check, seeds: seeds::scenes },
    Reader { name: "scene_run", check: scenes::check_run, seeds: seeds::small_scenes },
    Reader { name: "stl", check: meshes::check_stl, seeds: seeds::stl },
];

/// The reader `name`.
pub fn reader(name: &str) -> &'static Reader {
    READERS.iter().find(|reader| reader.name == name).unwrap_or_else(|| panic!("no reader {name}"))
}

/// The text of a glTF file with a tetrahedron at two nodes.
pub fn gltf_text() -> String {
    String::from_utf8(seeds::gltf().swap_remove(0)).expect("text")
}

/// The text of a scene with a gas.
pub fn gas_text() -> String {
    String::from_utf8(content("tests/scenes/good/every_key_of_a_gas.toml")).expect("text")
}

/// The text of a scene with an arch of blocks.
pub fn arch_text() -> String {
    String::from_utf8(content("scenes/blocks/arch.toml")).expect("text")
}

/// The text of a scene with every key of blocks.
pub fn blocks_text() -> String {
    String::from_utf8(content("tests/scenes/good/every_key_of_blocks.toml")).expect("text")
}

/// The table of the bodies of a run.
pub fn body_table() -> String {
    String::from_utf8(seeds::body_tables().swap_remove(0)).expect("text")
}

/// A run with frames in PLY or VTU files.
pub fn fluid_run(is_ply: bool) -> Folder {
    seeds::run(seeds::FORMATS[usize::from(is_ply)])
}

/// The folder of the repository; the package of the fuzz targets is a folder in it.
fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("meshes").is_dir()).expect("the repository")
}

/// The content of a file of the repository.
fn content(path: &str) -> Vec<u8> {
    fs::read(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A folder for the files of one reader.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and returns its path.
    pub fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).expect("a temporary file");
        path
    }
}

/// An error has a message.
fn assert_says_why(error: &dyn std::error::Error) {
    assert!(!error.to_string().trim().is_empty(), "an error without a message: {error:?}");
}
