//! Damaged files of each kind are read or refused: a short version of the fuzz targets in `fuzz/` that is the same every time.

#[path = "fuzz/readers/mod.rs"]
mod readers;
#[path = "fuzz/regressions.rs"]
mod regressions;

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    time::Instant,
};

use plimsoll::math::Random;
use readers::{READERS, mutate, reader, runs};
use walkdir::WalkDir;

/// A number of damaged files above that of the tests; a longer search without the fuzz targets.
const ROUNDS: &str = "FUZZ_ROUNDS";
/// Seconds that the reading of one small file may take; far more than it does, as others may use the machine.
const PATIENCE: f64 = 20.0;

/// Checks the seeds of a reader and `count` damaged files made of them. One that fails is kept in the folder for temporary files.
fn attack(name: &str, count: u64) {
    let reader = reader(name);
    let seeds = (reader.seeds)();
    seeds.iter().for_each(|seed| (reader.check)(seed));
    let rounds = std::env::var(ROUNDS).ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    for index in 0..count * rounds {
        let damaged = damaged(&seeds, index);
        let begun = Instant::now();
        let checked = catch_unwind(AssertUnwindSafe(|| (reader.check)(&damaged)));
        let seconds = begun.elapsed().as_secs_f64();
        if checked.is_err() || seconds > PATIENCE {
            let path = std::env::temp_dir().join(format!("{name}_{index}"));
            fs::write(&path, &damaged).expect("a temporary file");
            panic!("{name}: see {}, which took {seconds:.1} s", path.display());
        }
    }
}

/// Number `index` of the damaged files.
fn damaged(seeds: &[Vec<u8>], index: u64) -> Vec<u8> {
    mutate(&seeds[index as usize % seeds.len()], &mut Random::new(index))
}

/// Words of code that reads files.
const READS: [&str; 7] = ["input::read", "files.read(", "read_text(", "File::open(", "from_path(", "fs::read(", "fs::read_to_string("];
/// The files of the sources that read files, each with its reader.
const READING: [(&str, &str); 15] = [
    ("src/cli/measure.rs", "probes"),
    ("src/cli/run.rs", "scene"),
    ("crates/output/src/checkpoint/mod.rs", "checkpoint"),
    ("crates/output/src/recording.rs", "collection"),
    ("crates/output/src/recording/bodies.rs", "bodies"),
    ("crates/output/src/recording/grid.rs", "frames"),
    ("crates/output/src/recording/polygon.rs", "frames"),
    ("crates/output/src/run_info.rs", "record"),
    ("crates/output/src/table.rs", "bodies"),
    ("crates/plot/src/read.rs", "plot"),
    ("crates/scene/src/load.rs", "scene"),
    ("crates/scene/src/motion_file.rs", "motion"),
    ("crates/shape/src/import/gltf.rs", "gltf"),
    ("crates/shape/src/import/mod.rs", "obj"),
    ("crates/viewer/src/window/worker/session.rs", "scene"),
];
/// Files of the sources that read only what the system or this program has written (memory in use, folders, pictures of a film, the texts
/// of tests), or only compare what they read with what a run has recorded. `crates/base/src/input/` is what the others call.
const OTHERS: [&str; 7] = [
    "src/cli/bench.rs",
    "crates/base/src/input/disk.rs",
    "crates/base/src/input/mod.rs",
    "crates/output/src/file.rs",
    "crates/run/src/record.rs",
    "crates/scene/src/tests.rs",
    "crates/viewer/src/film/picture.rs",
];

/// The files under a folder of the repository, with their content, by path.
fn texts(folder: &str) -> Vec<(String, String)> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = WalkDir::new(package.join(folder)).sort_by_file_name().into_iter().map(|entry| entry.expect("a file"));
    let read = |path: &Path| {
        let name = path.strip_prefix(package).expect("a path in the package").to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(path).expect("a text"))
    };
    files.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "rs")).map(|entry| read(entry.path())).collect()
}

#[test]
fn each_file_of_the_sources_that_reads_has_a_fuzz_target() {
    let reads = |text: &str| {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        READS.iter().any(|word| code.lines().any(|line| line.contains(word) && !line.trim_start().starts_with("//")))
    };
    let sources = texts("src").into_iter().chain(texts("crates").into_iter().filter(|(path, _)| path.contains("/src/")));
    let mut reading: Vec<String> = sources.filter(|(_, text)| reads(text)).map(|(path, _)| path).collect();
    reading.sort();
    let mut known: Vec<&str> = READING.iter().map(|(path, _)| *path).chain(OTHERS).collect();
    known.sort_unstable();
    assert_eq!(reading, known, "give what reads files a fuzz target");
    let targets: Vec<(String, String)> =
        READERS.iter().map(|reader| (format!("fuzz/fuzz_targets/{}.rs", reader.name), reader.name.to_owned())).collect();
    let files = texts("fuzz/fuzz_targets");
    assert_eq!(files.iter().map(|(path, _)| path).collect::<Vec<_>>(), targets.iter().map(|(path, _)| path).collect::<Vec<_>>());
    let package = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/Cargo.toml")).expect("the package");
    for ((_, name), (path, text)) in targets.iter().zip(&files) {
        assert!(
            text.contains(&format!("target!(\"{name}\");")) && package.contains(&format!("path = \"fuzz_targets/{name}.rs\"")),
            "{path}"
        );
    }
    let has_target = |name: &str| READERS.iter().any(|reader| reader.name == name);
    assert!(READING.iter().all(|(_, name)| has_target(name)), "a reader without a target");
}

#[test]
fn damaged_obj_files() {
    attack("obj", 1000);
}

#[test]
fn damaged_stl_files() {
    attack("stl", 1000);
}

#[test]
fn damaged_ply_files() {
    attack("ply", 1000);
}

#[test]
fn damaged_gltf_files() {
    attack("gltf", 1000);
}

#[test]
fn damaged_scenes() {
    attack("scene", 1000);
}

#[test]
fn damaged_scenes_run() {
    let seeds = (reader("scene_run").seeds)();
    for text in seeds.iter().map(|seed| String::from_utf8_lossy(seed)) {
        assert!(runs(&text), "this scene does not run:\n{text}");
    }
    attack("scene_run", 400);
    let running = (0..400).filter(|&index| runs(&String::from_utf8_lossy(&damaged(&seeds, index)))).count();
    assert!(running > 40, "{running} of 400 damaged scenes run");
}

#[test]
fn damaged_motions() {
    attack("motion", 1000);
}

#[test]
fn damaged_probes() {
    attack("probes", 200);
}

#[test]
fn damaged_checkpoints() {
    attack("checkpoint", 400);
}

#[test]
fn damaged_frames() {
    attack("frames", 1000);
}

#[test]
fn damaged_lists_of_frames() {
    attack("collection", 300);
}

#[test]
fn damaged_tables_of_bodies() {
    attack("bodies", 300);
}

#[test]
fn damaged_tables_are_drawn() {
    attack("plot", 200);
}

#[test]
fn damaged_records() {
    attack("record", 200);
}
