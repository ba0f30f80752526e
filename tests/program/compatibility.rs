//! Files that earlier versions wrote are read by this one. `tests/frozen/<version>` holds scenes and, for each, the folder of a run that stopped
//! halfway: `plimsoll run <name>.toml --until <half> --out <name>`. They are never written again: a change that cannot read them needs a new
//! format number and code for the old one, and each release adds a folder of its own.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use plimsoll_contract::frame::name_and_unit;
use walkdir::WalkDir;

const RUNS: [&str; 6] = ["fluid", "weakly_compressible", "gas", "grains", "aggregates", "blocks"];
/// Quantities of the last row that must have the value of a whole run of this version: a part of the state that were not read would change them.
const COMPARED: [&str; 5] = ["time", "kinetic_energy", "momentum_x", "particles", "potential_energy"];

fn versions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen");
    let versions: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    assert!(!versions.is_empty());
    versions
}

/// A copy of all that the version wrote, which runs may change.
fn thawed(version: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in WalkDir::new(version).min_depth(1) {
        let entry = entry.unwrap();
        let target = copy.path().join(entry.path().strip_prefix(version).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
    copy
}

/// Runs the program; returns what it wrote to both streams.
#[track_caller]
fn plimsoll(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).current_dir(folder).stdin(Stdio::null()).args(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].map(|stream| String::from_utf8(stream).unwrap()).concat();
    assert!(output.status.success(), "{arguments:?}: {text}");
    text
}

/// The rows of a table, by name of the column without unit, which tables of earlier versions do not have.
fn rows(path: &Path) -> Vec<BTreeMap<String, f64>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let names = reader.headers().unwrap().clone();
    let row = |record: csv::StringRecord| {
        names.iter().zip(record.iter()).filter_map(|(name, value)| Some((name_and_unit(name).0.to_owned(), value.parse().ok()?))).collect()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

#[test]
fn runs_of_earlier_versions_go_on() {
    for version in versions() {
        let folder = thawed(&version);
        for name in RUNS {
            let table = folder.path().join(name).join("diagnostics.csv");
            let before = rows(&table).len();
            let text = plimsoll(folder.path(), &["run", "--resume", name]);
            assert!(!text.contains("warning: checkpoint") && !text.contains("missing"), "{name}: {text}");
            // Earlier versions rounded the layers of a fill down: three of 3.5.
            let scene = fs::read_to_string(folder.path().join(format!("{name}.toml")))
                .unwrap()
                .replace("max = [0.75, 0.35, 0.5]", "max = [0.75, 0.3, 0.5]");
            fs::write(folder.path().join("whole.toml"), scene).unwrap();
            plimsoll(folder.path(), &["run", "whole.toml", "--out", "whole"]);
            let [resumed, whole] = [&table, &folder.path().join("whole/diagnostics.csv")].map(|path| rows(path));
            assert!(resumed.len() > before, "{name}: {before} rows, then {}", resumed.len());
            let compared: Vec<&str> = COMPARED.into_iter().filter(|&column| whole[0].contains_key(column)).collect();
            assert!(compared.len() >= 4, "{name}: {compared:?}");
            // Rounding may change with the code; a scene or a state that is read differently changes far more. The fluid of the first half was computed
            // by the earlier version, whose bodies and waves move less.
            let scale = |column: &str| whole.iter().map(|row| row[column].abs()).fold(0.0, f64::max);
            for column in compared {
                let tolerance = match (name, column) {
                    ("fluid", "kinetic_energy") => 0.15,
                    ("fluid", _) => 0.05,
                    _ => 0.01,
                };
                let [ours, theirs] = [&resumed, &whole].map(|rows| rows.last().unwrap()[column]);
                assert!(
                    (ours - theirs).abs() <= tolerance * scale(column),
                    "{name}: {column} is {ours} after the resume and {theirs} of a whole run"
                );
            }
            fs::remove_dir_all(folder.path().join("whole")).unwrap();
        }
    }
}

#[test]
fn frames_and_tables_of_earlier_versions_are_read() {
    for version in versions() {
        let folder = thawed(&version);
        for name in RUNS {
            plimsoll(folder.path(), &["plot", name]);
            assert!(folder.path().join(name).join("plots").read_dir().unwrap().count() > 1, "{name}");
        }
        let text = plimsoll(folder.path(), &["surface", "fluid"]);
        assert!(folder.path().join("fluid/surface_000002.vtu").exists(), "{text}");
        fs::write(folder.path().join("probes.toml"), "[[probe]]\nname = \"all\"\nmeasures = \"fluid\"\n").unwrap();
        plimsoll(folder.path(), &["measure", "fluid", "probes.toml", "--out", "measured"]);
        let measured = rows(&folder.path().join("measured/all.csv"));
        // 442 particles of 1 kg begin with 0.1 m/s.
        assert_eq!(measured.len(), 3);
        assert!((measured[0]["momentum_x"] / 44.2 - 1.0).abs() < 1e-6, "{measured:?}");
    }
}

#[test]
fn states_of_earlier_versions_start_new_runs() {
    for version in versions() {
        let folder = thawed(&version);
        let scene = fs::read_to_string(folder.path().join("fluid.toml")).unwrap();
        let fill = scene.find("[[fluid.fill]]").unwrap()..scene.find("[[fluid.emitter]]").unwrap();
        let started = [&scene[..fill.start], &scene[fill.end..]].concat().replacen(
            "seed = 3",
            "seed = 3\nstart_from = \"fluid\"\nstart_time = 0.1",
            1,
        );
        fs::write(folder.path().join("started.toml"), started).unwrap();
        let text = plimsoll(folder.path(), &["run", "started.toml", "--until", "0.15", "--out", "started"]);
        assert!(text.contains("434 particles, writing"), "{text}");
    }
}
