//! The commands for finished runs, as processes: `plot` and `surface`.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_output::Recording;

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// A run of a small block of fluid with a raft on it, falling onto a static cube: frames 0 to 4.
fn recorded(folder: &Path) {
    fs::write(folder.join("cube.obj"), CUBE).unwrap();
    let scene = "title = \"Falling block\"\nsimulator = \"fluid\"\nduration = 0.08\nframes_per_second = 50\n\n\
        [fluid]\nparticle_radius = 0.02\n\n[fluid.time_step]\nmaximum = 0.002\n\n\
        [[fluid.fill]]\nbox = { min = [0, 1.02, 0], max = [0.2, 1.22, 0.2] }\n\n\
        [[body]]\nname = \"cube\"\nmesh = \"cube.obj\"\nkind = \"static\"\n\n\
        [[body]]\nname = \"raft\"\nmesh = \"cube.obj\"\nscale = 0.1\nposition = [0.05, 1.26, 0.03]\nkind = \"floating\"\ndensity = 500\n";
    fs::write(folder.join("falling.toml"), scene).unwrap();
    assert_code(&run(folder, &["run", "falling.toml", "--out", "run", "--format", "vtk", "--format", "ply"]), 0);
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn assert_code(output: &Output, expected: i32) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(expected), "{out}\n{err}");
    if expected == 0 { out } else { err }
}

#[test]
fn a_run_reads_back_the_same_from_either_format() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path());
    let out = folder.path().join("run");
    let grids = Recording::open(&out).unwrap();
    fs::remove_file(out.join("particles.pvd")).unwrap();
    let polygons = Recording::open(&out).unwrap();
    assert_eq!(grids.times(), [0.0, 0.02, 0.04, 0.06, 0.08]);
    assert_eq!(grids.times(), polygons.times());
    assert_eq!((grids.title(), grids.particle_radius()), ("Falling block", 0.02));
    for index in 0..grids.len() {
        let [grid, polygon] = [&grids, &polygons].map(|recording| recording.frame(index).unwrap());
        assert_eq!(grid.particles.positions, polygon.particles.positions);
        assert_eq!(grid.particles.fields, polygon.particles.fields);
        let names: Vec<&str> = grid.particles.fields.iter().map(|field| &*field.name).collect();
        assert_eq!(names, ["id", "velocity", "density", "pressure"]);
        let [cube, raft] = &grid.bodies[..] else { panic!("{} bodies", grid.bodies.len()) };
        assert_eq!([cube.name.as_str(), raft.name.as_str()], ["cube", "raft"]);
        assert!(cube.pose.translation.length() < 1e-6 && cube.velocity.length() < 1e-6);
        assert_eq!(raft.mesh.triangles, polygon.bodies[1].mesh.triangles);
        let center = raft.mesh.vertices.iter().map(|&vertex| raft.pose.transform_point(vertex)).sum::<DVec3>() / 8.0;
        assert!(center.distance(raft.center) < 1e-6, "frame {index}: vertices about {center}, center of mass {}", raft.center);
        assert_ne!(raft.pose, Pose::IDENTITY);
    }
    let [first, last] = [0, 4].map(|index| grids.frame(index).unwrap().bodies[1].center.y);
    assert!(last < first - 0.01, "the raft falls from {first} to {last}");
}

#[test]
fn plot_draws_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path());
    let output = assert_code(&run(folder.path(), &["plot", "run"]), 0);
    for name in ["energy", "solver", "time_step", "momentum", "search", "bodies", "forces"] {
        let path = format!("run/plots/{name}.svg");
        assert!(output.contains(&format!("wrote {path}")), "{output}");
        let text = fs::read_to_string(folder.path().join(path)).unwrap();
        assert!(text.contains("Falling block") && text.trim_end().ends_with("</svg>"), "{name}");
    }
    assert!(!output.contains("force_parts"), "nothing has touched the raft yet: {output}");
    let arguments = ["plot", "run", "--out", "pictures", "--format", "png", "--format", "svg", "--only", "energy,bodies"];
    assert_eq!(assert_code(&run(folder.path(), &arguments), 0).lines().count(), 4);
    assert_eq!(fs::read_dir(folder.path().join("pictures")).unwrap().count(), 4);
    let complaint = assert_code(&run(folder.path(), &["plot", "run", "--only", "energie"]), 2);
    assert!(complaint.contains("found 'energie', expected one or more of energy, time_step"), "{complaint}");
    let complaint = assert_code(&run(folder.path(), &["plot", "nowhere"]), 2);
    assert!(complaint.contains("diagnostics.csv: cannot read"), "{complaint}");
}

#[test]
fn surface_writes_beside_the_frames_and_replaces_nothing_unasked() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path());
    let out = folder.path().join("run");
    let output = assert_code(&run(folder.path(), &["surface", "run", "--frames", "0,2..3"]), 0);
    assert!(output.starts_with("3 frames,") && output.contains("paraview run/surface.pvd"), "{output}");
    let first = fs::read(out.join("surface_000002.vtu")).unwrap();
    assert!(!out.join("surface_000001.vtu").exists());
    let complaint = assert_code(&run(folder.path(), &["surface", "run"]), 2);
    assert!(complaint.contains("surface_000000.vtu: the file exists (replace it with --force)"), "{complaint}");
    assert!(!out.join("surface_000001.vtu").exists());
    assert_code(&run(folder.path(), &["surface", "run", "--force", "--threads", "1"]), 0);
    assert!(fs::read(out.join("surface_000002.vtu")).unwrap() == first, "other bytes with another number of threads");
    let collection = fs::read_to_string(out.join("surface.pvd")).unwrap();
    assert_eq!(collection.matches("<DataSet").count(), 5);
    assert!(collection.contains("timestep=\"0.06\" part=\"0\" file=\"surface_000003.vtu\""), "{collection}");
    let both = ["surface", "run", "--frames", "4..", "--format", "obj", "--format", "ply", "--out", "meshes", "--cube-size", "1"];
    assert_code(&run(folder.path(), &both), 0);
    assert_eq!(fs::read_dir(folder.path().join("meshes")).unwrap().count(), 2);
    for (option, value, expected) in [
        ("--frames", "3..9", "found frame 9, expected a frame below 5"),
        ("--frames", "3..1", "expected a number or a range such as 10..20"),
        ("--cube-size", "0", "found cube size 0, expected 0.05 to 4 particle radii"),
    ] {
        let complaint = assert_code(&run(folder.path(), &["surface", "run", "--force", option, value]), 2);
        assert!(complaint.contains(expected), "{complaint}");
    }
    let complaint = assert_code(&run(folder.path(), &["surface", "."]), 2);
    assert!(complaint.contains("missing run.json, expected the folder of a run with frames"), "{complaint}");
}
