//! Signed distances against closed forms, and inside tests against the parity of a ray's crossings.

use std::{thread::sleep, time::Duration};

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_shape::{InsideTest, Obstacle, TriangleMesh};
use rayon::prelude::*;

use super::{random_numbers, sample};

fn random_points(seed: u64, count: usize, half: DVec3) -> Vec<DVec3> {
    let mut random = random_numbers(seed);
    (0..count).map(|_| (2.0 * DVec3::new(random(), random(), random()) - 1.0) * half).collect()
}

fn box_distance(point: DVec3, half: DVec3) -> f64 {
    let beyond = point.abs() - half;
    beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
}

#[test]
fn distances_to_a_box_are_exact_at_faces_edges_and_corners() {
    let test = InsideTest::new(&sample("box"));
    let half = DVec3::splat(0.5);
    // A lattice with planes on the faces and through the middle of the box hits every feature exactly; random points cover the rest.
    let steps = [-0.9, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75];
    let lattice = (0..7 * 7 * 7).map(|index| DVec3::new(steps[index % 7], steps[index / 7 % 7], steps[index / 49]));
    for point in lattice.chain(random_points(1, 5000, DVec3::splat(1.0))) {
        let expected = box_distance(point, half);
        assert!((test.signed_distance(point) - expected).abs() < 1e-14, "{point} {expected} {}", test.signed_distance(point));
        assert!(expected == 0.0 || test.contains(point) == (expected < 0.0), "{point}");
        assert!((test.distance(point) - expected.abs()).abs() < 1e-14);
    }
}

#[test]
fn points_a_hair_from_a_boxs_edge_fall_on_the_right_side() {
    let test = InsideTest::new(&sample("box"));
    for point in random_points(2, 2000, DVec3::splat(0.5)) {
        let edge = DVec3::new(0.5, 0.5, point.z);
        let offset = 1e-9 * DVec3::new(point.x, point.y, 0.0);
        let expected = offset.x < 0.0 && offset.y < 0.0;
        assert_eq!(test.contains(edge + offset), expected, "{offset}");
    }
}

#[test]
fn distances_to_a_sphere_are_those_of_the_ball_within_its_sagitta() {
    let mesh = sample("sphere");
    let test = InsideTest::new(&mesh);
    let sagitta = 0.5
        - mesh.triangles.iter().enumerate().map(|(index, _)| mesh.corners(index).iter().sum::<DVec3>().length() / 3.0).fold(0.5, f64::min);
    assert!(sagitta < 2e-3);
    for point in random_points(3, 5000, DVec3::splat(0.8)) {
        let expected = point.length() - 0.5;
        let found = test.signed_distance(point);
        assert!((-1e-12..=sagitta).contains(&(found - expected)), "{point} {expected} {found}");
    }
}

/// Whether a ray from `point` in a general direction crosses the mesh an odd number of times (Möller & Trumbore 1997).
fn inside_by_parity(mesh: &TriangleMesh, point: DVec3) -> bool {
    let direction = DVec3::new(0.267_261, 0.534_522_5, 0.801_783_7);
    let crosses = |index: &usize| {
        let [a, b, c] = mesh.corners(*index);
        let (ab, ac) = (b - a, c - a);
        let normal = direction.cross(ac);
        let determinant = ab.dot(normal);
        let from_a = (point - a) / determinant;
        let (u, v) = (from_a.dot(normal), direction.dot(from_a.cross(ab)));
        u >= 0.0 && v >= 0.0 && u + v <= 1.0 && ac.dot(from_a.cross(ab)) > 0.0
    };
    (0..mesh.triangles.len()).filter(crosses).count() % 2 == 1
}

#[test]
fn a_concave_hull_agrees_with_ray_parity() {
    for (name, half) in
        [("boat", DVec3::new(0.55, 0.3, 0.22)), ("propeller", DVec3::new(0.4, 0.2, 0.4)), ("tank", DVec3::new(2.3, 1.2, 1.3))]
    {
        let mesh = sample(name);
        let test = InsideTest::new(&mesh);
        let points = random_points(4, 3000, half);
        let inside = points.iter().filter(|&&point| test.contains(point)).count();
        assert!(inside > 50, "{name}: only {inside} points are conclusive");
        for point in points {
            assert_eq!(test.contains(point), inside_by_parity(&mesh, point), "{name} {point}");
        }
    }
}

#[test]
fn open_meshes_have_distances_too() {
    let test = InsideTest::new(&sample("sheet"));
    assert!((test.distance(DVec3::new(0.1, -0.3, 0.2)) - 0.3).abs() < 1e-15);
    assert!((test.distance(DVec3::new(0.8, 0.4, 0.0)) - 0.5).abs() < 1e-15);
}

/// A thread that builds the inside test of an obstacle may steal work that needs the same test. It must not wait for itself.
#[test]
fn threads_that_need_one_inside_test_do_not_wait_for_themselves() {
    let mesh = sample("boat");
    rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads").install(|| {
        for delay in 0..300 {
            let obstacle = Obstacle::new(&mesh, Pose::IDENTITY, true);
            let measure = || obstacle.signed_distance(DVec3::ZERO);
            let others = || {
                sleep(Duration::from_micros(5 * delay));
                (0..16).into_par_iter().with_max_len(1).map(|_| measure()).collect::<Vec<f64>>()
            };
            let (first, others) = rayon::join(measure, others);
            assert!(others.iter().all(|&distance| distance == first));
        }
    });
}
