//! Time of the wall integrals for one particle and one triangle: mirror layer and kernel volume.

use std::{hint::black_box, path::Path};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::DVec3;
use plimsoll::{
    fluid::walls::{SurfaceIntegral, WallTriangle, kernel_volume, mirror_layer},
    shape::{ImportOptions, SegmentLimits, Segmentation, import},
};

/// Particle radius. The mirror layer extends to 2 radii, the kernel to 4.
const RADIUS: f64 = 0.02;

/// Triangles of the sample mesh `name`.
fn triangles(name: &str) -> Vec<WallTriangle> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes").join(name);
    let mesh = import::load(&path, &ImportOptions::default()).expect("a sample mesh is sound");
    let segmentation = Segmentation::build(&mesh, &SegmentLimits::new(8.0 * RADIUS, 32));
    let corners = (0..segmentation.mesh.triangles.len()).map(|index| segmentation.mesh.corners(index));
    corners.zip(&segmentation.sharp_edges).map(|(corners, &sharp)| WallTriangle::new(corners, sharp)).collect()
}

/// Particles near a wall, each with the triangles within `cutoff` of it.
fn pairs(triangles: &[WallTriangle], points: &[DVec3], cutoff: f64) -> Vec<(DVec3, Vec<WallTriangle>)> {
    let near =
        |&point: &DVec3| (point, triangles.iter().filter(|triangle| triangle.distance_bound(point, cutoff).is_some()).copied().collect());
    points.iter().map(near).collect()
}

/// 64 points along `along`, at distances from half a radius to three and a half radii from the surface in the direction `away`.
fn points(origin: DVec3, along: DVec3, away: DVec3) -> Vec<DVec3> {
    let share = |index: u32, factor: u32| f64::from(index * factor % 64) / 64.0;
    (0..64).map(|index| origin + share(index, 37) * along + (0.5 + 3.0 * share(index, 11)) * RADIUS * away).collect()
}

fn wall(criterion: &mut Criterion) {
    let (cuboid, sphere) = (triangles("box.obj"), triangles("sphere.obj"));
    let diagonal = DVec3::new(1.0, 1.0, 0.0);
    let cases = [
        ("flat interior", &cuboid, points(DVec3::new(-0.3, 0.5, 0.1), DVec3::new(0.6, 0.0, 0.07), DVec3::Y)),
        ("edge", &cuboid, points(DVec3::new(0.5, 0.5, -0.3), DVec3::new(0.0, 0.0, 0.6), diagonal * 0.6)),
        ("curved mesh", &sphere, points(DVec3::new(0.0, 0.5, 0.0), DVec3::new(0.05, 0.0, 0.05), DVec3::Y)),
    ];
    for (name, triangles, points) in cases {
        let mut group = criterion.benchmark_group(format!("wall, {name}"));
        group.sample_size(30);
        for (function, cutoff) in [("mirror layer", 2.0 * RADIUS), ("kernel volume", 4.0 * RADIUS)] {
            let pairs = pairs(triangles, &points, cutoff);
            group.throughput(Throughput::Elements(pairs.iter().map(|(_, near)| near.len() as u64).sum()));
            group.bench_function(function, |bencher| {
                bencher.iter(|| pairs.iter().map(|(point, near)| integrate(function, near, black_box(*point), cutoff)).sum::<f64>());
            });
        }
        group.finish();
    }
}

fn integrate(function: &str, near: &[WallTriangle], point: DVec3, cutoff: f64) -> f64 {
    if function == "kernel volume" {
        return kernel_volume(near, point, cutoff, false).value;
    }
    let mut sum = SurfaceIntegral::default();
    for triangle in near {
        sum += triangle.integrate(mirror_layer(), point, cutoff);
    }
    sum.value
}

criterion_group!(benches, wall);
criterion_main!(benches);
