//! Time to prepare meshes for a simulation: to cut and group 100,000 triangles into segments, and everything from the file to the bodies for
//! 50,000 triangles. The target of both is below 100 ms.

use std::{f64::consts::TAU, fmt::Write, fs, path::Path};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glam::DVec3;
use plimsoll::{
    bodies::{Bodies, BodyDefinition, MassSource},
    math::Domain,
    shape::{ImportOptions, InsideTest, MassProperties, MeshReport, SegmentLimits, Segmentation, TriangleMesh, import, orient_outwards},
    simulator::Unwatched,
};

/// A wavy torus with `2 · around · across` triangles.
fn wavy_torus(around: u32, across: u32) -> TriangleMesh {
    let point = |i: u32, j: u32| {
        let (u, v) = (TAU * f64::from(i) / f64::from(around), TAU * f64::from(j) / f64::from(across));
        let tube = 0.3 + 0.03 * (7.0 * u + 3.0 * v).sin();
        DVec3::new((1.0 + tube * v.cos()) * u.cos(), tube * v.sin(), (1.0 + tube * v.cos()) * u.sin())
    };
    let vertices = (0..around * across).map(|index| point(index / across, index % across)).collect();
    let index = |i: u32, j: u32| (i % around) * across + j % across;
    let cell = |place: u32| {
        let (i, j) = (place / across, place % across);
        [[index(i, j), index(i, j + 1), index(i + 1, j)], [index(i + 1, j), index(i, j + 1), index(i + 1, j + 1)]]
    };
    TriangleMesh { vertices, triangles: (0..around * across).flat_map(cell).collect() }
}

fn partition(criterion: &mut Criterion) {
    let mesh = wavy_torus(320, 157);
    assert!(mesh.triangles.len() > 100_000);
    let mut group = criterion.benchmark_group("partition");
    group.sample_size(20);
    let diagonal = mesh.aabb().extent().length();
    for (name, share) in [("100k triangles, segments of 1/16", 1.0 / 16.0), ("100k triangles, segments of 1/64", 1.0 / 64.0)] {
        let limits = SegmentLimits::new(share * diagonal, 64);
        group.bench_function(name, |bencher| bencher.iter(|| Segmentation::build(&mesh, &limits)));
    }
    group.finish();
}

/// `mesh` as an OBJ file.
fn write_obj(path: &Path, mesh: &TriangleMesh) {
    let mut text = String::new();
    for DVec3 { x, y, z } in &mesh.vertices {
        writeln!(text, "v {x:.6} {y:.6} {z:.6}").expect("text");
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).expect("text");
    }
    fs::write(path, text).expect("a temporary file");
}

/// All that a scene does with a mesh before the first step.
fn preparation(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("torus.obj");
    write_obj(&path, &wavy_torus(200, 125));
    let options = ImportOptions::default();
    let read = || import::load(&path, &options).expect("a mesh");
    let mesh = read();
    assert_eq!(mesh.triangles.len(), 50_000);
    let limits = SegmentLimits::new(mesh.aabb().extent().length() / 32.0, 32);
    let definitions = |mesh: &TriangleMesh| {
        let cube = TriangleMesh::cuboid(DVec3::splat(0.2));
        let cube = BodyDefinition::floating("cube", cube, MassSource::Density(500.0)).at(DVec3::splat(5.0));
        vec![BodyDefinition::fixed("torus", mesh.clone()), cube]
    };
    let bodies = |definitions| Bodies::new(definitions, limits, Domain::OPEN, &Unwatched).expect("nobody interrupts");
    let mut group = criterion.benchmark_group("50k triangles");
    group.sample_size(20);
    group.bench_function("read and clean", |bencher| bencher.iter(read));
    group.bench_function("wind outward", |bencher| bencher.iter_batched_ref(|| mesh.clone(), orient_outwards, BatchSize::LargeInput));
    group.bench_function("report", |bencher| bencher.iter(|| MeshReport::of(&mesh)));
    group.bench_function("mass properties", |bencher| bencher.iter(|| MassProperties::of(&mesh)));
    group.bench_function("inside test", |bencher| bencher.iter(|| InsideTest::new(&mesh)));
    group.bench_function("segments", |bencher| bencher.iter(|| Segmentation::build(&mesh, &limits)));
    group.bench_function("segments and contact shape", |bencher| {
        bencher.iter_batched(|| definitions(&mesh), bodies, BatchSize::LargeInput);
    });
    group.bench_function("everything", |bencher| {
        bencher.iter(|| {
            let mut mesh = read();
            orient_outwards(&mut mesh);
            (MeshReport::of(&mesh), InsideTest::new(&mesh), bodies(definitions(&mesh)))
        });
    });
    group.finish();
}

criterion_group!(benches, partition, preparation);
criterion_main!(benches);
