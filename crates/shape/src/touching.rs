//! Separates parts of a solid that touch along an edge, so that every edge has two triangles: an edge of four or more is divided among those
//! pairs that have the solid between them, and its vertices are doubled.

use std::cmp::Ordering;

use glam::DVec3;

use super::{
    TriangleMesh,
    topology::{DisjointSets, EdgeTable, EdgeUse, is_balanced},
};

/// Divides the edges of more than two triangles of `mesh`, which is wound outward, where as many triangles use them in one direction as in the
/// other; returns their number.
pub fn separate_touching(mesh: &mut TriangleMesh) -> usize {
    let edges = EdgeTable::of(mesh);
    let crowded = |sides: &[EdgeUse]| sides.len() > 2 && is_balanced(sides);
    let count = edges.edges().filter(|sides| crowded(sides)).count();
    if count == 0 {
        return 0;
    }
    let mut divided = vec![false; mesh.vertices.len()];
    // Corners of triangles that are connected by edges: three numbers per triangle.
    let mut fans = DisjointSets::new(3 * mesh.triangles.len());
    for sides in edges.edges() {
        if crowded(sides) {
            sides[0].edge.iter().for_each(|&vertex| divided[vertex as usize] = true);
            pairs_around_solid(mesh, sides).iter().for_each(|[first, second]| join(mesh, &mut fans, first, second));
        } else {
            sides.windows(2).for_each(|pair| join(mesh, &mut fans, &pair[0], &pair[1]));
        }
    }
    // Of the fans at a vertex, the first keeps it.
    let mut owner = vec![u32::MAX; mesh.vertices.len()];
    let mut copy_of = vec![u32::MAX; 3 * mesh.triangles.len()];
    for triangle in 0..mesh.triangles.len() {
        for corner in 0..3 {
            let vertex = mesh.triangles[triangle][corner] as usize;
            if !divided.get(vertex).is_some_and(|divided| *divided) {
                continue;
            }
            let fan = fans.root((3 * triangle + corner) as u32);
            if owner[vertex] == u32::MAX {
                owner[vertex] = fan;
            }
            if owner[vertex] != fan {
                let copy = &mut copy_of[fan as usize];
                if *copy == u32::MAX {
                    *copy = mesh.vertices.len() as u32;
                    mesh.vertices.push(mesh.vertices[vertex]);
                }
                mesh.triangles[triangle][corner] = *copy;
            }
        }
    }
    count
}

/// Joins the corners of two triangles at both ends of the edge that they share.
fn join(mesh: &TriangleMesh, fans: &mut DisjointSets, first: &EdgeUse, second: &EdgeUse) {
    for vertex in first.edge {
        let corner = |side: &EdgeUse| {
            let corners = mesh.triangles[side.triangle as usize];
            3 * side.triangle + (0..3).find(|&corner| corners[corner as usize] == vertex).expect("an end of the edge")
        };
        fans.join(corner(first), corner(second));
    }
}

/// The triangles at an edge in pairs that have the solid between them.
fn pairs_around_solid<'a>(mesh: &TriangleMesh, sides: &'a [EdgeUse]) -> Vec<[&'a EdgeUse; 2]> {
    let [low, high] = sides[0].edge.map(|vertex| mesh.vertices[vertex as usize]);
    let axis = (high - low).normalize_or_zero();
    let (across, beside) = axis.any_orthonormal_pair();
    let angle = |side: &EdgeUse| {
        let corners = mesh.triangles[side.triangle as usize];
        let apex: DVec3 = mesh.vertices[corners[(usize::from(side.corner) + 2) % 3] as usize] - low;
        apex.dot(beside).atan2(apex.dot(across))
    };
    // Counterclockwise about the edge, the solid begins at a triangle that uses the edge backward and ends at one that uses it forward. Where
    // triangles coincide, it ends first.
    let mut around: Vec<(f64, &EdgeUse)> = sides.iter().map(|side| (angle(side), side)).collect();
    let order = |a: &(f64, &EdgeUse), b: &(f64, &EdgeUse)| match a.0.total_cmp(&b.0) {
        Ordering::Equal => b.1.forward.cmp(&a.1.forward).then(a.1.triangle.cmp(&b.1.triangle)),
        unequal => unequal,
    };
    around.sort_by(order);
    // Twice around: the first time finds what is open at the start.
    let (mut open, mut pairs): (Vec<&EdgeUse>, Vec<[&EdgeUse; 2]>) = (Vec::new(), Vec::new());
    let mut closed = Vec::new();
    for &(_, side) in around.iter().chain(&around) {
        if closed.contains(&(side.triangle, side.corner)) {
            continue;
        }
        if !side.forward {
            if !open.contains(&side) {
                open.push(side);
            }
        } else if let Some(begin) = open.pop() {
            closed.extend([begin, side].map(|side| (side.triangle, side.corner)));
            pairs.push([begin, side]);
        }
    }
    pairs
}
