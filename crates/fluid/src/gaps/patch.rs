//! Pieces of surfaces.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_shape::TriangleMesh;

/// Most pieces along an edge of a triangle.
const MAX_PIECES: f64 = 64.0;
/// Most patches of a group.
const GROUP: usize = 16;

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

/// Patches near one another, in a sphere around their centers.
#[derive(Debug)]
pub struct Group {
    pub patches: Vec<Patch>,
    /// m
    pub center: DVec3,
    pub radius: f64,
}

impl Group {
    fn of(patches: &[Patch], bounds: &Aabb) -> Self {
        let center = bounds.center();
        let radius = patches.iter().map(|patch| patch.point.distance(center)).fold(0.0, f64::max);
        Self { patches: patches.to_vec(), center, radius }
    }
}

/// Groups by recursive halving along the longest side.
pub fn grouped(patches: &mut [Patch]) -> Vec<Group> {
    let bounds = Aabb::around(patches.iter().map(|patch| patch.point));
    if patches.len() <= GROUP {
        return vec![Group::of(patches, &bounds)];
    }
    let axis = bounds.extent().max_position();
    let middle = patches.len() / 2;
    patches.select_nth_unstable_by(middle, |one, other| one.point[axis].total_cmp(&other.point[axis]));
    let (low, high) = patches.split_at_mut(middle);
    let mut groups = grouped(low);
    groups.append(&mut grouped(high));
    groups
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
