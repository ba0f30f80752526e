//! Pieces of surfaces.

use glam::DVec3;
use plimsoll_shape::TriangleMesh;

/// Most pieces along an edge of a triangle.
const MAX_PIECES: f64 = 64.0;

/// A small flat piece of a surface.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Its center, m.
    pub point: DVec3,
    /// Unit vector out of the solid.
    pub normal: DVec3,
    /// m²
    pub area: f64,
}

/// Pieces of the triangles of `mesh`, at most about `size` (m) long.
pub fn patches(mesh: &TriangleMesh, size: f64) -> Vec<Patch> {
    (0..mesh.triangles.len()).flat_map(|index| of_triangle(mesh.corners(index), size)).collect()
}

/// The centers of small triangles: those like the large one, and those turned around between them.
fn of_triangle([a, b, c]: [DVec3; 3], size: f64) -> impl Iterator<Item = Patch> {
    let cross = (b - a).cross(c - a);
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    let count = (longest / size).ceil().clamp(1.0, MAX_PIECES) as usize;
    let (normal, area) = (cross.normalize_or_zero(), 0.5 * cross.length() / (count * count) as f64);
    let at = move |u: f64, v: f64| Patch { point: a + (b - a) * (u / count as f64) + (c - a) * (v / count as f64), normal, area };
    (0..count).flat_map(move |i| {
        (0..count - i).flat_map(move |j| {
            let (u, v) = (i as f64, j as f64);
            let turned = (i + j + 1 < count).then(|| at(u + 2.0 / 3.0, v + 2.0 / 3.0));
            [Some(at(u + 1.0 / 3.0, v + 1.0 / 3.0)), turned].into_iter().flatten()
        })
    })
}
