//! The program as a process: exit codes, messages, files; interrupted and resumed runs.

mod control_characters;
mod damage;

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use plimsoll_contract::simulator::Unwatched;
use plimsoll_output::{RunInfo, RunResult};
use plimsoll_run::{Progress, Run, RunFolder, RunPlan, Simulation, Status};
use plimsoll_scene::Scene;

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// A small block of fluid with a raft on it, falling towards a static cube; `duration` seconds long, frames every 0.02 s.
fn scene(folder: &Path, duration: f64) -> PathBuf {
    fs::write(folder.join("cube.obj"), CUBE).unwrap();
    let path = folder.join("falling.toml");
    let text = format!(
        "title = \"Falling block\"\nsimulator = \"fluid\"\nduration = {duration}\nframes_per_second = 50\nseed = 7\n\n\
         [fluid]\nparticle_radius = 0.02\n\n[fluid.time_step]\nmaximum = 0.002\n\n\
         [[fluid.fill]]\nbox = {{ min = [0, 1.1, 0], max = [0.2, 1.3, 0.2] }}\n\n\
         [[body]]\nname = \"cube\"\nmesh = \"cube.obj\"\nkind = \"static\"\n\n\
         [[body]]\nname = \"raft\"\nmesh = \"cube.obj\"\nscale = 0.1\nposition = [0.05, 1.33, 0.03]\nkind = \"floating\"\ndensity = 500\n"
    );
    fs::write(&path, text).unwrap();
    path
}

fn plimsoll(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    plimsoll(folder).args(arguments).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}"))
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn assert_code(output: &Output, expected: i32) {
    assert_eq!(code(output), expected, "{}\n{}", String::from_utf8_lossy(&output.stdout), stderr(output));
}

/// Contents of all files that do not depend on the clock; diagnostics without wall times, which are the last columns.
fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut results = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        assert!(!name.ends_with(".tmp"), "{name} left over");
        if ["run.json", "run.lock", "checkpoint.plimsoll", "checkpoint.previous.plimsoll"].contains(&name.as_str()) {
            continue;
        }
        let mut bytes = fs::read(entry.path()).unwrap();
        if name == "diagnostics.csv" {
            let text = String::from_utf8(bytes).unwrap();
            let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
            assert_eq!(*names.last().unwrap(), "wall_seconds");
            let timeless = names.iter().position(|name| name.ends_with("_seconds")).unwrap();
            assert!(names[timeless..].iter().all(|name| name.ends_with("_seconds")));
            let cut = |line: &str| line.split(',').take(timeless).collect::<Vec<_>>().join(",");
            bytes = text.lines().map(cut).collect::<Vec<_>>().join("\n").into_bytes();
        }
        results.insert(name, bytes);
    }
    results
}

#[track_caller]
fn assert_same_results(one: &Path, other: &Path) {
    let (one, other) = (results(one), results(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(bytes == &other[name], "{name} differs");
    }
}

fn info(folder: &Path) -> RunInfo {
    RunInfo::read(&folder.join("run.json")).unwrap()
}

/// Waits until `done` while `child` runs.
fn wait_for(child: &mut Child, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(child.try_wait().unwrap().is_none(), "ended too early");
        assert!(start.elapsed() < Duration::from_secs(120), "waited too long");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn run_writes_everything() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.1);
    let output = run(folder.path(), &["run", "falling.toml", "--format", "ply", "--format", "vtk", "--threads", "1"]);
    assert_code(&output, 0);
    let out = folder.path().join("out/falling");
    let results = results(&out);
    let mut names: Vec<String> = ["bodies.csv", "bodies.pvd", "diagnostics.csv", "particles.pvd"].map(String::from).to_vec();
    for frame in 0..6 {
        names.extend(["bodies", "particles"].iter().flat_map(|series| ["ply", "vtu"].map(|end| format!("{series}_{frame:06}.{end}"))));
    }
    names.sort();
    assert_eq!(results.keys().cloned().collect::<Vec<_>>(), names);
    let info = info(&out);
    assert_eq!((info.result, info.frames, info.time, info.seed), (RunResult::Completed, 6, 0.1, 7));
    assert_eq!(info.title, "Falling block");
    assert_eq!(info.machine.threads, 1);
    assert_eq!(info.scene.text, fs::read_to_string(folder.path().join("falling.toml")).unwrap());
    assert_eq!(info.settings["fluid"]["particle_radius"], 0.02);
    let rows = String::from_utf8(results["diagnostics.csv"].clone()).unwrap();
    assert_eq!(rows.lines().count() as u64, 1 + info.steps);
    assert!(rows.lines().last().unwrap().starts_with(&format!("{},0.1,", info.steps)), "{rows}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("6 frames") && shown.contains("paraview out/falling/particles.pvd out/falling/bodies.pvd"), "{shown}");
}

#[test]
fn earlier_runs_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.02);
    assert_code(&run(folder.path(), &["run", "falling.toml"]), 0);
    let first = fs::read(folder.path().join("out/falling/run.json")).unwrap();
    let second = run(folder.path(), &["run", "falling.toml"]);
    assert_code(&second, 0);
    assert!(stderr(&second).contains("out/falling contains an earlier run"), "{}", stderr(&second));
    assert_eq!(info(&folder.path().join("out/falling-2")).result, RunResult::Completed);
    let third = run(folder.path(), &["run", "falling.toml", "--out", "out/falling"]);
    assert_code(&third, 2);
    assert!(stderr(&third).contains("out/falling: the folder contains an earlier run"), "{}", stderr(&third));
    assert_eq!(fs::read(folder.path().join("out/falling/run.json")).unwrap(), first);
}

#[test]
fn bad_input_exits_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene(folder.path(), 0.02);
    let bad = fs::read_to_string(&path).unwrap().replace("particle_radius = 0.02", "particle_radius = -1");
    fs::write(folder.path().join("bad.toml"), bad).unwrap();
    fs::write(folder.path().join("open.obj"), CUBE.replace("f 4 1 5 8\n", "")).unwrap();
    for (arguments, expected) in [
        (&["run"][..], "Usage"),
        (&["run", "falling.toml", "--resume", "out"], "cannot be used with"),
        (&["run", "falling.toml", "--until", "-1"], "expected a positive number"),
        (&["run", "falling.toml", "--threads", "0"], "--threads"),
        (&["run", "falling.toml", "--format", "obj"], "vtk, ply"),
        (&["run", "nowhere.toml"], "nowhere.toml: cannot read"),
        (&["run", "bad.toml"], "bad.toml:8: fluid.particle_radius: found -1"),
        (&["check", "bad.toml"], "bad.toml:8: fluid.particle_radius: found -1"),
        (&["run", "--resume", "nowhere"], "nowhere: missing run.json"),
        (&["inspect", "nowhere.obj"], "nowhere.obj"),
        (&["inspect", "open.obj", "--draft", "0.3"], "open.obj: found 4 open edges"),
        (&["inspect", "cube.obj", "--draft", "1.5"], "cube.obj: found a draft of 1.5 m, expected more than 0 and less than 1 m"),
        (
            &["inspect", "cube.obj", "--body-density", "1200"],
            "cube.obj: the body sinks: its mass is 1200 kg, but it displaces at most 1000 kg",
        ),
        (&["inspect", "cube.obj", "--mass", "1100", "--water-density", "1025"], "displaces at most 1025 kg"),
        (&["inspect", "cube.obj", "--draft", "0.3", "--mass", "300"], "cannot be used with"),
        (&["inspect", "cube.obj", "--mass", "-3"], "found \"-3\", expected a number above zero"),
        (&["inspect", "cube.obj", "--water-density", "1025"], "--draft"),
        (&["inspect", "cube.obj", "--mass", "300", "--center-of-gravity", "0,1"], "expected three numbers separated by commas"),
        (&["inspect", "cube.obj", "--mass", "300", "--bow", "y"], "expected x, -x, z or -z"),
        (&["inspect", "cube.obj", "--mass", "300", "--plot", "arms.pdf"], "expected a file name that ends in .svg or .png"),
    ] {
        let output = run(folder.path(), arguments);
        assert_code(&output, 2);
        assert!(stderr(&output).contains(expected), "{arguments:?} says {}", stderr(&output));
    }
    assert!(!folder.path().join("out").exists());
}

/// What only the setup finds is a warning of `check` and of the start of a run, beside what the scene itself shows.
#[test]
fn volumes_levels_and_tensions_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    let text = "title = \"Pool\"\nsimulator = \"fluid\"\nduration = 0.01\nframes_per_second = 100\n\n[fluid]\nparticle_radius = 0.02\n\n\
                [[fluid.fill]]\nbox = { min = [0, 0, 0], max = [0.4, 0.19, 0.4] }\n\n\
                [[body]]\nname = \"raft\"\nmesh = \"cube.obj\"\nscale = 0.1\nposition = [0.1, 0.2, 0.1]\nkind = \"floating\"\ndensity = 500\n\n\
                [[mooring]]\nname = \"bow\"\nbody = \"raft\"\nattachment = [0.15, 0.2, 0.15]\nanchor = [0.15, 0, 0.15]\nlength = 0.15\n\
                axial_stiffness = 300\n";
    fs::write(folder.path().join("pool.toml"), text).unwrap();
    fs::write(folder.path().join("stiff.toml"), text.replace("= 300", "= 3e9")).unwrap();
    let crumb = "[[fluid.fill]]\nsphere = { center = [0.2, 0.5, 0.2], radius = 0.0275 }\n\n[[body]]";
    fs::write(folder.path().join("crumb.toml"), text.replacen("[[body]]", crumb, 1)).unwrap();
    let fill = "crumb.toml:12: fluid.fill[2]: the particles have 6.400e-5 m³ instead of 8.711e-5 m³ (-26.5 %): particles 0.04 m in diameter follow \
                the shape only roughly";
    let output = run(folder.path(), &["check", "crumb.toml"]);
    assert_code(&output, 0);
    let shown = String::from_utf8(output.stdout).unwrap();
    let facts = [
        "fill 1: 0.0304 m³, up to y = 0.19 m\n",
        "fill 2: 6.400e-5 m³ of 8.711e-5 m³\n",
        "mean density 0.",
        "bow: raft, straight, 0.15 m, tension 100 N\n",
    ];
    for expected in facts {
        assert!(shown.contains(expected), "missing {expected}: {shown}");
    }
    assert_eq!(shown.matches("warning: ").count(), 1, "{shown}");
    assert!(shown.contains(&format!("warning: {fill}\n")), "{shown}");
    let stiff = run(folder.path(), &["check", "stiff.toml"]);
    let shown = String::from_utf8(stiff.stdout).unwrap();
    let expected = "warning: stiff.toml:20: mooring[1]: the line pulls body \"raft\" of 0.5 kg with 1.000e9 N at the start, up to a speed of 10000 m/s: \
                    steps of about 2.000e-6 s instead of up to 0.005 s";
    assert!(shown.contains(expected), "missing {expected}: {shown}");

    let output = run(folder.path(), &["run", "crumb.toml", "--out", "pool"]);
    assert_code(&output, 0);
    let shown = stderr(&output);
    assert!(shown.contains(&format!("warning: {fill}\n")) && facts.iter().all(|fact| shown.contains(fact)), "{shown}");
}

/// Segments of a box are flat, and so are their boxes. The water at the waist of an hourglass has no area.
#[test]
fn inspect_prints_only_numbers() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("box.obj"), CUBE).unwrap();
    let base = |y: i32| format!("v -1 {y} -1\nv 1 {y} -1\nv 1 {y} 1\nv -1 {y} 1\n");
    let faces = "f 1 2 3 4\nf 9 2 1\nf 9 3 2\nf 9 4 3\nf 9 1 4\nf 8 7 6 5\nf 9 5 6\nf 9 6 7\nf 9 7 8\nf 9 8 5\n";
    fs::write(folder.path().join("hourglass.obj"), format!("{}{}v 0 0 0\n{faces}", base(-1), base(1))).unwrap();
    for arguments in
        [&["box.obj"][..], &["box.obj", "--draft", "0.5"], &["hourglass.obj"], &["hourglass.obj", "--draft", "1", "--fixed-trim"]]
    {
        let output = run(folder.path(), &[&["inspect"], arguments].concat());
        assert_code(&output, 0);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{arguments:?}: {text}");
    }
}

#[test]
fn inspect_prints_hydrostatics_only_for_a_loading() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.obj"), CUBE).unwrap();
    let shown = |arguments: &[&str]| {
        let output = run(folder.path(), &[&["inspect", "log.obj"], arguments].concat());
        assert_code(&output, 0);
        String::from_utf8(output.stdout).unwrap()
    };
    let files = || {
        let entries = fs::read_dir(folder.path().join("out")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<std::collections::BTreeSet<_>>()
    };
    let plain = shown(&[]);
    assert!(plain.contains("Segments") && !plain.contains("Hydrostatics") && !plain.contains("righting"), "{plain}");
    assert_eq!(files().into_iter().collect::<Vec<_>>(), ["log_segments.ply"]);

    // A square log that is not stable upright; the water is dense.
    let scale = ["--scale", "8,1,1", "--body-density", "512.5", "--water-density", "1025"];
    let tilted = shown(&scale);
    for expected in [
        "Hydrostatics, upright (bow +x, water 1025 kg/m³)",
        "mass                       4100.0 kg",
        "displaced volume           4.0000 m³",
        "waterline length           8.0000 m",
        "KB                        0.25000 m",
        "BM_T                      0.16667 m",
        "GM_T                    -0.083333 m",
        "Unstable equilibrium, upright",
        "Stable equilibrium, heeled",
        "heel                      45.0000°, starboard down",
        "draft                     0.70711 m, of the lowest point",
        "angle of loll               45.00°",
        "vanishing angle             90.00°",
    ] {
        assert!(tilted.contains(expected), "missing {expected}: {tilted}");
    }
    assert_eq!(files().into_iter().collect::<Vec<_>>(), ["log_righting_arms.csv", "log_righting_arms.svg", "log_segments.ply"]);
    let table = fs::read_to_string(folder.path().join("out/log_righting_arms.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    assert_eq!(rows.headers().unwrap().iter().take(3).collect::<Vec<_>>(), ["heel_degrees", "trim_degrees", "righting_arm [m]"]);
    let rows: Vec<Vec<f64>> = rows.records().map(|row| row.unwrap().iter().map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 181);
    assert!((rows[30][0] - 30.0).abs() < 1e-9 && rows[30][2] < 0.0 && rows[60][2] > 0.0 && rows[120][2] < 0.0);
    assert!(fs::read_to_string(folder.path().join("out/log_righting_arms.svg")).unwrap().contains("initial slope"));

    // A draft, and another center of gravity, bow and names of files.
    let low = ["--draft", "0.25", "--center-of-gravity", "0.5,0.1,0.5", "--bow=-z", "--fixed-trim", "--csv", "a.csv", "--plot", "b.png"];
    let low = shown(&low);
    for expected in
        ["bow -z", "mass                       250.00 kg", "Stable equilibrium, upright", "KG                        0.10000 m", "no trim"]
    {
        assert!(low.contains(expected), "missing {expected}: {low}");
    }
    assert!(fs::read(folder.path().join("b.png")).unwrap().starts_with(b"\x89PNG") && folder.path().join("a.csv").exists());
}

#[test]
fn check_tells_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.1);
    let output = run(folder.path(), &["check", "falling.toml"]);
    assert_code(&output, 0);
    let shown = String::from_utf8(output.stdout).unwrap();
    for expected in ["Falling block", "0.1 s", "6 at 50 per second", "cube: static, 12 triangles in "] {
        assert!(shown.contains(expected), "{shown}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn check_does_not_settle_fluid() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene(folder.path(), 0.1);
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("particle_radius = 0.02\n", "particle_radius = 0.02\nsettle = true\n"))
        .unwrap();
    let output = run(folder.path(), &["check", "falling.toml"]);
    assert_code(&output, 0);
    assert!(!stderr(&output).contains("settling fluid"), "{}", stderr(&output));
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("particles 125 of radius 0.02 m") && shown.contains("  settling  when a run starts; not simulated by check\n"),
        "{shown}"
    );
}

#[test]
fn a_run_that_ended_early_goes_on_as_if_it_had_not() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.2);
    assert_code(&run(folder.path(), &["run", "falling.toml", "--out", "whole"]), 0);
    assert_code(&run(folder.path(), &["run", "falling.toml", "--out", "parts", "--until", "0.06"]), 0);
    let parts = folder.path().join("parts");
    assert_eq!((info(&parts).frames, info(&parts).time), (4, 0.06));
    // Rows and frames past the checkpoint, as a killed run leaves them.
    let mut rows = fs::read_to_string(parts.join("diagnostics.csv")).unwrap();
    let last = rows.lines().last().unwrap().to_owned();
    let (step, rest) = last.split_once(',').unwrap();
    rows += &format!("{},{rest}\n{},0.", step.parse::<u64>().unwrap() + 1, step.parse::<u64>().unwrap() + 2);
    fs::write(parts.join("diagnostics.csv"), rows).unwrap();
    fs::write(parts.join("particles_000004.vtu"), "half a fra").unwrap();
    let output = run(folder.path(), &["run", "--resume", "parts", "--threads", "2"]);
    assert_code(&output, 0);
    assert_same_results(&folder.path().join("whole"), &parts);
    assert_eq!(info(&parts).resumed.len(), 1);
    assert_eq!(info(&parts).steps, info(&folder.path().join("whole")).steps);
}

#[test]
fn a_completed_run_can_go_on_beyond_its_end() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.04);
    assert_code(&run(folder.path(), &["run", "falling.toml", "--out", "whole", "--until", "0.1"]), 0);
    assert_code(&run(folder.path(), &["run", "falling.toml", "--out", "parts"]), 0);
    assert_code(&run(folder.path(), &["run", "--resume", "parts"]), 0);
    assert_eq!(info(&folder.path().join("parts")).frames, 3);
    assert_code(&run(folder.path(), &["run", "--resume", "parts", "--until", "0.1"]), 0);
    assert_same_results(&folder.path().join("whole"), &folder.path().join("parts"));
}

#[test]
fn a_run_may_end_between_frames() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.1);
    assert_code(&run(folder.path(), &["run", "falling.toml", "--out", "parts", "--until", "0.05", "--frames-per-second", "40"]), 0);
    let parts = folder.path().join("parts");
    assert_eq!((info(&parts).frames, info(&parts).time), (3, 0.05));
    assert_code(&run(folder.path(), &["run", "--resume", "parts", "--until", "0.07"]), 0);
    assert_eq!((info(&parts).frames, info(&parts).time), (3, 0.07));
    assert_code(&run(folder.path(), &["run", "--resume", "parts"]), 0);
    assert_eq!((info(&parts).frames, info(&parts).time), (5, 0.1));
    let collection = fs::read_to_string(parts.join("particles.pvd")).unwrap();
    let times: Vec<&str> = collection.lines().filter_map(|line| line.split_once("timestep=\"")?.1.split('"').next()).collect();
    assert_eq!(times, ["0.0", "0.025", "0.05", "0.075", "0.1"]);
}

/// Sends signal `name` to a run after its third frame.
#[cfg(unix)]
fn signalled(folder: &Path, out: &str, name: &str) -> Output {
    let mut child =
        plimsoll(folder).args(["run", "falling.toml", "--out", out]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&mut child, || folder.join(out).join("particles_000002.vtu").exists());
    assert!(Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

/// Settling 20,000 particles takes many seconds: it shows progress, and Ctrl-C ends it before anything is written.
#[cfg(unix)]
#[test]
fn setup_shows_progress_and_can_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let head = |simulator: &str| format!("title = \"Large\"\nsimulator = \"{simulator}\"\nduration = 1.0\nframes_per_second = 50\n\n");
    let pool = "[fluid]\nparticle_radius = 0.01\nsettle = true\n\n[[fluid.fill]]\nbox = { min = [0, 0, 0], max = [0.54, 0.54, 0.54] }\n";
    let spheres = "[gas]\nbox = { min = [0, 0, 0], max = [1, 1, 1] }\n\n[[gas.group]]\ncount = 3000000\nradius = 0.0023\nmass = 1.0\ntemperature = 1.0\n";
    // Cutting the rock is part of reading the scene.
    let rock = "[blocks]\n\n[[blocks.material]]\nname = \"rock\"\ndensity = 2600\nyoung_modulus = 2e9\n\n[[blocks.joint]]\nfriction_angle = 30\n\n\
        [[blocks.region]]\noutline = [[0, 0], [24, 0], [14, 20], [0, 20]]\n\
        joint_set = [{ angle = -40, spacing = 0.03 }, { angle = 62, spacing = 0.03 }]\n";
    for (simulator, text) in [("fluid", pool), ("gas", spheres), ("blocks", rock)] {
        fs::write(folder.path().join("large.toml"), head(simulator) + text).unwrap();
        let mut child = plimsoll(folder.path()).args(["run", "large.toml"]).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let progress = lines.find(|line| line.starts_with("preparing: ")).expect("progress");
        let reads = simulator == "blocks";
        assert!(progress.ends_with(if reads { "reading large.toml" } else { "%" }), "{progress}");
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let rest: Vec<String> = lines.collect();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{rest:?}");
        assert!(rest.iter().any(|line| line.contains("interrupted before the first step, nothing was written")), "{rest:?}");
        assert!(!folder.path().join("out").exists());
    }
}

#[cfg(unix)]
#[test]
fn interrupted_runs_go_on_as_if_they_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 1.0);
    assert_code(&run(folder.path(), &["run", "falling.toml", "--out", "whole"]), 0);
    for signal in ["INT", "TERM"] {
        let output = signalled(folder.path(), signal, signal);
        assert_code(&output, 0);
        let parts = folder.path().join(signal);
        let halfway = info(&parts);
        assert_eq!(halfway.result, RunResult::Interrupted);
        assert!(halfway.time < 1.0, "the run was over before the signal came");
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains(&format!("plimsoll run --resume {signal}")), "{shown}");
        assert_code(&run(folder.path(), &["run", "--resume", signal]), 0);
        assert_same_results(&folder.path().join("whole"), &parts);
        assert_eq!(info(&parts).result, RunResult::Completed);
    }
}

#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene(folder.path(), 2.0);
    let text = fs::read_to_string(&path).unwrap() + "\n[output]\ncheckpoint_interval = 0.01\n";
    fs::write(&path, text).unwrap();
    assert_code(&run(folder.path(), &["run", "falling.toml", "--out", "whole"]), 0);
    let mut child = plimsoll(folder.path()).args(["run", "falling.toml", "--out", "parts"]).stderr(Stdio::null()).spawn().unwrap();
    let parts = folder.path().join("parts");
    wait_for(&mut child, || parts.join("checkpoint.plimsoll").exists() && parts.join("particles_000002.vtu").exists());
    let busy = run(folder.path(), &["run", "--resume", "parts"]);
    assert_code(&busy, 2);
    assert!(stderr(&busy).contains("still in progress"), "{}", stderr(&busy));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(info(&parts).result, RunResult::Running);
    assert_code(&run(folder.path(), &["run", "--resume", "parts"]), 0);
    assert_same_results(&folder.path().join("whole"), &parts);
}

#[test]
fn a_file_that_cannot_be_written_fails_the_run() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.1);
    let out = folder.path().join("out");
    fs::create_dir_all(out.join("particles_000002.vtu")).unwrap();
    let output = run(folder.path(), &["run", "falling.toml", "--out", "out"]);
    assert_code(&output, 1);
    assert!(stderr(&output).contains("out/particles_000002.vtu: cannot write"), "{}", stderr(&output));
    let info = info(&out);
    assert_eq!(info.result, RunResult::Failed);
    assert!(info.error.unwrap().contains("particles_000002.vtu"));
}

/// The reader of the output has gone, or the device is full: the run continues.
#[test]
fn no_failing_write_to_a_terminal_ends_a_run() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), 0.1);
    let arguments = |out| ["run", "falling.toml", "--out", out];
    let mut closed = plimsoll(folder.path()).args(arguments("closed")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop((closed.stdout.take(), closed.stderr.take()));
    assert!(closed.wait().unwrap().success());
    assert_eq!(info(&folder.path().join("closed")).result, RunResult::Completed);
    // Only where this device exists.
    if let (Ok(output), Ok(error)) =
        (fs::OpenOptions::new().write(true).open("/dev/full"), fs::OpenOptions::new().write(true).open("/dev/full"))
    {
        let status = plimsoll(folder.path()).args(arguments("full")).stdout(output).stderr(error).status().unwrap();
        // Nobody could read the summary: a script must notice.
        assert_eq!(status.code(), Some(1));
        assert_eq!(info(&folder.path().join("full")).result, RunResult::Completed);
    }
}

/// A lid presses water out of a full tank. The run ends with a message: what happened, why, what to change and where to resume.
#[test]
fn bench_prints_a_row_for_each_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["bench", "--particles", "2000", "--threads", "2"]);
    assert_code(&output, 0);
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| line.starts_with('|')).map(|line| line.split('|').map(str::trim).collect()).collect();
    assert_eq!(rows.len(), 4, "{text}");
    for (row, threads) in rows[2..].iter().zip(["1", "2"]) {
        assert_eq!(row[2], threads, "{text}");
        let numbers: Vec<f64> = row[4..8].iter().map(|cell| cell.parse().unwrap()).collect();
        // A column of water that falls and spreads needs sweeps.
        assert!(numbers[0] > 4.0 && numbers.iter().all(|&number| number > 0.0), "{text}");
    }
    // Rows of the same size simulate the same.
    assert_eq!((rows[2][1], rows[2][4]), (rows[3][1], rows[3][4]), "{text}");
    assert_code(&run(folder.path(), &["bench", "--particles", "10"]), 2);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "it writes no files");
}

#[test]
fn what_cannot_be_simulated_ends_with_an_explanation() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    let tank = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/small_tank.obj");
    let text = "title = \"Press\"\nsimulator = \"fluid\"\nduration = 2\nframes_per_second = 50\n\n\
         [fluid]\nparticle_radius = 0.05\n\n[[fluid.fill]]\nbox = { min = [0, 0, 0], max = [1, 0.6, 1] }\n\n\
         [[body]]\nname = \"tank\"\nmesh = \"TANK\"\nkind = \"static\"\n\n\
         [[body]]\nname = \"press\"\nmesh = \"cube.obj\"\nscale = [0.99, 0.1, 0.99]\nposition = [0.005, 0.7, 0.005]\nkind = \"moving\"\n\
         motion = { type = \"constant\", linear = [0, -0.5, 0] }\n";
    fs::write(folder.path().join("press.toml"), text.replace("TANK", &tank.display().to_string())).unwrap();
    let output = run(folder.path(), &["run", "press.toml", "--out", "out"]);
    assert_code(&output, 1);
    let message = stderr(&output);
    for part in
        ["compressed by", "s, step ", "Likely cause: body \"press\" moves", "Try: ", "last good checkpoint: out/checkpoint.plimsoll at 0.0"]
    {
        assert!(message.contains(part), "{part}: {message}");
    }
    let info = info(&folder.path().join("out"));
    assert_eq!(info.result, RunResult::Failed);
    assert!(info.error.unwrap().contains("compressed by"));
    // Up to shortly before, the run can be resumed and completes.
    assert_code(&run(folder.path(), &["run", "--resume", "out", "--until", "0.1"]), 0);
}

/// The result of a simulator for absurdly high velocities is either finite or an error.
#[test]
fn no_frame_holds_what_is_not_finite() {
    let folder = tempfile::tempdir().unwrap();
    let text = "title = \"Shot\"\nsimulator = \"grains\"\nduration = 0.02\nframes_per_second = 50\n\n[grains]\n\
         box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n\n[[grains.material]]\nname = \"glass\"\ndensity = 2500\nyoung_modulus = 1e7\n\
         poisson_ratio = 0.25\nrestitution = 0.6\nfriction = 0.4\n\n[[grains.group]]\nmaterial = \"glass\"\ncount = 50\nradius = 0.004\nvelocity = [1e6, 1e5, 0]\n";
    fs::write(folder.path().join("shot.toml"), text).unwrap();
    let output = run(folder.path(), &["run", "shot.toml", "--out", "out"]);
    // The first step in which a grain may pass through something ends the run, before anything overflows.
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("may pass through"), "{}", stderr(&output));
    let rows = fs::read_to_string(folder.path().join("out/diagnostics.csv")).unwrap();
    assert!(!rows.contains("NaN") && !rows.contains("inf"), "{rows}");
}

struct PanicsAtStep(u64);

impl Progress for PanicsAtStep {
    fn update(&mut self, status: &Status) {
        assert!(status.steps < self.0, "out of luck");
    }

    fn finish(&mut self) {}
}

#[test]
fn a_panic_between_steps_is_recorded_and_leaves_the_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene(folder.path(), 0.1);
    let scene = Scene::load(&path).unwrap();
    let plan = RunPlan::new(&scene, fs::read_to_string(&path).unwrap());
    let out = folder.path().join("out");
    let still = AtomicBool::new(false);
    let run = Run::start(plan, Simulation::new(scene.definition, &Unwatched).unwrap(), RunFolder::claim(&out).unwrap()).unwrap();
    run.go(Some(0.02), &still, &mut PanicsAtStep(u64::MAX)).unwrap();
    let checkpoint = fs::read(out.join("checkpoint.plimsoll")).unwrap();
    let run = Run::resume(&out).unwrap();
    let steps = run.simulation().steps();
    let error = run.go(None, &still, &mut PanicsAtStep(steps + 3)).unwrap_err();
    assert!(!error.is_bad_input());
    assert!(error.to_string().contains("out of luck"), "{error}");
    let info = info(&out);
    assert_eq!((info.result, info.steps), (RunResult::Failed, steps + 3));
    assert!(info.error.unwrap().contains("out of luck"));
    assert!(fs::read(out.join("checkpoint.plimsoll")).unwrap() == checkpoint);
    let rows = fs::read_to_string(out.join("diagnostics.csv")).unwrap();
    assert_eq!(rows.lines().count() as u64, 1 + steps + 3);
}

#[cfg(not(feature = "viewer"))]
#[test]
fn without_the_viewer_its_commands_tell_how_to_get_it() {
    for command in ["view", "render"] {
        let output = run(Path::new("."), &[command, "scene.toml", "--out", "film.mp4"]);
        assert_code(&output, 2);
        assert!(stderr(&output).contains("--features viewer"), "{}", stderr(&output));
    }
}

/// A simulation that cannot continue ends with a message, not a panic, and keeps its results.
#[test]
fn a_run_that_cannot_go_on_exits_with_1() {
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in [("gas", "inelastic collapse"), ("blocks", "have no solution")] {
        let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/scenes/failing/{name}.toml"));
        let output = run(folder.path(), &["run", scene.to_str().unwrap()]);
        assert_code(&output, 1);
        let message = stderr(&output);
        assert!(message.contains(expected) && message.contains("Try:") && message.contains("last good checkpoint"), "{message}");
        assert!(!message.contains("panicked"), "{message}");
        assert!(folder.path().join(format!("out/{name}/checkpoint.plimsoll")).exists());
    }
}

/// Frames of several fluids name the fluid of each particle, and each fluid gets its own series of surfaces.
#[test]
fn each_of_several_fluids_gets_its_own_surfaces() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene(folder.path(), 0.04);
    let fluids = "[[fluid.material]]\nname = \"water\"\ndensity = 1000\n\n[[fluid.material]]\nname = \"oil\"\ndensity = 800\n\n\
                  [[fluid.fill]]\nbox = { min = [2, 0, 0], max = [2.2, 0.2, 0.2] }\nmaterial = \"oil\"\n\n[[fluid.fill]]";
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("[[fluid.fill]]", fluids, 1)).unwrap();
    for arguments in [&["run", "falling.toml", "--out", "out"][..], &["surface", "out", "--frames", "1"]] {
        let output = run(folder.path(), arguments);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    let surfaces = |series: &str| {
        let files = [format!("{series}.pvd"), format!("{series}_000001.vtu")];
        files.map(|name| folder.path().join("out").join(name).is_file())
    };
    assert_eq!(["surface", "surface_0", "surface_1", "surface_2"].map(surfaces), [[false; 2], [true; 2], [true; 2], [false; 2]]);
}
