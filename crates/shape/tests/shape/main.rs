//! Meshes: import of real-world files, mass properties against closed forms, and the guarantees of segments.

mod hull;

mod broken;
mod fins;
mod formats;
#[path = "../../../../tools/generate_meshes/main.rs"]
mod generate_meshes;
mod import;
mod inside;
mod mass;
mod orientation;
mod repair;
mod samples;
mod segments;
mod sheets;

use glam::{DQuat, DVec3, EulerRot};
use plimsoll_base::math::{Pose, Random};
use plimsoll_shape::TriangleMesh;

/// A sample mesh by name, as generated.
fn sample(name: &str) -> TriangleMesh {
    let found = generate_meshes::samples().into_iter().find(|sample| sample.name == name);
    found.unwrap_or_else(|| panic!("no sample is called {name}")).mesh
}

/// A rotation about an arbitrary axis and a translation of several meters.
fn skew_pose() -> Pose {
    Pose::new(DQuat::from_euler(EulerRot::XYZ, 0.7, -1.1, 2.3), DVec3::new(12.0, -7.0, 31.0))
}

fn moved(mesh: &TriangleMesh, pose: &Pose) -> TriangleMesh {
    let vertices = mesh.vertices.iter().map(|&vertex| pose.transform_point(vertex)).collect();
    TriangleMesh { vertices, triangles: mesh.triangles.clone() }
}

/// Both meshes in one.
fn together(first: &TriangleMesh, second: &TriangleMesh) -> TriangleMesh {
    let offset = first.vertices.len() as u32;
    let vertices = first.vertices.iter().chain(&second.vertices).copied().collect();
    let shifted = second.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + offset));
    TriangleMesh { vertices, triangles: first.triangles.iter().copied().chain(shifted).collect() }
}

fn scaled(mesh: &TriangleMesh, factor: f64) -> TriangleMesh {
    let vertices = mesh.vertices.iter().map(|&vertex| factor * vertex).collect();
    TriangleMesh { vertices, triangles: mesh.triangles.clone() }
}

fn inside_out(mesh: &TriangleMesh) -> TriangleMesh {
    let triangles = mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    TriangleMesh { vertices: mesh.vertices.clone(), triangles }
}

/// Pseudorandom numbers in 0..1, the same in every run.
fn random_numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut random = Random::new(seed);
    move || random.uniform()
}
