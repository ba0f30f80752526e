//! Patches of a surface that are a single layer: their triangles touch only at the edges and vertices that they share.
//!
//! Flat faces and the triangles around a vertex are tested. A patch is a single layer if, seen along some direction, all its triangles have
//! the same winding, and its boundary is a set of closed polygons that neither cross nor touch themselves or each other, exactly one of which
//! is counterclockwise. Proof: the number of triangles over a point of the plane is the winding number of their sides about it. Sides between
//! two triangles cancel, so that it is the winding number of the boundary. Each polygon adds 1 to it inside if it is counterclockwise, and −1 if
//! it is clockwise, so that it is at most 1. A vertex on a triangle that it does not belong to would make it 2 nearby, since the other
//! triangles at one of the two surround it, or else both are on the boundary. Triangles that touch in space also do so in the plane. All
//! distances exceed the rounding, so that the same holds for the coordinates as given.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::{
    TriangleMesh,
    pair_search::for_each_near_pair,
    topology::{EdgeTable, consistent},
};

/// Patches of fewer triangles are not worth the test.
const MIN_TRIANGLES: usize = 16;
/// Cosine of the angle between the normals of a face and of its first triangle. It need not be exactly flat.
const FLAT: f64 = 0.99;
/// Distance in the plane that is attributed to rounding, as a share of the coordinates relative to a corner.
const ROUNDING: f64 = 1e-12;
const NONE: u32 = u32::MAX;

/// For each triangle, the number of its patch; each triangle that is not in a patch that is a single layer has a number of its own. `edges`
/// are those of `mesh`.
pub fn single_layers(mesh: &TriangleMesh, edges: &EdgeTable) -> Vec<u32> {
    let neighbours = neighbours(mesh, edges);
    let normals: Vec<DVec3> = (0..mesh.triangles.len())
        .into_par_iter()
        .map(|index| {
            let [a, b, c] = mesh.corners(index);
            (b - a).cross(c - a).normalize_or_zero()
        })
        .collect();
    let mut groups = vec![NONE; mesh.triangles.len()];
    let mut count = 0;
    let mut number = |patch: &[u32], groups: &mut [u32]| {
        patch.iter().for_each(|&triangle| groups[triangle as usize] = count);
        count += 1;
    };
    for (face, direction) in flat_faces(&normals, &neighbours) {
        if is_single_layer(mesh, &face, direction, &neighbours) {
            number(&face, &mut groups);
        }
    }
    // A cone has several nearly flat faces, but may be a single layer. What a fan leaves of a face still is one.
    for fan in fans(mesh) {
        let direction: DVec3 = fan.iter().map(|&triangle| normals[triangle as usize]).sum();
        let of = |triangle: u32| groups[triangle as usize];
        let is_known = of(fan[0]) != NONE && fan.iter().all(|&triangle| of(triangle) == of(fan[0]));
        if !is_known && is_single_layer(mesh, &fan, direction.normalize_or_zero(), &neighbours) {
            number(&fan, &mut groups);
        }
    }
    for group in groups.iter_mut().filter(|group| **group == NONE) {
        *group = count;
        count += 1;
    }
    groups
}

/// For each side of each triangle, from a corner to the next, the triangle on the other side, if it is the only one and wound alike.
fn neighbours(mesh: &TriangleMesh, edges: &EdgeTable) -> Vec<[u32; 3]> {
    let mut neighbours = vec![[NONE; 3]; mesh.triangles.len()];
    for sides in edges.edges() {
        if let [first, second] = sides
            && consistent(first, second)
        {
            neighbours[first.triangle as usize][usize::from(first.corner)] = second.triangle;
            neighbours[second.triangle as usize][usize::from(second.corner)] = first.triangle;
        }
    }
    neighbours
}

/// Connected sets of triangles with about the same normal, with that normal.
fn flat_faces(normals: &[DVec3], neighbours: &[[u32; 3]]) -> Vec<(Vec<u32>, DVec3)> {
    let mut is_done = vec![false; normals.len()];
    let mut faces = Vec::new();
    for seed in 0..normals.len() {
        if is_done[seed] {
            continue;
        }
        is_done[seed] = true;
        let mut face = vec![seed as u32];
        let mut next = 0;
        while let Some(&triangle) = face.get(next) {
            next += 1;
            for &other in neighbours[triangle as usize].iter().filter(|&&other| other != NONE) {
                if !is_done[other as usize] && normals[other as usize].dot(normals[seed]) > FLAT {
                    is_done[other as usize] = true;
                    face.push(other);
                }
            }
        }
        if face.len() >= MIN_TRIANGLES {
            faces.push((face, normals[seed]));
        }
    }
    faces
}

/// For each vertex with many triangles, those triangles.
fn fans(mesh: &TriangleMesh) -> Vec<Vec<u32>> {
    let mut counts = vec![0; mesh.vertices.len()];
    mesh.triangles.iter().flatten().for_each(|&vertex| counts[vertex as usize] += 1);
    let mut places = vec![None; mesh.vertices.len()];
    let mut fans: Vec<Vec<u32>> = Vec::new();
    for (index, corners) in mesh.triangles.iter().enumerate() {
        for &vertex in corners.iter().filter(|&&vertex| counts[vertex as usize] >= MIN_TRIANGLES) {
            let place = *places[vertex as usize].get_or_insert_with(|| {
                fans.push(Vec::new());
                fans.len() - 1
            });
            fans[place].push(index as u32);
        }
    }
    fans
}

/// Whether the triangles of `patch` are a single layer as seen along `direction`.
fn is_single_layer(mesh: &TriangleMesh, patch: &[u32], direction: DVec3, neighbours: &[[u32; 3]]) -> bool {
    let (across, up) = direction.any_orthonormal_pair();
    let (across, up) = if across.cross(up).dot(direction) > 0.0 { (across, up) } else { (up, across) };
    let origin = mesh.corners(patch[0] as usize)[0];
    let project = |point: DVec3| DVec2::new((point - origin).dot(across), (point - origin).dot(up));
    let projected = |triangle: u32| mesh.corners(triangle as usize).map(project);
    let size = patch.iter().flat_map(|&triangle| projected(triangle)).map(|point| point.abs().max_element()).fold(0.0, f64::max);
    let rounding = ROUNDING * size;
    let is_upright = |[a, b, c]: [DVec2; 3]| {
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        (b - a).perp_dot(c - a) > rounding * longest
    };
    if !patch.iter().all(|&triangle| is_upright(projected(triangle))) {
        return false;
    }
    let mut members = patch.to_vec();
    members.sort_unstable();
    let is_boundary = |neighbour: u32| neighbour == NONE || members.binary_search(&neighbour).is_err();
    let sides = members.iter().flat_map(|&triangle| {
        let [a, b, c] = mesh.triangles[triangle as usize];
        [[a, b], [b, c], [c, a]].into_iter().zip(neighbours[triangle as usize]).filter(|&(_, neighbour)| is_boundary(neighbour))
    });
    let Some(boundary) = Boundary::of(sides.map(|(side, _)| side).collect()) else { return false };
    let points: Vec<DVec2> = boundary.sides.iter().map(|side| project(mesh.vertices[side[0] as usize])).collect();
    boundary.counterclockwise(&points) == 1 && !boundary.touches_itself(&points, rounding)
}

/// Sides of triangles that form closed polygons.
struct Boundary {
    /// In the order of their first vertices.
    sides: Vec<[u32; 2]>,
    /// For each side, the one that begins at its end.
    next: Vec<usize>,
}

impl Boundary {
    /// Where two sides begin at the same vertex, both that end there are followed by one of them, and [`Self::touches_itself`].
    fn of(mut sides: Vec<[u32; 2]>) -> Option<Self> {
        sides.sort_unstable();
        let next = sides.iter().map(|side| sides.binary_search_by_key(&side[1], |other| other[0]).ok());
        let next = next.collect::<Option<Vec<usize>>>()?;
        Some(Self { sides, next })
    }

    /// Number of polygons with positive area; `points` are the beginnings of the sides.
    fn counterclockwise(&self, points: &[DVec2]) -> usize {
        let mut is_done = vec![false; self.sides.len()];
        let mut count = 0;
        for start in 0..self.sides.len() {
            let (mut place, mut area) = (start, 0.0);
            while !std::mem::replace(&mut is_done[place], true) {
                let next = self.next[place];
                area += (points[place] - points[start]).perp_dot(points[next] - points[start]);
                place = next;
            }
            count += usize::from(area > 0.0);
        }
        count
    }

    /// Whether sides come within `rounding` (m) of each other, other than where one begins at the end of the other.
    fn touches_itself(&self, points: &[DVec2], rounding: f64) -> bool {
        let ends = |side: usize| [points[side], points[self.next[side]]];
        let flat: Vec<[DVec3; 3]> = (0..points.len())
            .map(|side| {
                let [from, to] = ends(side).map(|point| point.extend(0.0));
                [from, to, to]
            })
            .collect();
        let numbers: Vec<u32> = (0..points.len() as u32).collect();
        let found = AtomicBool::new(false);
        for_each_near_pair(&flat, &numbers, |first, second| {
            if found.load(Ordering::Relaxed) {
                return;
            }
            let touch = match (self.next[first] == second, self.next[second] == first) {
                (false, false) => touch(ends(first), ends(second), rounding),
                (true, false) => are_folded(ends(first), ends(second), rounding),
                (false, true) => are_folded(ends(second), ends(first), rounding),
                (true, true) => true,
            };
            if touch {
                found.store(true, Ordering::Relaxed);
            }
        });
        found.into_inner()
    }
}

/// Whether two edges cross or come within `rounding` of each other.
fn touch([a, b]: [DVec2; 2], [c, d]: [DVec2; 2], rounding: f64) -> bool {
    let is_left = |from: DVec2, to: DVec2, point: DVec2| (to - from).perp_dot(point - from) > 0.0;
    let cross = is_left(a, b, c) != is_left(a, b, d) && is_left(c, d, a) != is_left(c, d, b);
    let near = [(a, [c, d]), (b, [c, d]), (c, [a, b]), (d, [a, b])];
    cross || near.into_iter().any(|(point, edge)| distance(point, edge) <= rounding)
}

/// Whether the edge from `c` to `d` goes back along the one from `a` to `b`, where it begins.
fn are_folded([a, b]: [DVec2; 2], [_, d]: [DVec2; 2], rounding: f64) -> bool {
    distance(a, [b, d]) <= rounding || distance(d, [a, b]) <= rounding
}

fn distance(point: DVec2, [from, to]: [DVec2; 2]) -> f64 {
    let along = to - from;
    let share = ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    point.distance(from + share * along)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use glam::DQuat;

    use super::*;

    /// A strip of quadrilaterals between two lines of points, the first one on its right.
    fn strip(right: &[DVec3], left: &[DVec3]) -> TriangleMesh {
        let count = right.len() as u32;
        let triangles = (0..count - 1).flat_map(|k| [[k, k + 1, count + k + 1], [k, count + k + 1, count + k]]).collect();
        TriangleMesh { vertices: [right, left].concat(), triangles }
    }

    /// A flat strip along a spiral: its radius grows from `radius` by `growth` per turn, and its width is 1.
    fn spiral(radius: f64, growth: f64, turns: f64) -> TriangleMesh {
        let at = |share: f64, offset: f64| {
            let angle = share * turns * TAU;
            (radius + growth * share * turns + offset) * DVec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let [outer, inner] = [1.0, 0.0].map(|offset| (0..=100).map(|k| at(f64::from(k) / 100.0, offset)).collect::<Vec<_>>());
        strip(&outer, &inner)
    }

    /// A ring around `holes` holes: a chain of squares of side 3 with a hole of side 1 each, next to each other.
    fn plate(holes: u32) -> TriangleMesh {
        let width = 2 * holes + 1;
        let vertices = (0..4).flat_map(|y| (0..=width).map(move |x| DVec3::new(f64::from(x), f64::from(y), 0.0))).collect();
        let cells = (0..3).flat_map(|y| (0..width).map(move |x| (x, y))).filter(|(x, y)| x % 2 == 0 || *y != 1);
        let corner = |x: u32, y: u32| y * (width + 1) + x;
        let triangles = cells.flat_map(|(x, y)| {
            [[corner(x, y), corner(x + 1, y), corner(x + 1, y + 1)], [corner(x, y), corner(x + 1, y + 1), corner(x, y + 1)]]
        });
        TriangleMesh { vertices, triangles: triangles.collect() }
    }

    /// Triangles around a vertex at `height` that wind `turns` times about it, without an edge between the last and the first if `open`.
    fn fan(count: u32, turns: f64, height: f64, open: bool) -> TriangleMesh {
        let around = |k: u32| {
            let angle = turns * TAU * f64::from(k) / f64::from(count);
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let vertices = std::iter::once(height * DVec3::Z).chain((0..count + u32::from(open)).map(around)).collect();
        let end = |k: u32| if open || k < count { k + 1 } else { 1 };
        TriangleMesh { vertices, triangles: (0..count).map(|k| [0, k + 1, end(k + 1)]).collect() }
    }

    /// Number of groups, with the mesh as given and tilted.
    fn group_counts(mesh: &TriangleMesh) -> [usize; 2] {
        let tilt = DQuat::from_euler(glam::EulerRot::XYZ, 0.4, 1.1, -0.7);
        [DQuat::IDENTITY, tilt].map(|rotation| {
            let vertices = mesh.vertices.iter().map(|&vertex| rotation * vertex + DVec3::splat(3.0)).collect();
            let mesh = TriangleMesh { vertices, triangles: mesh.triangles.clone() };
            let mut groups = single_layers(&mesh, &EdgeTable::of(&mesh));
            groups.sort_unstable();
            groups.dedup();
            groups.len()
        })
    }

    #[test]
    fn a_single_layer_is_one_group() {
        for mesh in [plate(1), plate(5), spiral(1.0, 2.0, 3.0), fan(40, 1.0, 0.0, false), fan(40, 0.9, 0.0, true)] {
            assert_eq!(group_counts(&mesh), [1, 1], "{mesh:?}");
        }
        assert_eq!(group_counts(&fan(400, 1.0, 1.0, false)), [1, 1], "a cone");
    }

    #[test]
    fn what_lies_on_itself_is_not_a_single_layer() {
        // The second turn of these spirals covers the first in part or as a whole; the last one only touches it.
        for growth in [0.0, 0.5, 1.0] {
            let mesh = spiral(1.0, growth, 2.0);
            assert_eq!(group_counts(&mesh), [mesh.triangles.len(); 2], "growth {growth}");
        }
        for (turns, height) in [(2.0, 0.0), (2.0, 1.0), (3.0, 0.0)] {
            assert_eq!(group_counts(&fan(60, turns, height, false)), [60, 60], "branch point, {turns} turns");
        }
        assert_eq!(group_counts(&fan(60, 1.1, 0.0, true)), [60, 60], "more than one turn");
        // The first and the last side lie on each other.
        assert_eq!(group_counts(&fan(60, 1.0, 0.0, true)), [60, 60], "exactly one turn");
    }

    /// Two concentric disks that change places at a slit: at its ends are branch points, and the circles do not touch.
    fn two_disks() -> TriangleMesh {
        let half = 6;
        let slit = [[-0.5, 0.0], [0.5, 0.0], [0.0, 0.0], [0.0, 0.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
        let circle = |radius: f64| {
            (0..2 * half).map(move |k| {
                let angle = TAU * f64::from(k) / f64::from(2 * half);
                radius * DVec3::new(angle.cos(), angle.sin(), 0.0)
            })
        };
        let vertices = slit.into_iter().chain(circle(1.0)).chain(circle(2.0)).collect();
        let mut triangles = Vec::new();
        for (circle, middles) in [(4, [2, 3]), (4 + 2 * half, [3, 2])] {
            // The upper half and the lower half.
            for ([from, middle, to], start) in [([1, middles[0], 0], 0), ([0, middles[1], 1], half)] {
                let ring = |k: u32| circle + (start + k) % (2 * half);
                let [a, b] = [half / 3, 2 * half / 3];
                triangles.extend((0..a).map(|k| [from, ring(k), ring(k + 1)]));
                triangles.extend((a..b).map(|k| [middle, ring(k), ring(k + 1)]));
                triangles.extend((b..half).map(|k| [to, ring(k), ring(k + 1)]));
                triangles.extend([[from, ring(a), middle], [middle, ring(b), to]]);
            }
        }
        TriangleMesh { vertices, triangles }
    }

    #[test]
    fn two_disks_with_branch_points_are_not_a_single_layer() {
        let mesh = two_disks();
        assert!(EdgeTable::of(&mesh).edges().all(|sides| sides.len() < 2 || consistent(&sides[0], &sides[1])));
        assert_eq!(group_counts(&mesh), [mesh.triangles.len(); 2]);
    }

    #[test]
    fn a_fan_that_goes_back_and_forth_is_not_a_single_layer() {
        let count = 72;
        let place = |k: u32| match k {
            0..=40 => (k, 1.0),
            41..=49 => (81 - k, 1.5),
            _ => (k - 18, 2.0),
        };
        let around = |k: u32| {
            let (step, radius) = place(k);
            let angle = TAU * f64::from(step) / f64::from(count);
            radius * DVec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let sides = count + 18;
        let vertices = std::iter::once(1.5 * DVec3::Z).chain((0..sides).map(around)).collect();
        let triangles = (0..sides).map(|k| [0, k + 1, (k + 1) % sides + 1]).collect();
        let mesh = TriangleMesh { vertices, triangles };
        assert_eq!(group_counts(&mesh), [sides as usize; 2]);
    }

    #[test]
    fn a_patch_pinched_at_a_vertex_is_not_a_single_layer() {
        // Two holes of the plate get a common corner: one of its four vertices vanishes.
        let mut mesh = plate(2);
        let corner = |x: u32, y: u32| y * 6 + x;
        for vertex in mesh.triangles.iter_mut().flatten() {
            if *vertex == corner(3, 1) {
                *vertex = corner(2, 1);
            }
        }
        mesh.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        assert_eq!(group_counts(&mesh), [mesh.triangles.len(); 2]);
    }

    #[test]
    fn a_strip_folded_onto_itself_is_two_groups() {
        // Back along the line of the first half, in the same plane.
        let place = |k: u32, y: f64| DVec3::new(f64::from(if k <= 10 { k } else { 20 - k }), y, 0.0);
        let [right, left] = [0.0, 1.0].map(|y| (0..=20).map(|k| place(k, y)).collect::<Vec<_>>());
        assert_eq!(group_counts(&strip(&right, &left)), [2, 2]);
    }
}
