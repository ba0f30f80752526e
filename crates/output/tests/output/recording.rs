//! Runs read back from their folders equal what was written.

use std::{fs, path::Path, sync::Arc};

use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_contract::frame::{BodyFrame, Field, Frame, ParticleFrame, PolygonFrame, Row, Value};
use plimsoll_output::{Format, FrameFiles, Machine, Recording, RunInfo, RunResult, SceneRecord, Table};
use plimsoll_shape::TriangleMesh;

/// A power of two, so that the frame times are exact.
const FRAMES_PER_SECOND: f64 = 16.0;

/// A tetrahedron, or one triangle.
fn mesh(flat: bool) -> Arc<TriangleMesh> {
    let solid = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let vertices = vec![DVec3::new(-0.3, -0.2, -0.25), DVec3::new(1.0, 0.1, 0.0), DVec3::new(0.2, 1.1, 0.0), DVec3::new(0.1, 0.0, 0.7)];
    if flat {
        return Arc::new(TriangleMesh { vertices: vertices[..3].to_vec(), triangles: vec![[0, 1, 2]] });
    }
    Arc::new(TriangleMesh { vertices, triangles: solid })
}

/// Particles with every kind of field, and two rotating bodies.
fn frame(index: usize, meshes: &[Arc<TriangleMesh>; 2]) -> Frame {
    let time = index as f64 / FRAMES_PER_SECOND;
    let real = |place: usize, scale: f32| (place as f32 * scale + 1.0 / 3.0 + time as f32).sin() * 1e3;
    let count = 131;
    let body = |name: &str, shift: f64, mesh: &Arc<TriangleMesh>| {
        let pose =
            Pose::new(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, shift).normalize(), 0.4 + shift + time), DVec3::splat(shift + time));
        BodyFrame {
            name: name.to_owned(),
            mesh: Arc::clone(mesh),
            surface_velocities: Vec::new(),
            center: pose.transform_point(DVec3::new(0.1, 0.2, 0.15)),
            pose,
            velocity: DVec3::new(shift, 0.1 + time, 0.2),
            angular_velocity: DVec3::new(0.3, shift, 0.4 - time),
            force: DVec3::new(0.5, 0.625, shift),
            torque: DVec3::splat(-shift),
        }
    };
    let vectors = (0..count).map(|place| [real(place, 0.4), real(place, 0.5), real(place, 0.6)]).collect();
    Frame {
        time,
        particles: ParticleFrame {
            radius: 0.0125,
            positions: (0..count).map(|place| [real(place, 0.1), real(place, 0.2), real(place, 0.3)]).collect(),
            fields: vec![
                Field::integers("id", (0..count as u32).collect()),
                Field::vectors("velocity", vectors),
                Field::scalars("density", (0..count).map(|place| real(place, 0.7)).collect()),
                Field::vectors("spin", vec![[1.0 + time as f32, -2.0, 3.5]; count]),
            ],
            ..ParticleFrame::default()
        },
        bodies: vec![body("a \"hull\", red", 0.75, &meshes[0]), body("sheet", 1.9, &meshes[1])],
        ..Frame::default()
    }
}

fn record(folder: &Path, formats: &[Format]) {
    let info = RunInfo {
        title: "Read back".to_owned(),
        version: "0".to_owned(),
        result: RunResult::Completed,
        error: None,
        started: String::new(),
        resumed: Vec::new(),
        finished: None,
        steps: 0,
        frames: 0,
        time: 0.0,
        wall_seconds: 0.0,
        particles: 0,
        summary: Vec::new(),
        seed: 0,
        settings: serde_json::json!({ "run": { "frames_per_second": FRAMES_PER_SECOND, "formats": formats }, "fluid": { "particle_radius": 0.0125 } }),
        machine: Machine::here(),
        start: None,
        scene: SceneRecord { path: "scene.toml".into(), text: String::new() },
    };
    info.write(&folder.join("run.json")).unwrap();
}

fn body_row(step: u64, time: f64, body: &BodyFrame) -> Row {
    let mut row: Row = vec![("step", Value::Integer(step)), ("time", Value::Real(time)), ("body", Value::Text(body.name.clone()))];
    let mut push = |names: [&'static str; 3], vector: DVec3| row.extend(names.into_iter().zip(vector.to_array().map(Value::Real)));
    push(["position_x", "position_y", "position_z"], body.pose.translation);
    push(["rotation_x", "rotation_y", "rotation_z"], body.pose.rotation.xyz());
    push(["center_x", "center_y", "center_z"], body.center);
    push(["velocity_x", "velocity_y", "velocity_z"], body.velocity);
    push(["angular_velocity_x", "angular_velocity_y", "angular_velocity_z"], body.angular_velocity);
    push(["force_x", "force_y", "force_z"], body.force);
    push(["torque_x", "torque_y", "torque_z"], body.torque);
    row.push(("rotation_w", Value::Real(body.pose.rotation.w)));
    row
}

/// A run of five frames in `formats`; with `rows`, the table has two rows per body between frames, none for frame 0.
fn written(folder: &Path, formats: &[Format], rows: bool) -> Vec<Frame> {
    record(folder, formats);
    let meshes = [mesh(false), mesh(true)];
    let frames: Vec<Frame> = (0..5).map(|index| frame(index, &meshes)).collect();
    let mut files = FrameFiles::new(folder, formats.to_vec(), &[]);
    let mut table = Table::new(folder.join("bodies.csv"));
    for (index, frame) in frames.iter().enumerate() {
        files.write(index as u64, frame).unwrap();
        if rows && index > 0 {
            let between = frame.time - 0.03;
            for (step, time) in [(2 * index as u64 - 1, between), (2 * index as u64, frame.time)] {
                frame.bodies.iter().for_each(|body| table.write(&body_row(step, time, body)).unwrap());
            }
        }
    }
    table.flush().unwrap();
    frames
}

fn assert_same_particles(read: &Frame, frame: &Frame) {
    let bits = |positions: &[[f32; 3]]| positions.iter().map(|position| position.map(f32::to_bits)).collect::<Vec<_>>();
    assert_eq!(bits(&read.particles.positions), bits(&frame.particles.positions));
    assert_eq!(read.particles.fields, frame.particles.fields);
    assert_eq!((read.time.to_bits(), read.particles.radius), (frame.time.to_bits(), frame.particles.radius));
}

fn assert_near(read: DVec3, expected: DVec3, what: &str) {
    assert!(read.distance(expected) < 3e-6, "{what}: {read} instead of {expected}");
}

fn assert_same_world(read: &BodyFrame, body: &BodyFrame) {
    assert_eq!(read.mesh.triangles, body.mesh.triangles);
    assert_eq!(read.mesh.vertices.len(), body.mesh.vertices.len());
    for (&one, &other) in read.mesh.vertices.iter().zip(&body.mesh.vertices) {
        assert_near(read.pose.transform_point(one), body.pose.transform_point(other), "vertex");
    }
}

#[test]
fn frames_in_both_formats_read_back_to_the_bit() {
    for format in [Format::Vtk, Format::Ply] {
        let folder = tempfile::tempdir().unwrap();
        let frames = written(folder.path(), &[format], true);
        let recording = Recording::open(folder.path()).unwrap();
        assert_eq!((recording.len(), recording.title()), (5, "Read back"));
        assert_eq!(recording.times(), frames.iter().map(|frame| frame.time).collect::<Vec<_>>());
        let first = recording.frame(0).unwrap();
        for (index, frame) in frames.iter().enumerate() {
            let read = recording.frame(index).unwrap();
            assert_same_particles(&read, frame);
            assert_eq!(read.bodies.len(), 2);
            for ((read, body), first) in read.bodies.iter().zip(&frame.bodies).zip(&first.bodies) {
                assert_eq!(read.name, body.name);
                assert_same_world(read, body);
                assert!(Arc::ptr_eq(&read.mesh, &first.mesh), "a mesh of its own in frame {index}");
                read.mesh.vertices.iter().zip(&body.mesh.vertices).for_each(|(&one, &other)| assert_near(one, other, "body vertex"));
                assert_near(read.center, body.center, "center");
                if index > 0 {
                    assert_eq!((read.pose, read.center, read.velocity), (body.pose, body.center, body.velocity));
                    assert_eq!(read.angular_velocity, body.angular_velocity);
                    // VTU files contain the means over the frame's interval, in single precision; for PLY files the table is used.
                    assert_near(read.force, body.force, "force");
                    assert_near(read.torque, body.torque, "torque");
                } else if format == Format::Vtk {
                    assert_near(read.velocity, body.velocity, "velocity");
                    assert_near(read.angular_velocity, body.angular_velocity, "angular velocity");
                    assert_near(read.force, body.force, "force");
                    assert_near(read.torque, body.torque, "torque");
                }
            }
        }
    }
}

/// A body that is absent has no triangles; the others keep their places.
#[test]
fn absent_bodies_read_back_as_bodies_without_triangles() {
    for (format, rows) in [(Format::Vtk, true), (Format::Ply, true), (Format::Vtk, false)] {
        let folder = tempfile::tempdir().unwrap();
        record(folder.path(), &[format]);
        let meshes = [mesh(false), mesh(true)];
        let mut frames: Vec<Frame> = (0..4).map(|index| frame(index, &meshes)).collect();
        for (index, body) in [(0, 0), (0, 1), (1, 0), (2, 1)] {
            frames[index].bodies[body].mesh = Arc::default();
        }
        let mut files = FrameFiles::new(folder.path(), vec![format], &[]);
        let mut table = Table::new(folder.path().join("bodies.csv"));
        for (index, frame) in frames.iter().enumerate() {
            files.write(index as u64, frame).unwrap();
            if rows {
                frame.bodies.iter().for_each(|body| table.write(&body_row(index as u64, frame.time, body)).unwrap());
            }
        }
        table.flush().unwrap();
        let recording = Recording::open(folder.path()).unwrap();
        for (index, frame) in frames.iter().enumerate() {
            let read = recording.frame(index).unwrap();
            for (number, body) in frame.bodies.iter().enumerate() {
                match read.bodies.get(number) {
                    Some(read) => {
                        assert_same_world(read, body);
                        assert!(!rows || read.name == body.name, "{} {}", read.name, body.name);
                    }
                    None => assert!(body.mesh.triangles.is_empty(), "frame {index}, body {number}"),
                }
            }
        }
    }
}

/// Files of many particles consist of several pieces.
#[test]
fn many_particles_read_back_in_order() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[Format::Vtk]);
    let count = 40_009;
    let values = |scale: f32| (0..count).map(move |index| (index as f32 * scale).sin());
    let particles = ParticleFrame {
        radius: 0.0125,
        positions: values(0.1).zip(values(0.7)).map(|(x, y)| [x, y, x - y]).collect(),
        fields: vec![Field::integers("id", (0..count).collect()), Field::scalars("density", values(0.3).collect())],
        ..ParticleFrame::default()
    };
    let frame = Frame { particles, ..Frame::default() };
    FrameFiles::new(folder.path(), vec![Format::Vtk], &[]).write(0, &frame).unwrap();
    assert_same_particles(&Recording::open(folder.path()).unwrap().frame(0).unwrap(), &frame);
}

/// A drifting triangle, square and hexagon, with every kind of field.
fn polygons(index: usize) -> PolygonFrame {
    let mut polygons = PolygonFrame { offsets: vec![0], ..PolygonFrame::default() };
    for (place, corners) in [3, 4, 6].into_iter().enumerate() {
        let corner = |corner: usize| {
            let angle = std::f32::consts::TAU * corner as f32 / corners as f32 + 0.1 * index as f32;
            [3.0 * place as f32 + angle.cos(), angle.sin() + index as f32 / 3.0, 0.0]
        };
        polygons.positions.extend((0..corners).map(corner));
        polygons.offsets.push(polygons.positions.len() as u32);
    }
    let velocities = vec![[0.0, 1.0 / 3.0, 0.0], [index as f32, -0.5, 0.0], [f32::MIN_POSITIVE, 7.0, 0.0]];
    polygons.fields = vec![
        Field::integers("id", vec![0, 1, u32::MAX]),
        Field::vectors("velocity", velocities),
        Field::scalars("stress_xx", vec![-1e6 / 3.0, index as f32, 0.0]),
    ];
    polygons
}

#[test]
fn polygons_read_back_to_the_bit_alone_and_beside_particles() {
    for (format, with_particles) in [(Format::Vtk, false), (Format::Ply, false), (Format::Vtk, true), (Format::Ply, true)] {
        let folder = tempfile::tempdir().unwrap();
        record(folder.path(), &[format]);
        let mut files = FrameFiles::new(folder.path(), vec![format], &[]);
        let meshes = [mesh(false), mesh(true)];
        for index in 0..3 {
            let (time, others) = (index as f64 / FRAMES_PER_SECOND, if with_particles { frame(index, &meshes) } else { Frame::default() });
            files.write(index as u64, &Frame { time, polygons: polygons(index), ..others }).unwrap();
        }
        let extension = if format == Format::Vtk { "vtu" } else { "ply" };
        assert_eq!(folder.path().join(format!("particles_000000.{extension}")).exists(), with_particles);
        let recording = Recording::open(folder.path()).unwrap();
        assert_eq!(recording.times(), [0.0, 1.0 / FRAMES_PER_SECOND, 2.0 / FRAMES_PER_SECOND]);
        for index in 0..3 {
            let read = recording.frame(index).unwrap();
            assert_eq!(read.polygons, polygons(index));
            assert_eq!((read.polygons.len(), read.polygons.polygon(1).len()), (3, 4));
            assert_eq!(read.particles.positions.len(), if with_particles { 131 } else { 0 });
        }
        // A truncated file is reported as an error.
        let path = folder.path().join(format!("polygons_000001.{extension}"));
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
        assert!(recording.frame(1).is_err());
    }
}

#[test]
fn polygons_out_of_order_are_errors() {
    for offsets in [vec![0, 7, 3, 13], vec![0, 3, 7, 12]] {
        let folder = tempfile::tempdir().unwrap();
        record(folder.path(), &[Format::Vtk]);
        let polygons = PolygonFrame { offsets, ..polygons(0) };
        FrameFiles::new(folder.path(), vec![Format::Vtk], &[]).write(0, &Frame { polygons, ..Frame::default() }).unwrap();
        let complaint = Recording::open(folder.path()).unwrap().frame(0).unwrap_err().to_string();
        assert!(complaint.contains("polygons_000000.vtu: found") && complaint.contains("expected"), "{complaint}");
    }
}

#[test]
fn poses_are_found_from_the_vertices_where_no_table_tells() {
    let folder = tempfile::tempdir().unwrap();
    let frames = written(folder.path(), &[Format::Vtk], false);
    let recording = Recording::open(folder.path()).unwrap();
    let first = recording.frame(0).unwrap();
    for (index, frame) in frames.iter().enumerate() {
        let read = recording.frame(index).unwrap();
        for (place, (read, body)) in read.bodies.iter().zip(&frame.bodies).enumerate() {
            assert_same_world(read, body);
            assert!(Arc::ptr_eq(&read.mesh, &first.bodies[place].mesh));
            // The mesh of the first frame is the body's mesh: the pose is the motion since then.
            let start = frames[0].bodies[place].pose;
            let turn = body.pose.rotation * start.rotation.conjugate();
            assert!(read.pose.rotation.dot(turn).abs() > 1.0 - 1e-11, "frame {index}: {} instead of {turn}", read.pose.rotation);
            assert_near(read.angular_velocity, body.angular_velocity, "angular velocity");
            assert_eq!(read.name, format!("body {}", place + 1));
        }
    }
}

#[test]
fn a_body_that_changes_shape_has_its_own_mesh() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[Format::Vtk]);
    let mut files = FrameFiles::new(folder.path(), vec![Format::Vtk], &[]);
    let meshes = [mesh(false), mesh(true)];
    files.write(0, &frame(0, &meshes)).unwrap();
    let mut swollen = meshes[0].as_ref().clone();
    swollen.vertices[1].x *= 1.01;
    let changed = frame(1, &[Arc::new(swollen), mesh(true)]);
    files.write(1, &changed).unwrap();
    let recording = Recording::open(folder.path()).unwrap();
    let read = recording.frame(1).unwrap();
    assert_same_world(&read.bodies[0], &changed.bodies[0]);
    assert_eq!(read.bodies[0].pose, Pose::IDENTITY);
    assert!(Arc::ptr_eq(&read.bodies[1].mesh, &recording.frame(0).unwrap().bodies[1].mesh));
}

#[test]
fn a_run_without_bodies_or_particles_reads_back() {
    for format in [Format::Vtk, Format::Ply] {
        let folder = tempfile::tempdir().unwrap();
        record(folder.path(), &[format]);
        FrameFiles::new(folder.path(), vec![format], &[]).write(0, &Frame::default()).unwrap();
        let recording = Recording::open(folder.path()).unwrap();
        let read = recording.frame(0).unwrap();
        assert!(read.particles.positions.is_empty() && read.bodies.is_empty());
    }
}

#[test]
fn what_is_missing_or_damaged_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let complaint = |folder: &Path| Recording::open(folder).unwrap_err().to_string();
    assert!(complaint(empty.path()).contains("missing run.json, expected the folder of a run"));
    record(empty.path(), &[Format::Vtk]);
    assert!(complaint(empty.path()).contains("missing particles.pvd"));
    for (format, extension) in [(Format::Vtk, "vtu"), (Format::Ply, "ply")] {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), &[format], true);
        let recording = Recording::open(folder.path()).unwrap();
        assert!(recording.frame(5).unwrap_err().to_string().contains("no frame 5, expected a frame below 5"));
        for series in ["particles", "bodies"] {
            let name = format!("{series}_000002.{extension}");
            let path = folder.path().join(&name);
            let whole = fs::read(&path).unwrap();
            let complaint = || format!("{:#}", anyhow::Error::from(recording.frame(2).unwrap_err()));
            for length in [0, 20, 150, whole.len() / 2, whole.len() - 20] {
                fs::write(&path, &whole[..length]).unwrap();
                let complaint = complaint();
                assert!(complaint.contains(&name) && complaint.contains("expected"), "{length} bytes: {complaint}");
            }
            fs::remove_file(&path).unwrap();
            let complaint = complaint();
            assert!(complaint.contains(&name) && complaint.contains("cannot read"), "{complaint}");
            fs::write(&path, whole).unwrap();
        }
        recording.frame(2).unwrap();
    }
}

/// Copies the files of the sample folder `name` with one of `extensions`, and returns them as a recording.
fn sample(name: &str, extensions: &[&str], into: &Path) -> Recording {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/references/inline_frames").join(name);
    record(into, &[Format::Vtk]);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if extensions.iter().any(|&extension| path.extension().is_some_and(|found| found == extension)) {
            fs::copy(&path, into.join(path.file_name().unwrap())).unwrap();
        }
    }
    Recording::open(into).unwrap()
}

/// The samples have each frame as a grid with base64 text, as earlier versions wrote it, and as PLY.
#[test]
fn frames_of_earlier_versions_read_back() {
    for (name, frames, particles, polygons) in [("fluid", 2, 48, 0), ("empty", 1, 0, 0), ("blocks", 2, 0, 3)] {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let (grids, others) = (sample(name, &["vtu", "pvd"], folders[0].path()), sample(name, &["ply"], folders[1].path()));
        assert_eq!((grids.len(), others.len()), (frames, frames), "{name}");
        for index in 0..frames {
            let (grid, other) = (grids.frame(index).unwrap(), others.frame(index).unwrap());
            assert_same_particles(&Frame { time: other.time, ..grid.clone() }, &other);
            assert_eq!(grid.polygons, other.polygons, "{name}");
            assert_eq!((grid.particles.positions.len(), grid.polygons.len()), (particles, polygons), "{name}");
            assert_eq!(grid.bodies.len(), if name == "fluid" { 1 } else { 0 });
            grid.bodies.iter().zip(&other.bodies).for_each(|(grid, other)| assert_same_world(grid, other));
        }
        if let Some(body) = grids.frame(frames - 1).unwrap().bodies.first() {
            // VTK's own reader finds these values in the file.
            assert_near(body.force, DVec3::new(-0.517_898_559_570_312_5, -1.190_399_765_968_322_8, -0.894_692_301_750_183_1), "force");
        }
    }
}

/// The place of the first array in a grid.
fn appended_data(grid: &[u8]) -> usize {
    let start: &[u8] = b"<AppendedData encoding=\"raw\">\n_";
    grid.windows(start.len()).position(|window| window == start).unwrap() + start.len()
}

/// A changed file gives the same frame, if the change is in bytes that are not used, or an error, but not other values.
#[test]
fn damaged_grids_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), &[Format::Vtk], true);
    let recording = Recording::open(folder.path()).unwrap();
    let original = recording.frame(2).unwrap();
    for series in ["particles", "bodies"] {
        let path = folder.path().join(format!("{series}_000002.vtu"));
        let whole = fs::read(&path).unwrap();
        let data = appended_data(&whole);
        let mut errors = 0;
        let mut check = |changed: &[u8], what: &str| {
            fs::write(&path, changed).unwrap();
            match recording.frame(2) {
                Err(_) => errors += 1,
                Ok(read) => {
                    assert_same_particles(&read, &original);
                    assert_eq!(read.bodies[0].mesh, original.bodies[0].mesh, "{what} of {series}");
                    assert_eq!((read.bodies[0].force, read.bodies[0].velocity), (original.bodies[0].force, original.bodies[0].velocity));
                }
            }
        };
        for place in (data..whole.len()).step_by(if series == "particles" { 7 } else { 3 }) {
            let mut changed = whole.clone();
            changed[place] ^= 1 << (place % 8);
            check(&changed, &format!("byte {place}"));
            for value in [0, 0xff] {
                let mut changed = whole.clone();
                changed[place..(place + 8).min(whole.len())].fill(value);
                check(&changed, &format!("eight bytes at {place}"));
            }
        }
        fs::write(&path, &whole).unwrap();
        assert!(errors > 400, "{errors} errors");
        assert_never_panics(&recording, 2, &path, data);
        // The last byte is a line break after the closing element.
        for length in (0..whole.len() - 1).step_by(23) {
            fs::write(&path, &whole[..length]).unwrap();
            recording.frame(2).unwrap_err();
        }
        fs::write(&path, whole).unwrap();
    }
}

/// Reads frame `index` after changes of every seventh of the first `end` bytes of the file at `path`. It may have other names and values then.
fn assert_never_panics(recording: &Recording, index: usize, path: &Path, end: usize) {
    let whole = fs::read(path).unwrap();
    for place in (0..end).step_by(7) {
        for change in [9, 1 << (place % 7)] {
            let mut changed = whole.clone();
            changed[place] ^= change;
            fs::write(path, changed).unwrap();
            let _ = recording.frame(index);
        }
    }
    fs::write(path, whole).unwrap();
}

#[test]
fn damaged_grids_of_earlier_versions_do_not_panic() {
    for (name, series) in [("fluid", "particles"), ("fluid", "bodies"), ("blocks", "polygons")] {
        let folder = tempfile::tempdir().unwrap();
        let recording = sample(name, &["vtu", "pvd"], folder.path());
        let path = folder.path().join(format!("{series}_000001.vtu"));
        let whole = fs::read(&path).unwrap();
        assert_never_panics(&recording, 1, &path, whole.len());
        fs::write(&path, &whole[..whole.len() - 20]).unwrap();
        let complaint = recording.frame(1).unwrap_err().to_string();
        assert!(complaint.contains("found the end of the file, expected the closing </VTKFile>"), "{complaint}");
    }
}

/// Memory for the values is reserved only if the file can contain as many.
#[test]
fn huge_numbers_in_a_grid_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), &[Format::Vtk], true);
    let recording = Recording::open(folder.path()).unwrap();
    let path = folder.path().join("particles_000002.vtu");
    let whole = fs::read(&path).unwrap();
    let data = appended_data(&whole);
    let xml = str::from_utf8(&whole[..data]).unwrap();
    let (_, positions) = xml.split_once("Name=\"Points\"").unwrap();
    let (_, offset) = positions.split_once("offset=\"").unwrap();
    let place = data + offset.split_once('"').unwrap().0.parse::<usize>().unwrap();
    for count in [1 << 40, u64::MAX / 12, u64::MAX] {
        let bytes = count.saturating_mul(12);
        for [blocks, size, last] in [[1, bytes, 0], [bytes, 1, 0], [bytes / 2, 2, 2], [u64::MAX, u64::MAX, 1]] {
            let mut changed = xml.replace("NumberOfPoints=\"131\"", &format!("NumberOfPoints=\"{count}\"")).into_bytes();
            let shift = changed.len() - xml.len();
            changed.extend(&whole[data..]);
            let header = [blocks, size, last].map(u64::to_le_bytes);
            changed[place + shift..place + shift + 24].copy_from_slice(header.as_flattened());
            fs::write(&path, changed).unwrap();
            let complaint = recording.frame(2).unwrap_err().to_string();
            assert!(complaint.contains("particles_000002.vtu: found") && complaint.contains("expected"), "{complaint}");
        }
    }
}

#[test]
fn grids_of_other_kinds_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample("fluid", &["vtu", "pvd"], folder.path());
    let path = folder.path().join("particles_000001.vtu");
    let whole = fs::read_to_string(&path).unwrap();
    for (part, other, message) in [
        ("UnstructuredGrid", "PolyData", "found type 'PolyData', expected UnstructuredGrid"),
        ("LittleEndian", "BigEndian", "found byte_order 'BigEndian', expected LittleEndian"),
        ("header_type=\"UInt64\"", "header_type=\"UInt32\"", "found header_type 'UInt32', expected UInt64"),
        (" header_type=\"UInt64\"", "", "found no attribute header_type, expected UInt64"),
        (" byte_order", " compressor=\"vtkLZ4DataCompressor\" byte_order", "found compressor 'vtkLZ4DataCompressor', expected vtkZLib"),
        ("NumberOfPoints=\"48\"", "NumberOfPoints=\"47\"", "found 'Points': an array of 576 bytes, expected as many values"),
        ("NumberOfPoints=\"48\"", "NumberOfPoints=\"many\"", "found attribute NumberOfPoints 'many', expected a whole number"),
        ("format=\"binary\"", "format=\"ascii\"", "found an array in format 'ascii', expected format 'appended' or 'binary'"),
        ("Name=\"Points\"", "Name=\"points\"", "found no array 'Points' in Points, expected one in each piece"),
    ] {
        assert!(whole.contains(part), "{part}");
        fs::write(&path, whole.replace(part, other)).unwrap();
        let complaint = recording.frame(1).unwrap_err().to_string();
        assert!(complaint.contains("particles_000001.vtu: ") && complaint.contains(message), "{complaint}");
    }
}
