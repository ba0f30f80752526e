//! Adjacency of triangles at edges.

use glam::DVec3;
use plimsoll_base::math::prefix_sum;

use super::TriangleMesh;

/// One edge of one triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeUse {
    /// The edge's vertices, the lower index first.
    pub edge: [u32; 2],
    /// Index of the triangle.
    pub triangle: u32,
    /// The edge goes from this corner (0, 1, 2) to the next.
    pub corner: u8,
    /// Whether the triangle uses the edge from the lower to the higher index.
    pub forward: bool,
}

/// All edges of all triangles, sorted by edge.
#[derive(Clone, Debug)]
pub struct EdgeTable {
    uses: Vec<EdgeUse>,
}

impl EdgeTable {
    /// The edges of `mesh`.
    pub fn of(mesh: &TriangleMesh) -> Self {
        let sides = |(triangle, corners): (usize, &[u32; 3])| {
            [0, 1, 2].map(|corner| {
                let (from, to) = (corners[corner], corners[(corner + 1) % 3]);
                EdgeUse { edge: [from.min(to), from.max(to)], triangle: triangle as u32, corner: corner as u8, forward: from < to }
            })
        };
        // Counting sort by the lower vertex, which keeps the order of the triangles, then a stable sort of the few edges at each vertex.
        let mut ends = vec![0; mesh.vertices.len() + 1];
        for [a, b, c] in &mesh.triangles {
            for low in [a.min(b), b.min(c), c.min(a)] {
                ends[*low as usize + 1] += 1;
            }
        }
        prefix_sum(&mut ends);
        let mut uses = vec![EdgeUse::default(); 3 * mesh.triangles.len()];
        for side in mesh.triangles.iter().enumerate().flat_map(sides) {
            let end = &mut ends[side.edge[0] as usize];
            uses[*end as usize] = side;
            *end += 1;
        }
        let mut start = 0;
        for &end in &ends[..mesh.vertices.len()] {
            uses[start..end as usize].sort_by_key(|side| side.edge[1]);
            start = end as usize;
        }
        Self { uses }
    }

    /// The triangle edges at each edge; edges are sorted by their vertices, and triangles at an edge by index.
    pub fn edges(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.uses.chunk_by(|first, second| first.edge == second.edge)
    }
}

/// Whether as many triangles use an edge in one direction as in the other, after a reversal of some if there are two.
pub fn is_balanced(sides: &[EdgeUse]) -> bool {
    sides.len() == 2 || 2 * sides.iter().filter(|side| side.forward).count() == sides.len()
}

/// Whether every edge is used equally often in both directions.
pub fn is_closed(edges: &EdgeTable) -> bool {
    edges.edges().all(|sides| 2 * sides.iter().filter(|side| side.forward).count() == sides.len())
}

/// Whether every edge is balanced, so that the mesh encloses a volume.
pub fn is_watertight(mesh: &TriangleMesh) -> bool {
    EdgeTable::of(mesh).edges().all(is_balanced)
}

/// Deviation from a plane that is attributed to rounding of the vertices, as a share of the mesh's diagonal.
const FLAT: f64 = 1e-6;

/// Whether `mesh` is one closed surface, wound outward, that bends inward at no edge.
pub fn is_convex(mesh: &TriangleMesh) -> bool {
    let edges = EdgeTable::of(mesh);
    let tolerance = FLAT * mesh.aabb().extent().length();
    let apex = |side: &EdgeUse| {
        let triangle = mesh.triangles[side.triangle as usize];
        mesh.vertices[triangle[(usize::from(side.corner) + 2) % 3] as usize]
    };
    let is_above = |point: DVec3, side: &EdgeUse| {
        let [a, b, c] = mesh.corners(side.triangle as usize);
        (point - a).dot((b - a).cross(c - a).normalize_or_zero()) > tolerance
    };
    let mut count = 0;
    for sides in edges.edges() {
        let [first, second] = sides else { return false };
        if !consistent(first, second) || is_above(apex(second), first) || is_above(apex(first), second) {
            return false;
        }
        count += 1;
    }
    // By Euler's formula the surface has no handle, and no vertex at which two surfaces touch.
    mesh.vertices.len() + mesh.triangles.len() == count + 2 && components(mesh, &edges).1 == 1
}

/// Whether two triangles that share an edge are consistently wound.
pub fn consistent(first: &EdgeUse, second: &EdgeUse) -> bool {
    first.forward != second.forward
}

/// Disjoint sets of the numbers `0..count` (union-find by smallest member).
#[derive(Clone, Debug)]
pub struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// `count` sets of one member each.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The smallest member of the set that contains `member`.
    pub fn root(&mut self, member: u32) -> u32 {
        let mut current = member;
        while self.parents[current as usize] != current {
            let grandparent = self.parents[self.parents[current as usize] as usize];
            self.parents[current as usize] = grandparent;
            current = grandparent;
        }
        current
    }

    /// Unites the sets that contain `first` and `second`.
    pub fn join(&mut self, first: u32, second: u32) {
        let (first, second) = (self.root(first), self.root(second));
        self.parents[first.max(second) as usize] = first.min(second);
    }

    /// For each number, the index of its set, and the number of sets. Sets are numbered in the order of their smallest member.
    pub fn numbered(mut self) -> (Vec<u32>, usize) {
        let mut labels = vec![0; self.parents.len()];
        let mut count = 0;
        for member in 0..labels.len() {
            let root = self.root(member as u32) as usize;
            if root == member {
                labels[member] = count;
                count += 1;
            } else {
                labels[member] = labels[root];
            }
        }
        (labels, count as usize)
    }
}

/// For each triangle, the index of its component (triangles connected by shared edges), and the number of components.
pub fn components(mesh: &TriangleMesh, edges: &EdgeTable) -> (Vec<u32>, usize) {
    let mut sets = DisjointSets::new(mesh.triangles.len());
    for sides in edges.edges() {
        for side in &sides[1..] {
            sets.join(sides[0].triangle, side.triangle);
        }
    }
    sets.numbered()
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::Random;

    use super::*;

    #[test]
    fn edges_are_those_of_a_comparison_sort() {
        let mut random = Random::new(5);
        for (vertices, triangles) in [(3_u32, 1), (5, 40), (300, 700), (40, 0)] {
            let mut vertex = || (random.uniform() * f64::from(vertices)) as u32;
            let triangles = (0..triangles).map(|_| [vertex(), vertex(), vertex()]).collect();
            let mesh = TriangleMesh { vertices: vec![DVec3::ZERO; vertices as usize], triangles };
            let mut expected: Vec<EdgeUse> = Vec::new();
            for (index, triangle) in mesh.triangles.iter().enumerate() {
                for corner in 0..3 {
                    let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
                    let edge = [from.min(to), from.max(to)];
                    expected.push(EdgeUse { edge, triangle: index as u32, corner: corner as u8, forward: from < to });
                }
            }
            expected.sort();
            assert_eq!(EdgeTable::of(&mesh).uses, expected);
        }
    }

    #[test]
    fn only_a_closed_surface_that_bends_outward_is_convex() {
        let cube = TriangleMesh::cuboid(DVec3::new(1.0, 2.0, 3.0));
        assert!(is_convex(&cube) && is_watertight(&cube));
        let mut inside_out = cube.clone();
        inside_out.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        assert!(!is_convex(&inside_out) && is_watertight(&inside_out));
        let mut open = cube.clone();
        open.triangles.pop();
        assert!(!is_convex(&open) && !is_watertight(&open));
        let mut dented = cube.clone();
        dented.vertices[0] *= 0.2;
        assert!(!is_convex(&dented));
        let shifted = cube.vertices.iter().map(|vertex| vertex + 5.0 * DVec3::X);
        let moved = cube.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + 8));
        let two = TriangleMesh {
            vertices: cube.vertices.iter().copied().chain(shifted).collect(),
            triangles: cube.triangles.iter().copied().chain(moved).collect(),
        };
        assert!(!is_convex(&two) && is_watertight(&two));
    }
}
