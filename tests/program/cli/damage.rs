//! Runs whose files were damaged or lost, and what is not a file.

use std::{fs, path::Path, process::Output};

use super::{assert_code, assert_same_results, run, scene, stderr};

/// A whole run, and a folder with a run that stopped halfway, with a checkpoint and one before it.
fn halfway(folder: &Path) {
    scene(folder, 0.2);
    assert_code(&run(folder, &["run", "falling.toml", "--out", "whole"]), 0);
    assert_code(&run(folder, &["run", "falling.toml", "--out", "parts", "--until", "0.06"]), 0);
    assert_code(&run(folder, &["run", "--resume", "parts", "--until", "0.1"]), 0);
}

#[track_caller]
fn assert_says(output: &Output, code: i32, expected: &str) {
    assert_code(output, code);
    assert!(stderr(output).contains(expected), "{}", stderr(output));
}

#[test]
fn a_damaged_checkpoint_is_replaced_by_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    halfway(folder.path());
    let parts = folder.path().join("parts");
    let [last, previous] = ["checkpoint.plimsoll", "checkpoint.previous.plimsoll"].map(|name| parts.join(name));
    let whole = fs::read(&last).unwrap();
    fs::write(&last, &whole[..whole.len() - 10]).unwrap();
    let output = run(folder.path(), &["run", "--resume", "parts", "--until", "0.1"]);
    assert_says(&output, 0, "warning: parts/checkpoint.plimsoll: checkpoint is truncated: found ");
    assert_says(&output, 0, "the run resumes from the checkpoint before it\nresuming parts at 0.06 s");
    assert_eq!(fs::read(parts.join("checkpoint.damaged.plimsoll")).unwrap(), whole[..whole.len() - 10]);
    fs::remove_file(parts.join("checkpoint.damaged.plimsoll")).unwrap();
    // Power was cut between the two renames of a save.
    fs::remove_file(&last).unwrap();
    let output = run(folder.path(), &["run", "--resume", "parts"]);
    assert_says(&output, 0, "warning: parts/checkpoint.plimsoll: cannot read: No such file");
    assert_same_results(&folder.path().join("whole"), &parts);
    // Nothing is left to resume from.
    let both = [&last, &previous].map(|path| fs::read(path).unwrap());
    fs::write(&last, b"").unwrap();
    fs::write(&previous, &both[1][..100]).unwrap();
    assert_says(&run(folder.path(), &["run", "--resume", "parts"]), 2, "parts/checkpoint.previous.plimsoll: checkpoint is truncated");
    fs::remove_file(&previous).unwrap();
    assert_says(&run(folder.path(), &["run", "--resume", "parts"]), 2, "parts/checkpoint.plimsoll: not a checkpoint");
    fs::write(&last, &both[0]).unwrap();
    let record = parts.join("run.json");
    fs::write(&record, fs::read_to_string(&record).unwrap().replace("particle_radius = 0.02", "particle_radius = 0.03")).unwrap();
    assert_says(&run(folder.path(), &["run", "--resume", "parts"]), 2, "another scene");
}

#[test]
fn lost_rows_and_frames_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    halfway(folder.path());
    let parts = folder.path().join("parts");
    let table = parts.join("diagnostics.csv");
    let rows = fs::read_to_string(&table).unwrap();
    let cut: String = rows.lines().take(11).map(|line| format!("{line}\n")).collect();
    fs::write(&table, &cut).unwrap();
    fs::remove_file(parts.join("bodies.csv")).unwrap();
    fs::remove_file(parts.join("particles_000001.vtu")).unwrap();
    fs::remove_file(parts.join("bodies_000001.vtu")).unwrap();
    fs::write(parts.join("run.json.x.plimsoll.tmp"), "half").unwrap();
    let output = run(folder.path(), &["run", "--resume", "parts"]);
    for expected in [
        format!("warning: parts/diagnostics.csv: changed since the checkpoint: found {} bytes, expected {}", cut.len(), rows.len()),
        "rows up to step 10 are kept".to_owned(),
        "warning: parts/bodies.csv: missing; a new table begins after step ".to_owned(),
        "warning: parts: the file of frame 1 is missing".to_owned(),
    ] {
        assert_says(&output, 0, &expected);
    }
    assert!(!parts.join("run.json.x.plimsoll.tmp").exists());
    // The rest of the run is as it would have been.
    let tail = |folder: &str| {
        let text = fs::read_to_string(folder_of(&parts).join(folder).join("bodies.csv")).unwrap();
        text.lines().last().unwrap().to_owned()
    };
    assert_eq!(tail("parts"), tail("whole"));
}

fn folder_of(path: &Path) -> &Path {
    path.parent().expect("a folder")
}

#[test]
fn what_is_not_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder.toml")).unwrap();
    fs::create_dir(folder.path().join("folder.obj")).unwrap();
    assert_says(&run(folder.path(), &["check", "folder.toml"]), 2, "it is a folder, expected a file");
    assert_says(&run(folder.path(), &["inspect", "folder.obj"]), 2, "it is a folder, expected a file");
    assert_says(&run(folder.path(), &["check", "none.toml"]), 2, "No such file");
    #[cfg(unix)]
    {
        let pipe = folder.path().join("pipe.toml");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_says(&run(folder.path(), &["check", "pipe.toml"]), 2, "it is a pipe or a device, expected a regular file");
    }
    fs::write(folder.path().join("latin.toml"), b"title = \"ok\"\n# gr\xfcn\n").unwrap();
    assert_says(&run(folder.path(), &["check", "latin.toml"]), 2, "line 2 is not UTF-8");
}

#[test]
fn more_threads_than_any_machine_needs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.02);
    let output = run(folder.path(), &["run", "falling.toml", "--threads", "2000"]);
    assert_says(&output, 2, "--threads: found 2000, expected 1 to ");
    assert_code(&run(folder.path(), &["run", "falling.toml", "--threads", "64"]), 0);
}

/// The limit on the size of files is one of the shell `sh`, in blocks of 512 bytes.
#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_is_an_error_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.1);
    let command = format!("ulimit -f 20; exec {} run falling.toml --out out", env!("CARGO_BIN_EXE_plimsoll"));
    let output = std::process::Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output().unwrap();
    assert_says(&output, 1, "cannot write: File too large");
}

/// Less memory than the scene takes is found before anything is placed or written.
#[cfg(unix)]
#[test]
fn a_scene_that_takes_too_much_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene(folder.path(), 0.1);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("particle_radius = 0.02", "particle_radius = 0.0005")).unwrap();
    for command in ["run", "check"] {
        let command = format!("ulimit -v 3000000; exec {} {command} falling.toml", env!("CARGO_BIN_EXE_plimsoll"));
        let output = std::process::Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output().unwrap();
        assert_says(
            &output,
            2,
            "falling.toml: found a scene that takes about 6.4 GB of memory, expected at most 3.1 GB, the limit of this process (ulimit -v)",
        );
    }
    assert!(!folder.path().join("out").exists());
}

/// Results are written into a folder; something else in its place is bad input, and named.
#[test]
#[cfg(unix)]
fn what_is_no_folder_for_results_is_named() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.02);
    assert_code(&run(folder.path(), &["run", "falling.toml", "--out", "run"]), 0);
    fs::write(folder.path().join("file"), "").unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("link")).unwrap();
    for (out, expected) in [("file", "file: found a file"), ("file/x", "file: found a file"), ("link", "link: found a link to nothing")] {
        assert_says(&run(folder.path(), &["run", "falling.toml", "--out", out]), 2, &format!("error: {expected}, expected a folder"));
        for command in ["plot", "surface"] {
            assert_says(&run(folder.path(), &[command, "run", "--out", out]), 2, &format!("error: {expected}, expected a folder"));
        }
    }
}

#[test]
fn a_scene_that_was_edited_does_not_change_a_resumed_run() {
    let folder = tempfile::tempdir().unwrap();
    halfway(folder.path());
    scene(folder.path(), 0.3);
    let output = run(folder.path(), &["run", "--resume", "parts"]);
    assert_says(&output, 0, "warning: falling.toml: changed since the run began; the run continues with the original scene");
    assert_same_results(&folder.path().join("whole"), &folder.path().join("parts"));
}

#[test]
fn commands_that_are_shown_can_be_copied_into_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene(folder.path(), 0.02);
    let grids = ["plane", "all"]
        .map(|name| format!("\n[[grid]]\nname = \"{name}\"\nspacing = 0.1\nbox = {{ min = [0, 0, 0], max = [0.2, 1, 0.2] }}\n"));
    fs::write(&path, fs::read_to_string(&path).unwrap() + &grids.concat()).unwrap();
    let output = run(folder.path(), &["run", "falling.toml", "--out", "it's a run"]);
    assert_code(&output, 0);
    let shown = String::from_utf8(output.stdout).unwrap();
    let files = ["particles", "bodies", "grid_all", "grid_plane"].map(|name| format!(r"'it'\''s a run/{name}.pvd'"));
    assert!(shown.contains(&format!("view: paraview {}\n", files.join(" "))), "{shown}");
}
