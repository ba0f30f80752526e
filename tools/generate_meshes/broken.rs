//! Meshes with the defects of real files. Most are a unit cube of squares, or a sphere, with one defect.

use std::f64::consts::TAU;

use glam::DVec3;
use plimsoll_shape::TriangleMesh;

use super::{Sample, solids};

/// Squares along an edge of the cube.
const STEPS: usize = 6;

/// One mesh per defect, in meters, y up.
pub fn meshes() -> Vec<Sample> {
    let sample = |name, description, mesh| Sample { name, description, mesh };
    vec![
        sample("duplicate", "two triangles that are there twice", duplicate()),
        sample("fold", "a flap of two triangles with opposite winding", fold()),
        sample("fin", "a triangle on an edge of the surface", fin()),
        sample("pinhole", "a triangle missing", pinhole()),
        sample("crack", "a side that is 1 mm away from the others", crack()),
        sample("junction", "a side with finer squares than the others", junction()),
        sample("flipped", "every third triangle wound inward", flipped()),
        sample("inside_out", "all triangles wound inward", inside_out(cube(STEPS))),
        sample("part_in_part", "a sphere within a cube, both wound outward", joined(&[cube(STEPS), small_sphere()])),
        sample("sliver", "vertices a micrometer beside edges", sliver()),
        sample("edge_contact", "two cubes that share an edge", joined(&[cube(STEPS), shifted(&cube(STEPS), DVec3::new(1.0, 1.0, 0.0))])),
        sample("glued", "two cubes with a common side that both have", joined(&[cube(STEPS), shifted(&cube(STEPS), DVec3::X)])),
        sample(
            "overlap",
            "two cubes shifted by half an edge along each axis",
            joined(&[cube(STEPS), shifted(&cube(STEPS), DVec3::splat(0.5))]),
        ),
        sample(
            "coplanar_overlap",
            "two cubes shifted by half an edge along x",
            joined(&[cube(STEPS), shifted(&cube(STEPS), 0.5 * DVec3::X)]),
        ),
        sample("pushed_through", "a dent that comes out at the other side", pushed_through()),
        sample("open_side", "a cube without its top", open_side()),
        sample("open_overlap", "two spheres that overlap, each with a round hole", open_overlap()),
        sample("moebius", "a band with a twist of half a turn", band(1)),
        sample("klein", "a closed surface without an inside", klein()),
    ]
}

/// The unit cube with `steps` squares along each edge; sides have vertices of their own.
pub fn cube(steps: usize) -> TriangleMesh {
    joined(&[0, 1, 2].map(|axis| joined(&[side(axis, 0.0, steps), side(axis, 1.0, steps)])))
}

/// The side of the unit cube across `axis`, with vertices of its own, wound outward.
fn side(axis: usize, at: f64, steps: usize) -> TriangleMesh {
    let point = |i: usize, j: usize| {
        let mut point = DVec3::splat(at);
        point[(axis + 1) % 3] = i as f64 / steps as f64;
        point[(axis + 2) % 3] = j as f64 / steps as f64;
        point
    };
    let row = (steps + 1) as u32;
    let squares = (0..row - 1).flat_map(|i| (0..row - 1).map(move |j| row * i + j));
    let mesh = TriangleMesh {
        vertices: (0..=steps).flat_map(|i| (0..=steps).map(move |j| point(i, j))).collect(),
        triangles: squares.flat_map(|first| [[first, first + row, first + row + 1], [first, first + row + 1, first + 1]]).collect(),
    };
    if at > 0.5 { mesh } else { inside_out(mesh) }
}

fn small_sphere() -> TriangleMesh {
    shifted(&solids::sphere(0.25, 2), DVec3::splat(0.5))
}

/// All parts in one mesh.
pub fn joined(parts: &[TriangleMesh]) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for part in parts {
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(&part.vertices);
        mesh.triangles.extend(part.triangles.iter().map(|triangle| triangle.map(|vertex| first + vertex)));
    }
    mesh
}

/// The mesh moved `by` a distance.
pub fn shifted(mesh: &TriangleMesh, by: DVec3) -> TriangleMesh {
    TriangleMesh { vertices: mesh.vertices.iter().map(|&vertex| vertex + by).collect(), triangles: mesh.triangles.clone() }
}

fn inside_out(mut mesh: TriangleMesh) -> TriangleMesh {
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    mesh
}

fn duplicate() -> TriangleMesh {
    let mut mesh = cube(STEPS);
    let [a, b, c] = mesh.triangles[20];
    mesh.triangles.extend([mesh.triangles[7], [b, c, a]]);
    mesh
}

/// With a flap on `edge` of a triangle in the middle of a side, of one triangle or two.
fn with_flap(two: bool) -> TriangleMesh {
    let mut mesh = cube(STEPS);
    let [a, b, _] = mesh.triangles[STEPS * STEPS];
    let middle = 0.5 * (mesh.vertices[a as usize] + mesh.vertices[b as usize]);
    let tip = mesh.vertices.len() as u32;
    mesh.vertices.push(middle + 0.2 * (middle - DVec3::splat(0.5)));
    mesh.triangles.push([a, b, tip]);
    if two {
        mesh.triangles.push([b, a, tip]);
    }
    mesh
}

fn fold() -> TriangleMesh {
    with_flap(true)
}

fn fin() -> TriangleMesh {
    with_flap(false)
}

fn pinhole() -> TriangleMesh {
    let mut mesh = solids::sphere(0.5, 4);
    mesh.triangles.remove(1000);
    mesh
}

fn crack() -> TriangleMesh {
    let mut mesh = cube(STEPS);
    let own = (STEPS + 1) * (STEPS + 1);
    mesh.vertices[..own].iter_mut().for_each(|vertex| vertex.x -= 1e-3);
    mesh
}

fn junction() -> TriangleMesh {
    let mut mesh = cube(STEPS);
    mesh.triangles.drain(..2 * STEPS * STEPS);
    joined(&[side(0, 0.0, 2 * STEPS), mesh])
}

fn flipped() -> TriangleMesh {
    let mut mesh = cube(STEPS);
    mesh.triangles.iter_mut().step_by(3).for_each(|triangle| triangle.swap(1, 2));
    mesh
}

/// Each triangle of a sphere is divided at a point close to its first edge.
fn sliver() -> TriangleMesh {
    let mut mesh = solids::sphere(0.5, 2);
    let mut triangles = Vec::new();
    for &[a, b, c] in &mesh.triangles {
        let [from, to, apex] = [a, b, c].map(|corner| mesh.vertices[corner as usize]);
        let middle = 0.5 * (from + to);
        let tip = mesh.vertices.len() as u32;
        mesh.vertices.push(middle + 1e-6 * (apex - middle).normalize());
        triangles.extend([[a, b, tip], [b, c, tip], [c, a, tip]]);
    }
    TriangleMesh { triangles, ..mesh }
}

/// The middle of the top goes down through the bottom.
fn pushed_through() -> TriangleMesh {
    let mut mesh = cube(2 * STEPS);
    for vertex in mesh.vertices.iter_mut().filter(|vertex| vertex.y == 1.0) {
        let across = DVec3::new(vertex.x - 0.5, 0.0, vertex.z - 0.5).length();
        vertex.y -= 1.3 * (1.0 - (across / 0.4).powi(2)).max(0.0);
    }
    mesh
}

fn open_side() -> TriangleMesh {
    let mut mesh = cube(STEPS);
    let top: Vec<bool> =
        mesh.triangles.iter().map(|corners| corners.iter().all(|&corner| mesh.vertices[corner as usize].y == 1.0)).collect();
    let mut top = top.iter();
    mesh.triangles.retain(|_| !top.next().expect("one entry for each"));
    mesh
}

/// Spheres with their centers a radius apart; what is above 0.8 of the radius is missing.
fn open_overlap() -> TriangleMesh {
    let mut sphere = solids::sphere(0.5, 3);
    let TriangleMesh { vertices, triangles } = &mut sphere;
    triangles.retain(|corners| corners.iter().any(|&corner| vertices[corner as usize].y < 0.4));
    joined(&[sphere.clone(), shifted(&sphere, 0.5 * DVec3::X)])
}

/// A band around the y axis, twisted by `twist` half turns.
fn band(twist: u32) -> TriangleMesh {
    let steps = 40;
    let mut mesh = TriangleMesh::default();
    for step in 0..=steps {
        let along = TAU * f64::from(step) / f64::from(steps);
        let (tilt, outward) = (0.5 * f64::from(twist) * along, DVec3::new(along.cos(), 0.0, along.sin()));
        let half = 0.15 * (tilt.cos() * DVec3::Y + tilt.sin() * outward);
        mesh.vertices.extend([0.5 * outward - half, 0.5 * outward + half]);
    }
    for step in 0..steps {
        let first = 2 * step;
        mesh.triangles.extend([[first, first + 1, first + 3], [first, first + 3, first + 2]]);
    }
    mesh
}

/// The figure-eight immersion of the Klein bottle.
fn klein() -> TriangleMesh {
    let (around, across) = (40, 24);
    let mut mesh = TriangleMesh::default();
    for i in 0..around {
        let u = TAU * f64::from(i) / f64::from(around);
        for j in 0..across {
            // No vertex lies on the line where the surface crosses itself.
            let v = TAU * (f64::from(j) + 0.5) / f64::from(across);
            let (s, c) = (0.5 * u).sin_cos();
            let radius = 0.4 + 0.15 * (c * v.sin() - s * (2.0 * v).sin());
            mesh.vertices.push(DVec3::new(radius * u.cos(), 0.15 * (s * v.sin() + c * (2.0 * v).sin()), radius * u.sin()));
        }
    }
    // After one turn about the axis, the figure eight is turned by half a turn.
    let vertex = |i: u32, j: u32| if i == around { across - 1 - j % across } else { across * i + j % across };
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}
