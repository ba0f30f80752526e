//! Time to map the slab-cut balls of a mesh to the cells of 100,000 particles.

use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{DVec3, Vec3A};
use plimsoll::{
    bodies::{Body, BodyDefinition, BodyKind, Mapping, PrescribedMotion, Presence},
    math::{Aabb, Pose},
    search::CellGrid,
    shape::{ImportOptions, SegmentLimits, Segmentation, import},
};

/// A sample mesh as a body, with segments of the same size as in a simulation.
fn body(name: &str, kind: BodyKind, radius: f64) -> Body {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes").join(name);
    let mesh = import::load(&path, &ImportOptions::default()).expect("a sample mesh is sound");
    let segmentation = Segmentation::build(&mesh, &SegmentLimits::new(8.0 * radius, 32));
    Body::new(
        BodyDefinition {
            name: name.into(),
            mesh,
            pose: Pose::IDENTITY,
            kind,
            friction: 0.0,
            restitution: 0.0,
            presence: Presence::default(),
        },
        segmentation,
    )
}

/// Particles on a lattice of spacing `2 radius` in `aabb`, in cells of edge `4 radius`.
fn particles(aabb: Aabb, radius: f64) -> (CellGrid, Vec<Vec3A>) {
    let counts = (aabb.extent() / (2.0 * radius)).floor().as_uvec3();
    let place =
        |index: u32| DVec3::new((index % counts.x).into(), (index / counts.x % counts.y).into(), (index / counts.x / counts.y).into());
    let mut positions: Vec<Vec3A> =
        (0..counts.element_product()).map(|index| (aabb.min + 2.0 * radius * (place(index) + 0.5)).as_vec3a()).collect();
    let mut grid = CellGrid::default();
    grid.update(&positions, (4.0 * radius) as f32);
    grid.reorder(&mut positions, &mut Vec::new());
    (grid, positions)
}

fn mapping(criterion: &mut Criterion) {
    let still = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::ZERO, pivot: DVec3::ZERO };
    let around_statue = Aabb { min: DVec3::new(-0.5, -0.1, -0.5), max: DVec3::new(0.5, 1.1, 0.5) };
    let in_tank = Aabb { min: DVec3::ZERO, max: DVec3::new(2.0, 0.4, 1.0) };
    let (statue_radius, tank_radius) = (0.0114, 0.01);
    let cases = [
        ("statue, moving", "statue.obj", BodyKind::Moving(still.clone()), around_statue, statue_radius),
        ("tank, static, cells kept", "tank.obj", BodyKind::Static, in_tank, tank_radius),
        ("tank, moving", "tank.obj", BodyKind::Moving(still), in_tank, tank_radius),
    ];
    let mut group = criterion.benchmark_group("mapping");
    group.sample_size(20);
    for (name, file, kind, aabb, radius) in cases {
        let bodies = [body(file, kind, radius)];
        let (grid, positions) = particles(aabb, radius);
        assert!((95_000..105_000).contains(&positions.len()), "{} particles", positions.len());
        let mut mapping = Mapping::default();
        group.bench_function(format!("{name}, 100k particles"), |bencher| {
            bencher.iter(|| mapping.update(&bodies, &grid, &positions, 2.0 * radius));
        });
        println!("{name}: {} segments, {:?}", bodies[0].segmentation.segments.len(), mapping.counters);
    }
    group.finish();
}

criterion_group!(benches, mapping);
criterion_main!(benches);
