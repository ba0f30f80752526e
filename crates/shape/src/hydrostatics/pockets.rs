//! Pockets: the parts of the surface below the plane that open water does not reach.
//!
//! The surface below the plane falls apart into patches. Open water reaches a patch if both bound the same region outside the body and below
//! the plane. Such regions meet the plane in faces: parts of the plane outside the heights. A patch that ends at the outer boundary of a section
//! of the body bounds the face around it; a patch that ends at an inner boundary bounds the face within. A patch completely below the plane
//! belongs to the region above its highest point (that is not buried in another, overlapping component). Patches and faces so connected bound one
//! region; the unbounded face is that of open water.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec2;
use plimsoll_base::math::Rectangle;

use super::{
    clip::{Side, crossing},
    heights::Heights,
};
use crate::{polygon::winding_number, topology::DisjointSets};

/// Loops whose area is smaller than this fraction of the loop through the vertices below the plane get the orientation of the latter, which
/// rounding cannot change.
const THIN: f64 = 1e-9;

/// Maximum number of vertices of a patch from which it is searched what is above them.
const MAX_RAYS: usize = 64;

/// For each triangle whether it is below the plane, at least in part, and open water does not reach it.
pub(super) fn dry_triangles(heights: &Heights, level: f64) -> Vec<bool> {
    let count = heights.surface.mesh.triangles.len();
    let loops = loops(heights, level);
    // Triangles, the open water, and a face for each loop.
    let open_water = count as u32;
    let mut sets = DisjointSets::new(count + 1 + loops.len());
    for edge in &heights.surface.edges {
        if edge.ends.iter().any(|&vertex| heights.of(vertex) < level) {
            sets.join(edge.triangles[0], edge.triangles[1]);
        }
    }
    let face = |index: Option<usize>| index.map_or(open_water, |index| open_water + 1 + index as u32);
    for (index, outline) in loops.iter().enumerate() {
        let around = if outline.is_hole { Some(index) } else { smallest_hole(&loops, &outline.points, outline.area) };
        sets.join(outline.triangle, face(around));
    }
    for (triangle, vertices) in submerged_patches(heights, level, &loops, &mut sets) {
        let sky = vertices
            .into_iter()
            .find_map(|vertex| region_above(heights, level, &loops, vertex, |hit| sets.root(hit) != sets.root(triangle)));
        match sky {
            Some(Sky::Surface(other)) => sets.join(triangle, other),
            Some(Sky::Face(index)) => sets.join(triangle, face(index)),
            None => {}
        }
    }
    let water = sets.root(open_water);
    let is_below = |triangle: usize| heights.surface.mesh.triangles[triangle].iter().any(|&vertex| heights.of(vertex) < level);
    (0..count).map(|triangle| is_below(triangle) && sets.root(triangle as u32) != water).collect()
}

/// A closed line in which the surface crosses the plane.
struct Loop {
    /// One of the triangles at the line.
    triangle: u32,
    points: Vec<DVec2>,
    bounds: Rectangle,
    /// m²
    area: f64,
    /// Whether it is an inner boundary of a section of the heights.
    is_hole: bool,
}

/// All loops; the sections of the body are to their left.
fn loops(heights: &Heights, level: f64) -> Vec<Loop> {
    let mut steps: Vec<(u32, u32, u32, usize)> = Vec::new();
    for (index, edges) in heights.surface.triangle_edges.iter().enumerate() {
        if let Side::Crossing { entering, leaving } = Side::of(heights.over(level, index)) {
            steps.push((edges[entering], edges[leaving], index as u32, entering));
        }
    }
    steps.sort_unstable();
    let mut visited = vec![false; steps.len()];
    let mut loops = Vec::new();
    for first in 0..steps.len() {
        let (mut points, mut below) = (Vec::new(), Vec::new());
        let mut here = first;
        while !visited[here] {
            visited[here] = true;
            let (_, leaving, triangle, entering) = steps[here];
            let (corners, over) = (heights.surface.corners(triangle as usize), heights.over(level, triangle as usize));
            points.push(heights.flat(crossing(corners, over, entering)));
            below.push(heights.flat(corners[(entering + 1) % 3]));
            here = steps.binary_search_by_key(&leaving, |step| step.0).expect("each edge that crosses the plane is entered once");
        }
        if !points.is_empty() {
            loops.push(Loop::new(steps[first].2, points, &below));
        }
    }
    loops
}

impl Loop {
    fn new(triangle: u32, points: Vec<DVec2>, below: &[DVec2]) -> Self {
        let (area, area_below) = (signed_area(&points), signed_area(below));
        let is_hole = if area.abs() > THIN * area_below.abs() { area < 0.0 } else { area_below < 0.0 };
        Self { triangle, bounds: Rectangle::around(points.iter().copied()), points, area: area.abs(), is_hole }
    }

    fn contains(&self, point: DVec2) -> bool {
        point.cmpge(self.bounds.min).all() && point.cmple(self.bounds.max).all() && winding_number(&self.points, point) != 0
    }
}

fn signed_area(points: &[DVec2]) -> f64 {
    points[1..].windows(2).map(|pair| (pair[0] - points[0]).perp_dot(pair[1] - points[0])).sum::<f64>() / 2.0
}

/// The smallest hole around a loop with these points and this area. Overlapping components may intersect: one point in the hole is enough.
fn smallest_hole(loops: &[Loop], points: &[DVec2], area: f64) -> Option<usize> {
    let holes = loops.iter().enumerate().filter(|(_, hole)| hole.is_hole && hole.area > area);
    let around = holes.filter(|(_, hole)| points.iter().any(|&point| hole.contains(point)));
    around.min_by(|one, other| one.1.area.total_cmp(&other.1.area)).map(|(index, _)| index)
}

/// Patches that do not reach the plane: a triangle, and some vertices from the highest down.
fn submerged_patches(heights: &Heights, level: f64, loops: &[Loop], sets: &mut DisjointSets) -> Vec<(u32, Vec<u32>)> {
    // The root of a set with triangles is a triangle: faces have higher numbers.
    let reaching: BTreeSet<u32> = loops.iter().map(|outline| sets.root(outline.triangle)).collect();
    let mut patches: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (index, triangle) in heights.surface.mesh.triangles.iter().enumerate() {
        let root = sets.root(index as u32);
        if !reaching.contains(&root) && heights.over(level, index).iter().all(|&height| height < 0.0) {
            patches.entry(root).or_default().extend(triangle);
        }
    }
    let sort = |mut vertices: Vec<u32>| {
        vertices.sort_by(|&one, &other| heights.of(other).total_cmp(&heights.of(one)).then(one.cmp(&other)));
        vertices.dedup();
        let every = vertices.len().div_ceil(MAX_RAYS);
        vertices.into_iter().step_by(every).collect()
    };
    patches.into_iter().map(|(root, vertices)| (root, sort(vertices))).collect()
}

/// What is straight above a point below the plane.
enum Sky {
    /// A triangle that is seen from outside the heights.
    Surface(u32),
    /// The face in a loop, or the unbounded face.
    Face(Option<usize>),
}

/// What is straight above `vertex`; `None` if it is buried in another, overlapping component.
fn region_above(heights: &Heights, level: f64, loops: &[Loop], vertex: u32, mut wanted: impl FnMut(u32) -> bool) -> Option<Sky> {
    let start = heights.surface.mesh.vertices[vertex as usize];
    let (point, height) = (heights.flat(start), heights.of(vertex));
    let mut nearest: Option<(f64, u32, bool)> = None;
    for index in 0..heights.surface.mesh.triangles.len() {
        let [a, b, c] = heights.surface.corners(index).map(|corner| heights.flat(corner) - point);
        let weights = [b.perp_dot(c), c.perp_dot(a), a.perp_dot(b)];
        let total: f64 = weights.iter().sum();
        if total == 0.0 || weights.iter().any(|weight| weight * total < 0.0) {
            continue;
        }
        let ends = heights.over(0.0, index);
        let over: f64 = weights.iter().zip(ends).map(|(weight, corner)| weight / total * corner).sum();
        if over > height && over < level && nearest.is_none_or(|(nearest, ..)| over < nearest) && wanted(index as u32) {
            // Counterclockwise from above: the triangle faces up, and the vertex is in the body below it.
            nearest = Some((over, index as u32, total > 0.0));
        }
    }
    match nearest {
        Some((_, _, true)) => None,
        Some((_, triangle, false)) => Some(Sky::Surface(triangle)),
        None => {
            let around = |is_hole: bool| loops.iter().filter(|outline| outline.is_hole == is_hole && outline.contains(point)).count();
            (around(false) == around(true)).then(|| Sky::Face(smallest_hole(loops, &[point], 0.0)))
        }
    }
}
