//! Removal of triangles without area. If the middle vertex of such a triangle is on an edge of a neighbour, the neighbour is split there, so that
//! a closed mesh stays closed.

use std::collections::{HashMap, VecDeque};

use glam::DVec3;
use rayon::prelude::*;

/// A triangle is flat if its height is below this fraction of its longest edge.
const FLAT: f64 = 1e-10;
/// A split can make another flat triangle, rarely more than once. The bound only prevents an endless loop.
const SPLITS_PER_TRIANGLE: usize = 8;

/// Removes the flat ones of `triangles`; returns their number.
pub fn remove_flat(vertices: &[DVec3], triangles: &mut Vec<[u32; 3]>) -> usize {
    let flat: VecDeque<u32> = {
        let is_flat = |&index: &u32| is_flat(vertices, triangles[index as usize]);
        (0..triangles.len() as u32).into_par_iter().filter(is_flat).collect::<Vec<u32>>().into()
    };
    if flat.is_empty() {
        return 0;
    }
    let limit = SPLITS_PER_TRIANGLE * flat.len();
    let mut surface = Surface::of(vertices, std::mem::take(triangles));
    let (mut pending, mut removed) = (flat, 0);
    for _ in 0..limit {
        let Some(index) = pending.pop_front() else { break };
        removed += surface.remove_flat(index, &mut pending);
    }
    let rest = surface.present();
    triangles.extend(rest.iter().filter(|&&triangle| !is_flat(vertices, triangle)));
    removed + rest.len() - triangles.len()
}

/// Triangles and their edges.
struct Surface<'a> {
    vertices: &'a [DVec3],
    triangles: Vec<Option<[u32; 3]>>,
    /// The triangles with an edge from the first vertex to the second.
    sides: HashMap<[u32; 2], Vec<u32>>,
}

impl<'a> Surface<'a> {
    fn of(vertices: &'a [DVec3], triangles: Vec<[u32; 3]>) -> Self {
        let mut surface = Self { vertices, triangles: Vec::with_capacity(triangles.len()), sides: HashMap::new() };
        for triangle in triangles {
            surface.triangles.push(None);
            surface.put(surface.triangles.len() - 1, triangle);
        }
        surface
    }

    fn put(&mut self, index: usize, triangle: [u32; 3]) {
        self.triangles[index] = Some(triangle);
        for side in sides(triangle) {
            self.sides.entry(side).or_default().push(index as u32);
        }
    }

    fn take(&mut self, index: usize) -> Option<[u32; 3]> {
        let triangle = self.triangles[index].take()?;
        for side in sides(triangle) {
            self.sides.entry(side).or_default().retain(|&other| other as usize != index);
        }
        Some(triangle)
    }

    /// Removes triangle `index` if it is still there, and adds those that become flat to `pending`; returns the number of triangles removed.
    fn remove_flat(&mut self, index: u32, pending: &mut VecDeque<u32>) -> usize {
        let Some(triangle) = self.take(index as usize) else { return 0 };
        let [a, b, middle] = longest_edge_first(self.vertices, triangle);
        let across = self.sides.get(&[b, a]).and_then(|others| others.iter().min()).copied();
        let Some(neighbour) = across.filter(|_| middle != a && middle != b) else { return 1 };
        let apex = self.triangles[neighbour as usize].and_then(|corners| corners.into_iter().find(|&corner| corner != a && corner != b));
        let Some(apex) = apex else { return 1 };
        self.take(neighbour as usize);
        if apex == middle {
            // Two coincident flat triangles.
            return 2;
        }
        self.triangles.push(None);
        for (index, part) in [(neighbour as usize, [b, middle, apex]), (self.triangles.len() - 1, [middle, a, apex])] {
            self.put(index, part);
            if is_flat(self.vertices, part) {
                pending.push_back(index as u32);
            }
        }
        1
    }

    fn present(&self) -> Vec<[u32; 3]> {
        self.triangles.iter().flatten().copied().collect()
    }
}

fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Whether the height over the longest edge is only a rounding error.
pub fn is_flat(vertices: &[DVec3], triangle: [u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
    let longest_squared = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
    (b - a).cross(c - a).length() <= FLAT * longest_squared
}

/// The same triangle with its corners rotated so that its longest edge is from the first to the second corner.
fn longest_edge_first(vertices: &[DVec3], [a, b, c]: [u32; 3]) -> [u32; 3] {
    let length = |from: u32, to: u32| vertices[from as usize].distance_squared(vertices[to as usize]);
    let (ab, bc, ca) = (length(a, b), length(b, c), length(c, a));
    if ab >= bc && ab >= ca {
        [a, b, c]
    } else if bc >= ca {
        [b, c, a]
    } else {
        [c, a, b]
    }
}
