//! Closed solids with known closed forms.

use std::{collections::BTreeMap, f64::consts::TAU};

use glam::DVec3;
use plimsoll_shape::TriangleMesh;

use super::grid::{add_rows, quad, stitch};

/// The corners of the rectangle `low..high` at height `y`, counterclockwise seen from below.
fn rectangle(low: [f64; 2], high: [f64; 2], y: f64) -> Vec<DVec3> {
    [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]].map(|[x, z]| DVec3::new(x, y, z)).to_vec()
}

/// Centered at the origin.
pub fn cuboid(sides: [f64; 3]) -> TriangleMesh {
    let [x, y, z] = sides.map(|side| 0.5 * side);
    let mut mesh = TriangleMesh::default();
    let rows = add_rows(&mut mesh, &[rectangle([-x, -z], [x, z], -y), rectangle([-x, -z], [x, z], y)]);
    close_bottom(&mut mesh, &rows[0]);
    stitch(&mut mesh, &rows[1], &rows[0], true);
    close_top(&mut mesh, &rows[1]);
    mesh
}

fn close_bottom(mesh: &mut TriangleMesh, row: &[u32]) {
    quad(mesh, [row[0], row[1], row[2], row[3]]);
}

fn close_top(mesh: &mut TriangleMesh, row: &[u32]) {
    quad(mesh, [row[3], row[2], row[1], row[0]]);
}

/// Open at the top; the inside starts at the origin.
pub fn tank(inside: [f64; 3], wall: f64) -> TriangleMesh {
    let [x, y, z] = inside;
    let outer = |height| rectangle([-wall, -wall], [x + wall, z + wall], height);
    let inner = |height| rectangle([0.0, 0.0], [x, z], height);
    let mut mesh = TriangleMesh::default();
    let rows = add_rows(&mut mesh, &[outer(-wall), outer(y), inner(y), inner(0.0)]);
    close_bottom(&mut mesh, &rows[0]);
    for pair in rows.windows(2) {
        stitch(&mut mesh, &pair[1], &pair[0], true);
    }
    close_top(&mut mesh, &rows[3]);
    mesh
}

/// An icosahedron whose triangles are split into four `halvings` times; vertices are projected onto the sphere.
pub fn sphere(radius: f64, halvings: usize) -> TriangleMesh {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut mesh = TriangleMesh::default();
    for (one, long) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        mesh.vertices.extend([DVec3::new(0.0, one, long), DVec3::new(one, long, 0.0), DVec3::new(long, 0.0, one)]);
    }
    mesh.triangles = icosahedron_faces(&mesh.vertices);
    for _ in 0..halvings {
        let mut midpoints = BTreeMap::new();
        let TriangleMesh { vertices, triangles } = &mut mesh;
        let mut middle = |a: u32, b: u32| {
            *midpoints.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push((vertices[a as usize].normalize() + vertices[b as usize].normalize()).normalize());
                vertices.len() as u32 - 1
            })
        };
        *triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    mesh.vertices.iter_mut().for_each(|vertex| *vertex = radius * vertex.normalize());
    mesh
}

/// All triples of vertices at mutual distance two, the edge length of the icosahedron, with outward winding.
fn icosahedron_faces(vertices: &[DVec3]) -> Vec<[u32; 3]> {
    let adjacent = |a: usize, b: usize| (vertices[a].distance(vertices[b]) - 2.0).abs() < 1e-9;
    let mut faces = Vec::new();
    for a in 0..vertices.len() {
        for b in (a + 1..vertices.len()).filter(|&b| adjacent(a, b)) {
            for c in (b + 1..vertices.len()).filter(|&c| adjacent(a, c) && adjacent(b, c)) {
                let outwards = vertices[a].dot(vertices[b].cross(vertices[c])) > 0.0;
                faces.push(if outwards { [a, b, c] } else { [a, c, b] }.map(|vertex| vertex as u32));
            }
        }
    }
    faces
}

/// Torus about the y axis: `ring` is the distance from the axis to the middle of the tube, `tube` the radius of the tube.
pub fn torus(ring: f64, tube: f64) -> TriangleMesh {
    const AROUND: usize = 64;
    const ACROSS: usize = 32;
    let circle = |turn: usize| -> Vec<DVec3> {
        let (sine, cosine) = (TAU * turn as f64 / AROUND as f64).sin_cos();
        let point = |step: usize| {
            let (up, out) = (TAU * step as f64 / ACROSS as f64).sin_cos();
            let distance = ring + tube * out;
            DVec3::new(distance * cosine, tube * up, distance * sine)
        };
        (0..ACROSS).map(point).collect()
    };
    let mut mesh = TriangleMesh::default();
    let rows = add_rows(&mut mesh, &(0..AROUND).map(circle).collect::<Vec<_>>());
    for turn in 0..AROUND {
        stitch(&mut mesh, &rows[turn], &rows[(turn + 1) % AROUND], true);
    }
    mesh
}

/// A cylindrical vessel closed at both ends, with axis z; the middle of its inside is the origin.
pub fn drum(radius: f64, length: f64, wall: f64) -> TriangleMesh {
    const AROUND: usize = 72;
    let mut mesh = TriangleMesh::default();
    // The boundary of the material: the outside, and the inside with reversed winding.
    for (radius, half, outwards) in [(radius + wall, 0.5 * length + wall, true), (radius, 0.5 * length, false)] {
        let mut ring = |z: f64| -> Vec<u32> {
            let first = mesh.vertices.len() as u32;
            let angles = (0..AROUND).map(|step| TAU * step as f64 / AROUND as f64);
            mesh.vertices.extend(angles.map(|angle| DVec3::new(radius * angle.cos(), radius * angle.sin(), z)));
            mesh.vertices.push(DVec3::new(0.0, 0.0, z));
            (first..=first + AROUND as u32).collect()
        };
        let (back, front) = (ring(-half), ring(half));
        for step in 0..AROUND {
            let next = (step + 1) % AROUND;
            let triangles = [
                [back[step], back[next], front[next]],
                [back[step], front[next], front[step]],
                [front[AROUND], front[step], front[next]],
                [back[AROUND], back[next], back[step]],
            ];
            mesh.triangles.extend(triangles.map(|[a, b, c]| if outwards { [a, b, c] } else { [a, c, b] }));
        }
    }
    mesh
}
