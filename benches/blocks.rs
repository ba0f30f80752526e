//! Pair searches with 2,344 bricks in a trough, and a step of a jointed slope.

use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glam::DVec2;
use plimsoll::{
    blocks::BlocksSimulation,
    math::Rectangle,
    scene::{Definition, Scene},
    search::planar::{Outlines, PairSearch, SearchMethod, is_complex},
    simulator::Simulator,
};

fn searches(criterion: &mut Criterion) {
    let mut polygons =
        vec![vec![[-1.0, -1.0], [71.0, -1.0], [71.0, 36.0], [70.0, 36.0], [70.0, 0.0], [0.0, 0.0], [0.0, 36.0], [-1.0, 36.0]]];
    for place in 0..2343_u32 {
        let (x, y) = (f64::from(place % 70), f64::from(place / 70));
        polygons.push(vec![[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]]);
    }
    let vertices: Vec<DVec2> = polygons.concat().into_iter().map(DVec2::from_array).collect();
    let mut offsets = vec![0];
    polygons.iter().for_each(|polygon| offsets.push(offsets[offsets.len() - 1] + polygon.len() as u32));
    let boxes: Vec<Rectangle> =
        offsets.windows(2).map(|ends| Rectangle::around(vertices[ends[0] as usize..ends[1] as usize].iter().copied())).collect();
    let complex = is_complex(&vertices, &offsets);
    let outlines = Outlines { vertices: &vertices, offsets: &offsets, boxes: &boxes, complex: &complex };
    let mut group = criterion.benchmark_group("blocks, search");
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    for method in SearchMethod::ALL {
        let (mut search, mut pairs) = (PairSearch::new(method, None), Vec::new());
        group.bench_function(method.name(), |bencher| bencher.iter(|| search.find(&outlines, 0.02, &mut pairs)));
    }
    group.finish();
}

fn step(criterion: &mut Criterion) {
    let scene = Scene::load(std::path::Path::new("scenes/blocks/slope.toml")).expect("a sound scene");
    let Definition::Blocks(settings) = scene.definition else { panic!("blocks") };
    let mut group = criterion.benchmark_group("blocks, step");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(4));
    group.bench_function("second step of the slope", |bencher| {
        let begun = || {
            let mut simulation = BlocksSimulation::new((*settings).clone()).expect("a sound scene");
            simulation.advance(1.0).expect("a solution");
            simulation
        };
        bencher.iter_batched_ref(begun, |simulation| simulation.advance(1.0).expect("a solution"), BatchSize::SmallInput);
    });
    group.finish();
}

criterion_group!(benches, searches, step);
criterion_main!(benches);
