//! Basins: hollows of the outer surface that keep water out up to their spill level, such as the hold of a boat.
//!
//! For a given vertical, a basin begins at a vertex that is lower than all its neighbours and has the body below it. Its surface is the set of
//! points that are connected to this vertex below a level. It spills at the level at which the set first meets another one. All such levels
//! follow from one sweep over the edges in the order of their upper ends, with a union of sets (the join tree of the height function: Carr,
//! Snoeyink, Axen 2003, Computing contour trees in all dimensions, Comput. Geom. 24, 75-94).

use std::cmp::Ordering;

use glam::DVec3;

use super::{heights::Heights, surface::SurfaceEdge};
use crate::topology::DisjointSets;

/// A hollow and a level at which its surface meets that of the rest of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Basin {
    /// Lowest vertex.
    pub vertex: u32,
    /// Height of the lowest vertex, m.
    pub bottom: f64,
    /// m
    pub spill: f64,
    /// Height of the spill level over the bottom, or over the lowest point of the set it meets if that is higher, m.
    pub depth: f64,
}

/// Basins deeper than `min_depth` that begin at the vertices `bottoms`, by spill level.
pub(super) fn basins(heights: &Heights, bottoms: &[u32], min_depth: f64) -> Vec<Basin> {
    if bottoms.is_empty() {
        return Vec::new();
    }
    let order = |one: u32, other: u32| by_height(heights, one, other);
    let mut edges: Vec<(f64, u32, [u32; 2])> = Vec::with_capacity(heights.surface.edges.len());
    edges.extend(heights.surface.edges.iter().map(|edge| {
        let upper = upper_end(heights, edge);
        (heights.of(upper), upper, edge.ends)
    }));
    edges.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then((one.1, one.2).cmp(&(other.1, other.2))));
    let mut sets = DisjointSets::new(heights.of_vertices.len());
    // The lowest vertex of each set, and the lowest bottom of a basin in it.
    let mut lowest: Vec<u32> = (0..heights.of_vertices.len() as u32).collect();
    let mut deepest: Vec<Option<u32>> = vec![None; heights.of_vertices.len()];
    bottoms.iter().for_each(|&vertex| deepest[vertex as usize] = Some(vertex));
    let mut found = Vec::new();
    for (spill, upper, [one, other]) in edges {
        let (one, other) = (sets.root(one), sets.root(other));
        if one == other {
            continue;
        }
        // A single vertex joins a set at its own height.
        let (elder, younger) = if order(lowest[one as usize], lowest[other as usize]).is_lt() { (one, other) } else { (other, one) };
        if let Some(vertex) = deepest[younger as usize].or(deepest[elder as usize]).filter(|_| lowest[younger as usize] != upper) {
            let depth = spill - heights.of(vertex).max(heights.of(lowest[younger as usize]));
            if depth > min_depth {
                found.push(Basin { vertex, bottom: heights.of(vertex), spill, depth });
            }
        }
        let joined = [deepest[one as usize], deepest[other as usize]].into_iter().flatten().min_by(|&a, &b| order(a, b));
        let bottom = lowest[elder as usize];
        sets.join(one, other);
        let root = sets.root(one) as usize;
        (lowest[root], deepest[root]) = (bottom, joined);
    }
    found
}

/// Order by height; of equal heights, by index.
fn by_height(heights: &Heights, one: u32, other: u32) -> Ordering {
    heights.of(one).total_cmp(&heights.of(other)).then(one.cmp(&other))
}

fn upper_end(heights: &Heights, edge: &SurfaceEdge) -> u32 {
    let [one, other] = edge.ends;
    if by_height(heights, one, other).is_lt() { other } else { one }
}

/// The vertices that are lower than their neighbours and have the body below them.
pub(super) fn bottoms(heights: &Heights) -> Vec<u32> {
    let mut is_lowest = vec![true; heights.of_vertices.len()];
    heights.surface.edges.iter().for_each(|edge| is_lowest[upper_end(heights, edge) as usize] = false);
    // Just above the vertex, a plane cuts the surface in a polygon with a corner in the direction of each neighbour. In the order of the
    // triangles it is counterclockwise from above if the body is outside of it. Neighbours at the same height count as a little higher. In
    // case of doubt the vertex counts.
    let corner = |offset: DVec3| offset / offset.dot(heights.up).max(1e-9 * offset.length());
    let mut areas = vec![(0.0, 0.0); heights.of_vertices.len()];
    for (index, triangle) in heights.surface.mesh.triangles.iter().enumerate() {
        for k in (0..3).filter(|&k| is_lowest[triangle[k] as usize]) {
            let corners = heights.surface.corners(index);
            let [next, last] = [1, 2].map(|step| corner(corners[(k + step) % 3] - corners[k]));
            let area = next.cross(last).dot(heights.up);
            let sums = &mut areas[triangle[k] as usize];
            *sums = (sums.0 + area, sums.1 + area.abs());
        }
    }
    let is_bottom = |&vertex: &u32| is_lowest[vertex as usize] && areas[vertex as usize].0 > -1e-9 * areas[vertex as usize].1;
    (0..heights.of_vertices.len() as u32).filter(is_bottom).collect()
}
