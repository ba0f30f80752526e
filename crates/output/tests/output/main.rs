//! Frame files, tables and checkpoints read back from disk.

mod recording;

mod vtu;

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_contract::frame::{BodyFrame, ContactFrame, Field, FieldValues, Frame, GridFrame, ParticleFrame, PolygonFrame, Value};
use plimsoll_output::{Format, FrameFiles, FrameWriter, Mark, RunInfo, Table, checkpoint, timestamp};
use plimsoll_shape::TriangleMesh;

/// Particles with every kind of field, with distinct values that are not round, and two tetrahedra in arbitrary poses.
fn frame(time: f64) -> Frame {
    let count = 257;
    let real = |index: usize, scale: f32| (index as f32 * scale + 1.0 / 3.0 + time as f32).sin() * 1e3;
    let tetrahedron = Arc::new(TriangleMesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    });
    let body = |name: &str, shift: f64| BodyFrame {
        name: name.to_owned(),
        mesh: Arc::clone(&tetrahedron),
        surface_velocities: Vec::new(),
        pose: Pose::new(DQuat::from_rotation_z(shift), DVec3::new(shift, 2.0 * shift, time)),
        center: DVec3::new(0.25, shift, -0.5),
        velocity: DVec3::new(shift, 0.1, 0.2),
        angular_velocity: DVec3::new(0.3, shift, 0.4),
        force: DVec3::new(0.5, 0.6, shift),
        torque: DVec3::splat(-shift),
    };
    Frame {
        time,
        particles: ParticleFrame {
            radius: 0.01,
            positions: (0..count).map(|index| [real(index, 0.1), real(index, 0.2), real(index, 0.3)]).collect(),
            fields: vec![
                Field::integers("id", (0..count as u32).map(|index| index * 7).collect()),
                Field::vectors("velocity", (0..count).map(|index| [real(index, 0.4), real(index, 0.5), real(index, 0.6)]).collect()),
                Field::scalars("density", (0..count).map(|index| real(index, 0.7)).collect()),
                Field::scalars("pressure", (0..count).map(|index| real(index, 0.8)).collect()),
            ],
            ..ParticleFrame::default()
        },
        bodies: vec![body("one", 0.7), body("two", 1.9)],
        ..Frame::default()
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn vtu_particles_read_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let frame = frame(0.25);
    FrameFiles::new(folder.path(), vec![Format::Vtk], &[]).write(0, &frame).unwrap();
    let grid = vtu::read(&folder.path().join("particles_000000.vtu"));
    assert_same_particles(&grid, &frame.particles);
    assert_eq!(grid.pieces, 1);
}

/// Points, fields and cells of `grid` are those of `particles`.
fn assert_same_particles(grid: &vtu::Grid, particles: &ParticleFrame) {
    let count = particles.positions.len();
    assert_eq!(grid.points, particles.positions.as_flattened());
    assert!(grid.connectivity.iter().copied().eq(0..count as u32));
    assert!(grid.offsets.iter().copied().eq(1..=count as u32));
    assert_eq!(grid.types, vec![1; count], "vertices");
    assert_eq!(grid.point_data.len(), particles.fields.len());
    for field in &particles.fields {
        let array = &grid.point_data[&*field.name];
        match &field.values {
            FieldValues::Integer(values) => assert_eq!(array.integers(), values),
            FieldValues::Scalar(values) => assert_eq!(&array.reals(), values),
            FieldValues::Vector(values) => assert_eq!((array.reals().as_slice(), array.components), (values.as_flattened(), 3)),
        }
    }
}

#[test]
fn many_particles_and_contacts_are_divided_into_pieces() {
    let folder = tempfile::tempdir().unwrap();
    // A prime number, so that the last piece is not as large as the others.
    let count = 40_009;
    let values = |scale: f32| (0..count).map(move |index| (index as f32 * scale).sin());
    let positions: Vec<[f32; 3]> = values(0.1).zip(values(0.7)).map(|(x, y)| [x, y, x - y]).collect();
    let particles = ParticleFrame {
        positions: positions.clone(),
        fields: vec![Field::integers("id", (0..count).collect()), Field::scalars("density", values(0.3).collect())],
        ..ParticleFrame::default()
    };
    let contacts = ContactFrame {
        ends: positions.iter().map(|&end| [end, [end[2], 0.5, -end[0]]]).collect(),
        fields: vec![Field::vectors("force", positions)],
    };
    let frame = Frame { particles, contacts: Some(contacts), ..Frame::default() };
    FrameFiles::new(folder.path(), vec![Format::Vtk], &[]).write(0, &frame).unwrap();
    let grid = vtu::read(&folder.path().join("particles_000000.vtu"));
    assert!(grid.pieces > 2, "{} pieces", grid.pieces);
    assert_same_particles(&grid, &frame.particles);
    let (grid, contacts) = (vtu::read(&folder.path().join("contacts_000000.vtu")), frame.contacts.unwrap());
    assert!(grid.pieces > 4, "{} pieces", grid.pieces);
    assert_eq!(grid.points, contacts.ends.as_flattened().as_flattened());
    assert!(grid.connectivity.iter().copied().eq(0..2 * count));
    assert!(grid.offsets.iter().copied().eq((1..=count).map(|contact| 2 * contact)));
    let FieldValues::Vector(forces) = &contacts.fields[0].values else { unreachable!() };
    assert_eq!(grid.cell_data["force"].reals(), forces.as_flattened());
}

/// Files and collection of a grid, which is also written if the frames are PLY, and continued by a second run.
#[test]
fn grids_are_image_data_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let real = |index: i32, phase: f64| (f64::from(index) + phase).sin() as f32;
    let grid = |time: f64| GridFrame {
        name: "plane".to_owned(),
        origin: DVec3::new(0.5, -1.0, 2.0),
        spacing: DVec3::new(0.1, 0.2, 0.3),
        counts: [2, 3, 1],
        fields: vec![
            Field::scalars("pressure", (0..6).map(|index| real(index, time)).collect()),
            Field::vectors("velocity", (0..6).map(|index| [real(index, 0.1), real(index, 0.2), real(index, 0.3)]).collect()),
        ],
    };
    for (index, time) in [(0, 0.25), (1, 0.5)] {
        // The second run knows the frame of the first one.
        let earlier = &[0.25][..index as usize];
        let frame = Frame { grids: vec![grid(time)], ..frame(time) };
        FrameFiles::new(folder.path(), vec![Format::Ply], earlier).write(index, &frame).unwrap();
    }
    let collection = fs::read_to_string(folder.path().join("grid_plane.pvd")).unwrap();
    assert!(
        collection.contains("timestep=\"0.25\" part=\"0\" file=\"grid_plane_000000.vti\"") && collection.contains("grid_plane_000001.vti"),
        "{collection}"
    );
    for (index, time) in [(0, 0.25), (1, 0.5)] {
        let bytes = fs::read(folder.path().join(format!("grid_plane_{index:06}.vti"))).unwrap();
        let start = bytes.windows(3).position(|bytes| bytes == b">\n_").unwrap() + 3;
        let header = String::from_utf8(bytes[..start].to_vec()).unwrap();
        assert!(header.contains("<ImageData WholeExtent=\"0 1 0 2 0 0\" Origin=\"0.5 -1.0 2.0\" Spacing=\"0.1 0.2 0.3\">"), "{header}");
        assert!(header.contains("<PointData Scalars=\"pressure\" Vectors=\"velocity\">"), "{header}");
        for field in grid(time).fields {
            let expected: Vec<f32> = match &field.values {
                FieldValues::Scalar(values) => values.clone(),
                FieldValues::Vector(values) => values.as_flattened().to_vec(),
                FieldValues::Integer(_) => unreachable!(),
            };
            let array = header.lines().find(|line| line.contains(&format!("Name=\"{}\"", field.name))).unwrap();
            let offset: usize = array.split("offset=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
            // One block: the number of blocks, bytes of a block, bytes of the last one, compressed bytes.
            let block = &bytes[start + offset..];
            let number = |place: usize| u64::from_le_bytes(block[8 * place..8 * place + 8].try_into().unwrap()) as usize;
            assert_eq!((number(0), number(2)), (1, 4 * expected.len()));
            let values = miniz_oxide::inflate::decompress_to_vec_zlib(&block[32..32 + number(3)]).unwrap();
            let values: Vec<f32> = values.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
            assert_eq!(values, expected);
        }
    }
}

#[test]
fn contacts_are_lines() {
    let folder = tempfile::tempdir().unwrap();
    let fields = vec![Field::integers("first", vec![4, 5]), Field::vectors("force", vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])];
    let ends = vec![[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], [[0.7, 0.8, 0.9], [1.0, 1.1, 1.2]]];
    let contacts = ContactFrame { ends: ends.clone(), fields };
    let mut files = FrameFiles::new(folder.path(), vec![Format::Vtk, Format::Ply], &[]);
    files.write(0, &Frame { contacts: Some(contacts), ..frame(0.25) }).unwrap();
    // Frames without contacts are written too: each frame has its file.
    files.write(1, &Frame { contacts: Some(ContactFrame::default()), ..frame(0.5) }).unwrap();
    let grid = vtu::read(&folder.path().join("contacts_000000.vtu"));
    assert_eq!(grid.points, ends.as_flattened().as_flattened());
    assert_eq!((&grid.connectivity[..], &grid.offsets[..]), (&[0, 1, 2, 3][..], &[2, 4][..]));
    assert_eq!(grid.types, [3, 3], "lines");
    assert_eq!(grid.cell_data["first"].integers(), [4, 5]);
    assert_eq!(grid.cell_data["force"].reals(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(vtu::read(&folder.path().join("contacts_000001.vtu")).points, [0.0; 0]);
    let ply = fs::read(folder.path().join("contacts_000000.ply")).unwrap();
    let end = b"end_header\n";
    let data = ply.windows(end.len()).position(|window| window == end).unwrap() + end.len();
    let header = std::str::from_utf8(&ply[..data]).unwrap();
    assert!(
        header.contains("element vertex 4\n") && header.contains("element edge 2\nproperty uint vertex1\nproperty uint vertex2\n"),
        "{header}"
    );
    // Four vertices, and two edges of two numbers, an integer and a vector.
    assert_eq!(ply.len() - data, 4 * 12 + 2 * (8 + 4 + 12));
    let second = data + 4 * 12 + 24;
    assert_eq!(ply[second..second + 12], [2_u32, 3, 5].map(u32::to_le_bytes).concat());
    let collection = fs::read_to_string(folder.path().join("contacts.pvd")).unwrap();
    assert!(collection.contains("timestep=\"0.25\"") && collection.contains("contacts_000001.vtu"), "{collection}");
}

#[test]
fn vtu_holds_what_is_not_a_number_and_nothing_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let values = vec![f32::NAN, f32::INFINITY, -0.0, f32::MIN_POSITIVE / 2.0];
    let odd = ParticleFrame {
        radius: 0.01,
        positions: values.iter().map(|&value| [value; 3]).collect(),
        fields: vec![Field::scalars("pressure", values.clone())],
        ..ParticleFrame::default()
    };
    let mut files = FrameFiles::new(folder.path(), vec![Format::Vtk], &[]);
    files.write(0, &Frame { time: 0.0, particles: odd, ..Frame::default() }).unwrap();
    files.write(1, &Frame::default()).unwrap();
    let grid = vtu::read(&folder.path().join("particles_000000.vtu"));
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(grid.point_data["pressure"].words, bits(&values));
    let grid = vtu::read(&folder.path().join("particles_000001.vtu"));
    assert_eq!((grid.pieces, grid.points.len(), grid.connectivity.len()), (1, 0, 0));
    assert_eq!(names_in(folder.path()), ["particles.pvd", "particles_000000.vtu", "particles_000001.vtu"]);
}

/// Programs that take the type of the first cell (meshio) open these files as well, and the reader finds what was written.
#[test]
fn a_frame_without_points_has_one_cell_without_points() {
    let folder = tempfile::tempdir().unwrap();
    let fields = || vec![Field::integers("id", vec![]), Field::scalars("density", vec![]), Field::vectors("velocity", vec![])];
    let frame = Frame {
        particles: ParticleFrame { fields: fields(), ..ParticleFrame::default() },
        contacts: Some(ContactFrame { fields: fields(), ..ContactFrame::default() }),
        ..Frame::default()
    };
    FrameFiles::new(folder.path(), vec![Format::Vtk], &[]).write(0, &frame).unwrap();
    for name in ["particles_000000.vtu", "contacts_000000.vtu"] {
        let path = folder.path().join(name);
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        assert!(text.contains("<Piece NumberOfPoints=\"0\" NumberOfCells=\"1\">"), "{text}");
        let grid = vtu::read(&path);
        assert_eq!((grid.points.len(), grid.connectivity.len(), &grid.offsets[..], &grid.types[..]), (0, 0, &[0][..], &[36][..]), "{name}");
    }
    let (particles, contacts) = ("particles_000000.vtu", "contacts_000000.vtu");
    let [particles, contacts] = [particles, contacts].map(|name| vtu::read(&folder.path().join(name)));
    let lengths =
        |data: &BTreeMap<String, vtu::Words>| data.iter().map(|(name, words)| (name.clone(), words.words.len())).collect::<Vec<_>>();
    let named = |lengths: [usize; 3]| ["density", "id", "velocity"].map(str::to_owned).into_iter().zip(lengths).collect::<Vec<_>>();
    assert_eq!((lengths(&particles.point_data), lengths(&particles.cell_data)), (named([0, 0, 0]), vec![]));
    assert_eq!((lengths(&contacts.point_data), lengths(&contacts.cell_data)), (vec![], named([1, 1, 3])));
    assert!(contacts.cell_data.values().all(|words| words.words.iter().all(|&word| word == 0)));
}

#[test]
fn vtu_polygons_are_polygons() {
    let folder = tempfile::tempdir().unwrap();
    let positions = (0..7).map(|corner| [corner as f32, (corner as f32).sin(), 0.0]).collect();
    let polygons = PolygonFrame { positions, offsets: vec![0, 3, 7], fields: vec![Field::scalars("stress_xx", vec![-1e6 / 3.0, 0.5])] };
    let mut files = FrameFiles::new(folder.path(), vec![Format::Vtk], &[]);
    files.write(0, &Frame { polygons: polygons.clone(), ..Frame::default() }).unwrap();
    let grid = vtu::read(&folder.path().join("polygons_000000.vtu"));
    assert_eq!(grid.points, polygons.positions.as_flattened());
    assert_eq!((&grid.connectivity[..], &grid.offsets[..]), (&[0, 1, 2, 3, 4, 5, 6][..], &[3, 7][..]));
    assert_eq!(grid.types, [7, 7], "polygons");
    assert_eq!(grid.cell_data["stress_xx"].reals(), [-1e6 / 3.0, 0.5]);
}

#[test]
fn vtu_bodies_are_in_world_coordinates() {
    let folder = tempfile::tempdir().unwrap();
    let frame = frame(0.25);
    FrameFiles::new(folder.path(), vec![Format::Vtk], &[]).write(3, &frame).unwrap();
    let grid = vtu::read(&folder.path().join("bodies_000003.vtu"));
    let expected: Vec<f32> = frame
        .bodies
        .iter()
        .flat_map(|body| body.mesh.vertices.iter().map(|&vertex| body.pose.rotation * vertex + body.pose.translation))
        .flat_map(|vertex| vertex.as_vec3().to_array())
        .collect();
    assert_eq!(grid.points, expected);
    assert_eq!(grid.connectivity[12..], [4, 6, 5, 4, 5, 7, 4, 7, 6, 5, 6, 7]);
    assert_eq!(grid.offsets, [3, 6, 9, 12, 15, 18, 21, 24]);
    assert_eq!(grid.types, [5; 8], "triangles");
    assert_eq!(grid.cell_data["body"].integers(), [0, 0, 0, 0, 1, 1, 1, 1]);
    for (name, quantity) in [("force", frame.bodies[1].force), ("torque", frame.bodies[1].torque)] {
        assert_eq!(grid.cell_data[name].reals()[12..15], quantity.as_vec3().to_array(), "{name}");
    }
    // Derivative of each vertex position, by central differences of the body rotated slightly about its center.
    let velocities = grid.point_data["velocity"].reals();
    let places = frame.bodies.iter().flat_map(|body| body.mesh.vertices.iter().map(move |&vertex| (body, vertex)));
    for (velocity, (body, vertex)) in velocities.chunks(3).zip(places) {
        let place = |time: f64| {
            let turned = DQuat::from_scaled_axis(time * body.angular_velocity);
            body.center + time * body.velocity + turned * (body.pose.transform_point(vertex) - body.center)
        };
        let expected = (place(1e-4) - place(-1e-4)) / 2e-4;
        let found = DVec3::new(velocity[0].into(), velocity[1].into(), velocity[2].into());
        assert!((found - expected).length() < 1e-6, "found {found}, expected {expected}");
    }
}

#[test]
fn ply_reads_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let frame = frame(0.5);
    FrameFiles::new(folder.path(), vec![Format::Ply], &[]).write(1, &frame).unwrap();
    let bytes = fs::read(folder.path().join("particles_000001.ply")).unwrap();
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    let names: Vec<&str> =
        header.lines().filter(|line| line.starts_with("property")).map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(names, ["x", "y", "z", "id", "vx", "vy", "vz", "density", "pressure"]);
    let words: Vec<u32> = bytes[end..].chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let particles = &frame.particles;
    assert_eq!(words.len(), 9 * particles.positions.len());
    let values = |index: usize| match &particles.fields[index].values {
        FieldValues::Integer(values) => values.iter().map(|&value| vec![value]).collect::<Vec<_>>(),
        FieldValues::Scalar(values) => values.iter().map(|value| vec![value.to_bits()]).collect(),
        FieldValues::Vector(values) => values.iter().map(|value| value.map(f32::to_bits).to_vec()).collect(),
    };
    let fields: Vec<_> = (0..4).map(values).collect();
    for (index, record) in words.chunks(9).enumerate() {
        assert_eq!(record[..3], particles.positions[index].map(f32::to_bits));
        assert_eq!(record[3..], [&fields[0][index][..], &fields[1][index], &fields[2][index], &fields[3][index]].concat());
    }
    let bodies = fs::read(folder.path().join("bodies_000001.ply")).unwrap();
    let end = bytes_after_header(&bodies);
    assert_eq!(bodies.len() - end, 8 * 12 + 8 * (1 + 3 * 4 + 4));
    let last: Vec<u32> = bodies[bodies.len() - 16..].chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(last, [5, 6, 7, 1]);
}

fn bytes_after_header(bytes: &[u8]) -> usize {
    bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11
}

#[test]
fn collections_go_on_where_they_ended() {
    let whole = tempfile::tempdir().unwrap();
    let mut writer = FrameWriter::new(FrameFiles::new(whole.path(), vec![Format::Vtk, Format::Ply], &[]));
    for index in 0..5 {
        writer.write(index, frame(0.1 * index as f64)).unwrap();
    }
    writer.finish().unwrap();
    let parts = tempfile::tempdir().unwrap();
    let mut files = FrameFiles::new(parts.path(), vec![Format::Vtk, Format::Ply], &[]);
    (0..2).for_each(|index| files.write(index, &frame(0.1 * index as f64)).unwrap());
    let mut files = FrameFiles::new(parts.path(), vec![Format::Vtk, Format::Ply], &[0.0, 0.1]);
    (2..5).for_each(|index| files.write(index, &frame(0.1 * index as f64)).unwrap());
    assert_eq!(names_in(whole.path()).len(), 5 * 4 + 2);
    assert_eq!(names_in(whole.path()), names_in(parts.path()));
    for name in names_in(whole.path()) {
        assert!(!name.ends_with(".tmp"), "{name} left over");
        assert_eq!(fs::read(whole.path().join(&name)).unwrap(), fs::read(parts.path().join(&name)).unwrap(), "{name} differs");
    }
    let collection = fs::read_to_string(whole.path().join("bodies.pvd")).unwrap();
    assert!(collection.contains("timestep=\"0.30000000000000004\" part=\"0\" file=\"bodies_000003.vtu\""), "{collection}");
}

#[test]
fn an_error_of_the_writing_thread_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("particles_000001.vtu")).unwrap();
    let mut writer = FrameWriter::new(FrameFiles::new(folder.path(), vec![Format::Vtk], &[]));
    writer.write(0, frame(0.0)).unwrap();
    writer.flush().unwrap();
    writer.write(1, frame(0.1)).unwrap();
    let error = writer.flush().unwrap_err();
    assert_eq!(error.path, folder.path().join("particles_000001.vtu"));
    assert!(names_in(folder.path()).iter().all(|name| !name.ends_with(".tmp")));
}

fn row(step: u64) -> Vec<(&'static str, Value)> {
    vec![
        ("step", Value::Integer(step)),
        ("time", Value::Real(step as f64 * 0.1)),
        ("body", Value::Text("a \"hull\", red".to_owned())),
        ("force [N]", Value::Real(1e-300 / (step as f64 + 3.0))),
    ]
}

#[test]
fn table_is_cut_at_the_checkpoint_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole.csv", "parts.csv"].map(|name| folder.path().join(name));
    let mut table = Table::new(whole.clone());
    (1..=20).for_each(|step| table.write(&row(step)).unwrap());
    table.flush().unwrap();
    let mut table = Table::new(parts.clone());
    (1..=9).for_each(|step| table.write(&row(step)).unwrap());
    let mark = table.sync().unwrap();
    (10..=14).for_each(|step| table.write(&row(step)).unwrap());
    table.flush().unwrap();
    drop(table);
    let mut torn = fs::read(&parts).unwrap();
    torn.extend_from_slice(b"15,1.5,\"a \"\"hu");
    fs::write(&parts, torn).unwrap();
    let (mut table, warning) = Table::resume(parts.clone(), 9, mark).unwrap();
    assert_eq!(warning, None);
    assert_eq!(fs::read_to_string(&parts).unwrap().lines().count(), 1 + 9);
    (10..=20).for_each(|step| table.write(&row(step)).unwrap());
    table.flush().unwrap();
    assert_eq!(fs::read_to_string(&whole).unwrap(), fs::read_to_string(&parts).unwrap());
    let mut reader = csv::Reader::from_path(&whole).unwrap();
    assert_eq!(reader.headers().unwrap(), vec!["step", "time", "body", "force [N]"]);
    for (record, step) in reader.records().zip(1..) {
        let record = record.unwrap();
        let Value::Real(force) = row(step)[3].1 else { unreachable!() };
        assert_eq!(record[3].parse::<f64>().unwrap().to_bits(), force.to_bits());
        assert_eq!(&record[2], "a \"hull\", red");
    }
}

/// The header of an earlier version has no units; rows are appended in the same order.
#[test]
fn table_of_an_earlier_version_goes_on_under_its_header() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let mut table = Table::new(path.clone());
    table.write(&row(1)).unwrap();
    table.sync().unwrap();
    let earlier = fs::read_to_string(&path).unwrap().replace(" [N]", "");
    fs::write(&path, &earlier).unwrap();
    let mut earlier_table = Table::resume(path.clone(), 1, Mark { length: 1, ..Mark::default() }).unwrap().0;
    earlier_table.write(&row(2)).unwrap();
    earlier_table.flush().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(&earlier) && text.lines().count() == 3 && text.starts_with("step,time,body,force\n"), "{text}");
}

#[test]
fn table_cut_before_its_first_row_starts_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let mut table = Table::new(path.clone());
    (5..8).for_each(|step| table.write(&row(step)).unwrap());
    drop(table);
    let (mut table, warning) = Table::resume(path.clone(), 4, Mark::default()).unwrap();
    assert_eq!(warning, None);
    table.write(&row(5)).unwrap();
    let mark = table.sync().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
    fs::write(&path, "time,force\n0.1,2\n").unwrap();
    let error = Table::resume(path, 4, mark).unwrap_err();
    assert!(error.source.to_string().contains("'step'"), "{error:?}");
}

#[test]
fn a_table_that_changed_since_the_checkpoint_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let mut table = Table::new(path.clone());
    (1..=9).for_each(|step| table.write(&row(step)).unwrap());
    let mark = table.sync().unwrap();
    table.write(&row(10)).unwrap();
    drop(table);
    let whole = fs::read_to_string(&path).unwrap();
    let resume = |text: &str| {
        fs::write(&path, text).unwrap();
        let (mut table, warning) = Table::resume(path.clone(), 9, mark).unwrap();
        table.write(&row(10)).unwrap();
        table.flush().unwrap();
        (warning, fs::read_to_string(&path).unwrap())
    };
    assert_eq!(resume(&whole), (None, whole.clone()));
    let (warning, text) = resume(&whole[..whole.len() / 2]);
    let warning = warning.expect("a warning");
    assert!(warning.contains(&format!("found {} bytes, expected {}", whole.len() / 2, mark.length)), "{warning}");
    assert!(warning.ends_with("rows up to step 5 are kept"), "{warning}");
    assert_eq!(text.lines().count(), 1 + 5 + 1);
    // One digit of a row, with the same length.
    let (warning, text) = resume(&whole.replacen("0.2,", "0.7,", 1));
    assert!(warning.expect("a warning").ends_with("rows up to step 9 are kept"));
    assert_eq!(text.lines().count(), 1 + 9 + 1);
    fs::remove_file(&path).unwrap();
    let (mut table, warning) = Table::resume(path.clone(), 9, mark).unwrap();
    assert!(warning.expect("a warning").ends_with("table.csv: missing; a new table begins after step 9"));
    table.write(&row(10)).unwrap();
    table.flush().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
}

#[test]
fn checkpoint_reads_back_and_damage_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint.plimsoll");
    let state: Vec<f64> = (0..100_000).map(|index| f64::from(index).sqrt()).collect();
    let hash = checkpoint::scene_hash("[fluid]");
    checkpoint::save(&path, hash, &state).unwrap();
    assert_eq!(checkpoint::load::<Vec<f64>>(&path, hash).unwrap(), state);
    assert_eq!(names_in(folder.path()), ["checkpoint.plimsoll"]);
    let whole = fs::read(&path).unwrap();
    let complaint = |bytes: &[u8], hash: u64| {
        fs::write(&path, bytes).unwrap();
        let complaint = checkpoint::load::<Vec<f64>>(&path, hash).unwrap_err().to_string();
        assert!(complaint.contains("checkpoint.plimsoll"), "{complaint}");
        complaint
    };
    let changed = |place: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[place] ^= byte;
        bytes
    };
    assert!(complaint(b"solid cube\nendsolid", hash).contains("found \"solid cu\" at its start, expected \"PLIMSOLL\""));
    assert!(complaint(b"", hash).contains("not a checkpoint"));
    assert!(complaint(&changed(8, 3), hash).contains("format 10, written by plimsoll 0.1.0: this version, 0.1.0, reads formats 9 to 9"));
    assert!(complaint(&changed(8, 1), hash).contains("format 8"));
    assert!(complaint(&whole[..30], hash).contains("truncated: found 30 bytes, expected 52"));
    let half = whole.len() / 2;
    assert!(complaint(&whole[..half], hash).contains(&format!("truncated: found {half} bytes, expected {}", whole.len())));
    assert!(complaint(&changed(half, 1), hash).contains("corrupt: found checksum"));
    assert!(complaint(&changed(whole.len() - 1, 128), hash).contains("corrupt"));
    assert!(complaint(&whole, hash + 1).contains("another scene"));
    // Another version of the program with the same format.
    fs::write(&path, changed(12, 9)).unwrap();
    assert_eq!(checkpoint::load::<Vec<f64>>(&path, hash).unwrap(), state);
    fs::write(&path, &whole).unwrap();
    assert!(checkpoint::load::<String>(&path, hash).unwrap_err().to_string().contains("does not hold the state of a run"));
}

#[test]
fn a_failed_checkpoint_leaves_the_former_one() {
    struct Unwritable;
    impl serde::Serialize for Unwritable {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("cannot be written"))
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint.plimsoll");
    checkpoint::save(&path, 1, &42_u64).unwrap();
    checkpoint::save(&path, 1, &Unwritable).unwrap_err();
    assert_eq!(checkpoint::load::<u64>(&path, 1).unwrap(), 42);
    assert_eq!(names_in(folder.path()), ["checkpoint.plimsoll"]);
}

#[test]
fn timestamps_follow_the_calendar() {
    let at = |seconds| timestamp(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds));
    assert_eq!(at(0), "1970-01-01T00:00:00Z");
    assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
    assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
    assert_eq!(at(1_709_251_200), "2024-03-01T00:00:00Z");
    assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
}

#[test]
fn a_broken_run_record_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    fs::write(&path, "{\"title\": ").unwrap();
    let error = RunInfo::read(&path).unwrap_err();
    assert_eq!((error.path.as_path(), error.action), (path.as_path(), "read"));
}
