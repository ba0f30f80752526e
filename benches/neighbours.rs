//! Time to sort 100,000 particles into cells and to build their neighbour lists.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use glam::Vec3A;
use plimsoll::search::{CellGrid, NeighbourLists};

const RADIUS: f32 = 0.01;
const SIDES: [usize; 3] = [50, 40, 50];

/// A block of fluid on a lattice, perturbed by a tenth of the spacing so that distances differ as in a fluid.
fn block() -> Vec<Vec3A> {
    let shake = |index: usize, factor: usize| ((index * factor) % 1000) as f32 / 1000.0 - 0.5;
    let place = |index: usize| {
        let lattice = [index % SIDES[0], index / SIDES[0] % SIDES[1], index / SIDES[0] / SIDES[1]].map(|place| place as f32);
        let shaken = Vec3A::new(shake(index, 7919), shake(index, 104_729), shake(index, 1_299_709));
        2.0 * RADIUS * (Vec3A::from_array(lattice) + 0.2 * shaken)
    };
    (0..SIDES.iter().product()).map(place).collect()
}

fn neighbours(criterion: &mut Criterion) {
    let cell_size = 4.0 * RADIUS;
    let mut grid = CellGrid::default();
    let mut positions = block();
    grid.update(&positions, cell_size);
    grid.reorder(&mut positions, &mut Vec::new());
    // Motion within a step: a fifth of a particle's diameter.
    let moved: Vec<Vec3A> = positions.iter().enumerate().map(|(i, &x)| x + 0.004 * ((i % 13) as f32 / 13.0 - 0.5) * Vec3A::ONE).collect();
    let mut group = criterion.benchmark_group("neighbours");
    group.sample_size(20).throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("100k particles, sort those of a lattice", |bencher| {
        let unsorted = block();
        bencher.iter(|| grid.update(black_box(&unsorted), cell_size));
    });
    group.bench_function("100k particles, sort again after a step", |bencher| {
        bencher.iter_batched_ref(CellGrid::default, |grid| grid.update(black_box(&moved), cell_size), BatchSize::LargeInput);
    });
    grid.update(&positions, cell_size);
    let mut lists = NeighbourLists::default();
    group.bench_function("100k particles, lists", |bencher| bencher.iter(|| lists.rebuild(&grid, black_box(&positions))));
    group.finish();
    println!("{:.1} neighbours a particle", (0..lists.len()).map(|i| lists.of(i).count()).sum::<usize>() as f64 / positions.len() as f64);
}

criterion_group!(benches, neighbours);
criterion_main!(benches);
