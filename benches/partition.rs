//! Time to cut and group a mesh of about 100,000 triangles into segments; the target is below 100 ms.

use std::f64::consts::TAU;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::DVec3;
use plimsoll::shape::{SegmentLimits, Segmentation, TriangleMesh};

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
        let limits = SegmentLimits { size: share * diagonal, triangles: 64 };
        group.bench_function(name, |bencher| bencher.iter(|| Segmentation::build(&mesh, &limits)));
    }
    group.finish();
}

criterion_group!(benches, partition);
criterion_main!(benches);
