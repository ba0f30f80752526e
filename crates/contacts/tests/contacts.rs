//! Contacts of random pairs of polyhedra, compared with a search over all axes.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use parry3d_f64::{
    math::Pose,
    query::{ContactManifold, PersistentQueryDispatcher, distance},
    shape::{ConvexPolyhedron, SharedShape},
};
use plimsoll_base::math::Random;
use plimsoll_contacts::Dispatcher;
use rayon::prelude::*;

const PREDICTION: f64 = 0.02;

/// By how much depths may differ: axes of edges must be better by a hundredth of the prediction distance, and contacts lie on the features across the
/// axis. A thousandth of the size.
const WORSE: f64 = 0.05 * PREDICTION;

type Manifold = ContactManifold<(), u32>;

fn prism(sides: u32, diameter: f64, height: f64) -> Vec<DVec3> {
    let corner = |side: u32| {
        let (sin, cos) = (TAU * f64::from(side) / f64::from(sides)).sin_cos();
        [-0.5, 0.5].map(|level| DVec3::new(0.5 * diameter * cos, level * height, 0.5 * diameter * sin))
    };
    (0..sides).flat_map(corner).collect()
}

fn cone(sides: u32) -> Vec<DVec3> {
    let mut points: Vec<DVec3> = prism(sides, 1.0, 1.0).into_iter().filter(|point| point.y < 0.0).collect();
    points.push(DVec3::new(0.0, 0.5, 0.0));
    points
}

fn random_points(random: &mut Random, count: u32) -> Vec<DVec3> {
    (0..count).map(|_| 0.5 * random.direction(3)).collect()
}

fn below(random: &mut Random, limit: u32) -> u32 {
    (random.uniform() * f64::from(limit)) as u32
}

/// A random convex polyhedron with a size of about one.
fn polyhedron(random: &mut Random) -> Vec<DVec3> {
    match below(random, 8) {
        0 => prism(4, 1.0, 0.2 + random.uniform()),
        1 => prism(3 + below(random, 6), 1.0, 1.0),
        2 => prism(9 + below(random, 24), 1.0, 1.0),
        3 => prism(16, 1.0, 0.02),
        4 => prism(5, 0.05, 1.0),
        5 => cone(3 + below(random, 12)),
        6 => random_points(random, 12),
        _ => random_points(random, 30),
    }
}

/// The largest separation of two polyhedra along any normal of a face or of two edges (separating axis theorem).
fn separation(first: &ConvexPolyhedron, second: &ConvexPolyhedron, pose: &Pose) -> f64 {
    let points: Vec<DVec3> = second.points().iter().map(|&point| *pose * point).collect();
    let along = |axis: DVec3| {
        let low = points.iter().fold(f64::INFINITY, |low, point| low.min(point.dot(axis)));
        low - first.points().iter().fold(f64::NEG_INFINITY, |high, point| high.max(point.dot(axis)))
    };
    let of_first = first.faces().iter().map(|face| along(face.normal));
    let of_second = second.faces().iter().map(|face| along(-(pose.rotation * face.normal)));
    let faces = of_first.chain(of_second).fold(f64::NEG_INFINITY, f64::max);
    let directions = |polyhedron: &ConvexPolyhedron, turn: DQuat| -> Vec<DVec3> {
        let mut directions: Vec<DVec3> = Vec::new();
        for edge in polyhedron.edges() {
            let direction = turn * edge.dir;
            if directions.iter().all(|other| other.dot(direction).abs() < 1.0 - 1e-12) {
                directions.push(direction);
            }
        }
        directions
    };
    let (one, other) = (directions(first, DQuat::IDENTITY), directions(second, pose.rotation));
    let normals = one.iter().flat_map(|a| other.iter().filter_map(move |b| a.cross(*b).try_normalize()));
    normals.fold(faces, |best, normal| best.max(along(normal)).max(along(-normal)))
}

/// The contacts that are found for a pair after those in `manifolds`.
fn search(shapes: &[SharedShape; 2], pose: &Pose, manifolds: &mut Vec<Manifold>) {
    let dispatcher = Dispatcher::default();
    shapes.iter().for_each(|shape| dispatcher.register(shape));
    dispatcher.contact_manifolds(pose, &*shapes[0], &*shapes[1], PREDICTION, manifolds, &mut None).expect("known shapes");
}

/// Compares the contacts of a random pair with the search over all axes.
fn check_pair(seed: u64) -> Kind {
    let random = &mut Random::new(seed);
    let shapes = [0, 1].map(|_| SharedShape::convex_hull(&polyhedron(random)).expect("a hull"));
    let turn = DQuat::from_scaled_axis(3.0 * random.direction(3));
    let pose = Pose::from_parts(random.direction(3) * (1.3 * random.uniform()), turn);
    let [first, second] = [&shapes[0], &shapes[1]].map(|shape| shape.as_convex_polyhedron().expect("a hull"));
    let mut manifolds = Vec::new();
    // Whatever direction the last step left.
    if below(random, 2) == 0 {
        manifolds.push(Manifold { local_n1: random.direction(3), ..Manifold::default() });
    }
    search(&shapes, &pose, &mut manifolds);
    let points: Vec<_> =
        manifolds.iter().flat_map(|manifold| manifold.points.iter().map(move |point| (manifold.local_n1, point))).collect();
    let expected = separation(first, second, &pose);
    for (normal, point) in &points {
        let apart = (pose * point.local_p2 - point.local_p1).dot(*normal);
        assert!((apart - point.dist).abs() < 1e-12, "seed {seed}: {apart} for {}", point.dist);
        assert!(point.dist <= PREDICTION && point.dist > expected - WORSE, "seed {seed}: {} for {expected}", point.dist);
    }
    assert!(manifolds.iter().all(|manifold| manifold.points.len() <= 4), "seed {seed}");
    let nearest = points.iter().fold(f64::INFINITY, |least, (_, point)| least.min(point.dist));
    if expected <= 0.0 {
        assert!((nearest - expected).abs() < WORSE, "seed {seed}: {nearest} for {expected}");
        return Kind::Overlapping;
    }
    let apart = distance(&Pose::IDENTITY, &*shapes[0], &pose, &*shapes[1]).expect("known shapes").distance;
    if apart < 0.99 * PREDICTION {
        // The features that face each other need not be the closest ones.
        assert!((nearest - apart).abs() < 2.0 * WORSE, "seed {seed}: {nearest} for {apart}");
        return Kind::Near;
    }
    assert!(apart < PREDICTION || points.is_empty(), "seed {seed}: contacts {apart} apart");
    Kind::Apart
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Overlapping,
    Near,
    Apart,
}

#[test]
fn contacts_of_random_pairs_are_those_of_a_search_over_all_axes() {
    let kinds: Vec<Kind> = (0..60_000).into_par_iter().map(check_pair).collect();
    let count = |kind: Kind| kinds.iter().filter(|&&other| other == kind).count();
    assert!(count(Kind::Overlapping) > 20_000 && count(Kind::Near) > 500 && count(Kind::Apart) > 10_000);
}

/// Two prisms of 32 sides that stand on one another: the library alone finds contacts between four corners of each.
#[test]
fn faces_of_many_corners_touch_along_their_whole_rim() {
    let shape = SharedShape::convex_hull(&prism(32, 1.0, 1.0)).expect("a hull");
    let mut manifolds = Vec::new();
    search(&[shape.clone(), shape], &Pose::from_translation(DVec3::new(0.0, 1.0, 0.0)), &mut manifolds);
    let points: Vec<DVec3> = manifolds.iter().flat_map(|manifold| manifold.points.iter().map(|point| point.local_p1)).collect();
    assert_eq!(points.len(), 8);
    for turn in 0..8 {
        let (sin, cos) = (TAU * f64::from(turn) / 8.0).sin_cos();
        let reach = points.iter().fold(0.0_f64, |most, point| most.max(point.x * cos + point.z * sin));
        assert!(reach > 0.45, "{points:?}");
    }
}

/// A contact keeps its impulses while bodies slide.
#[test]
fn contacts_keep_their_data() {
    let shapes = [prism(6, 1.0, 1.0), prism(9, 2.0, 1.0)].map(|points| SharedShape::convex_hull(&points).expect("a hull"));
    let mut manifolds = Vec::new();
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 1.0, 0.0));
    search(&shapes, &at(0.0), &mut manifolds);
    let mut number = 0;
    for point in manifolds.iter_mut().flat_map(|manifold| &mut manifold.points) {
        number += 1;
        point.data = number;
    }
    assert_eq!(number, 6);
    search(&shapes, &at(0.1), &mut manifolds);
    let mut found: Vec<u32> = manifolds.iter().flat_map(|manifold| manifold.points.iter().map(|point| point.data)).collect();
    found.sort_unstable();
    assert_eq!(found, [1, 2, 3, 4, 5, 6]);
}
