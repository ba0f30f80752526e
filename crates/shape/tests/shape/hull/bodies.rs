//! Bodies with closed forms.

use std::{f64::consts::TAU, path::Path};

use glam::{DVec2, DVec3};
use plimsoll_shape::{ImportOptions, TriangleMesh, hydrostatics::Hull, import, orient_outwards};

/// A sample mesh of the repository.
pub fn sample(name: &str) -> TriangleMesh {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(format!("meshes/{name}.obj"));
    oriented(import::load_with_summary(&path, &ImportOptions::default()).unwrap().0)
}

pub fn oriented(mut mesh: TriangleMesh) -> TriangleMesh {
    orient_outwards(&mut mesh);
    mesh
}

pub fn hull(mesh: &TriangleMesh) -> Hull {
    Hull::new(mesh).unwrap()
}

/// The box between two corners.
pub fn cuboid(min: DVec3, max: DVec3) -> TriangleMesh {
    shifted(&TriangleMesh::cuboid(max - min), 0.5 * (min + max))
}

pub fn shifted(mesh: &TriangleMesh, shift: DVec3) -> TriangleMesh {
    TriangleMesh { vertices: mesh.vertices.iter().map(|vertex| *vertex + shift).collect(), triangles: mesh.triangles.clone() }
}

pub fn turned_inside_out(mesh: &TriangleMesh) -> TriangleMesh {
    TriangleMesh { vertices: mesh.vertices.clone(), triangles: mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect() }
}

/// All meshes in one.
pub fn together(meshes: &[TriangleMesh]) -> TriangleMesh {
    let mut all = TriangleMesh::default();
    for mesh in meshes {
        let offset = all.vertices.len() as u32;
        all.vertices.extend(&mesh.vertices);
        all.triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + offset)));
    }
    all
}

/// The prism over a convex polygon in the plane of y and z, counterclockwise seen from +x, from x = −length/2 to length/2.
pub fn prism(outline: &[DVec2], length: f64) -> TriangleMesh {
    let count = outline.len() as u32;
    let end = |x: f64| outline.iter().map(move |point| DVec3::new(x, point.x, point.y));
    let vertices = end(-0.5 * length).chain(end(0.5 * length)).collect();
    let mut triangles = Vec::new();
    for k in 0..count {
        let next = (k + 1) % count;
        triangles.extend([[k, next, count + next], [k, count + next, count + k]]);
        if k > 0 && next > 0 {
            triangles.extend([[0, next, k], [count, count + k, count + next]]);
        }
    }
    TriangleMesh { vertices, triangles }
}

/// A regular polygon with the area of the circle of this radius, in (y, z).
pub fn circle(radius: f64, sides: usize) -> Vec<DVec2> {
    let angle = TAU / sides as f64;
    let outer = radius * (angle / angle.sin()).sqrt();
    (0..sides).map(|k| outer * DVec2::from_angle((k as f64 + 0.5) * angle)).collect()
}

/// A vertical cylinder over the same polygon, from y = 0 to `height`.
pub fn upright_cylinder(radius: f64, height: f64, sides: usize) -> TriangleMesh {
    let mut mesh = prism(&circle(radius, sides), height);
    mesh.vertices.iter_mut().for_each(|vertex| *vertex = DVec3::new(-vertex.y, vertex.x + 0.5 * height, vertex.z));
    oriented(mesh)
}

/// An open vessel: a box with a box-shaped hold, which has the same top.
pub fn vessel(min: DVec3, max: DVec3, thickness: f64) -> TriangleMesh {
    let (outer, inner) = (cuboid(min, max), turned_inside_out(&cuboid(min + thickness, max - DVec3::new(thickness, 0.0, thickness))));
    // The top of both boxes is replaced by a rim: for each corner of a top, the corner of the other at the same place.
    let top = |mesh: &TriangleMesh| -> Vec<u32> {
        let mut corners: Vec<u32> = (0..8).filter(|&k| mesh.vertices[k as usize].y > max.y - 1e-9).collect();
        let middle = 0.5 * (min + max);
        let angle = |k: u32| (mesh.vertices[k as usize].z - middle.z).atan2(mesh.vertices[k as usize].x - middle.x);
        corners.sort_by(|&one, &other| angle(one).total_cmp(&angle(other)));
        corners
    };
    let (outside, inside) = (top(&outer), top(&inner));
    let open = |mesh: &TriangleMesh| {
        let mut mesh = mesh.clone();
        let vertices = mesh.vertices.clone();
        mesh.triangles.retain(|triangle| triangle.iter().any(|&vertex| vertices[vertex as usize].y < max.y - 1e-9));
        mesh
    };
    let mut mesh = together(&[open(&outer), open(&inner)]);
    for k in 0..4 {
        let (a, b) = (outside[k], outside[(k + 1) % 4]);
        let (c, d) = (8 + inside[k], 8 + inside[(k + 1) % 4]);
        mesh.triangles.extend([[a, c, d], [a, d, b]]);
    }
    oriented(mesh)
}

/// The hull of Wigley, half breadth `B/2 (1 − (2x/L)²) (1 − (y/T)²)` below its waterline y = 0, with vertical sides up to a deck at
/// `freeboard`. `halves` is the number of stations on each side of the middle and of waterlines below the water.
pub fn wigley(length: f64, breadth: f64, draft: f64, freeboard: f64, halves: usize) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let waterlines = halves + 1;
    // A closed outline for each station: down the starboard side and up the port side; both ends have no breadth.
    for station in 0..=2 * halves {
        let x = station as f64 / halves as f64 - 1.0;
        let point = |row: usize, side: f64| {
            let y = if row == 0 { freeboard } else { -draft * (row - 1) as f64 / halves as f64 };
            let depth = (-y / draft).max(0.0);
            DVec3::new(0.5 * length * x, y, side * 0.5 * breadth * (1.0 - x * x) * (1.0 - depth * depth))
        };
        mesh.vertices.extend((0..=waterlines).map(|row| point(row, 1.0)).chain((0..waterlines).rev().map(|row| point(row, -1.0))));
    }
    let around = 2 * waterlines as u32 + 1;
    for station in 0..2 * halves as u32 {
        for k in 0..around {
            let (a, b) = (station * around + k, station * around + (k + 1) % around);
            mesh.triangles.extend([[a, b, b + around], [a, b + around, a + around]]);
        }
    }
    weld(&mut mesh);
    oriented(mesh)
}

/// Joins equal vertices and removes the triangles that have no area left.
fn weld(mesh: &mut TriangleMesh) {
    let mut numbers = std::collections::HashMap::new();
    let mut vertices = Vec::new();
    for triangle in &mut mesh.triangles {
        *triangle = triangle.map(|vertex| {
            let point = mesh.vertices[vertex as usize];
            *numbers.entry((point * 1e9).round().to_array().map(|x| x as i64)).or_insert_with(|| {
                vertices.push(point);
                vertices.len() as u32 - 1
            })
        });
    }
    mesh.vertices = vertices;
    mesh.triangles.retain(|&[a, b, c]| a != b && b != c && a != c);
}

/// Pseudorandom numbers in 0..1.
pub fn random_numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut random = plimsoll_base::math::Random::new(seed);
    move || random.uniform()
}
