//! Adjacency of triangles at edges.

use rayon::prelude::*;

use super::TriangleMesh;

/// One edge of one triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeUse {
    /// The edge's vertices, the lower index first.
    pub edge: [u32; 2],
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
    pub fn of(mesh: &TriangleMesh) -> Self {
        let sides = |(triangle, corners): (usize, &[u32; 3])| {
            [0, 1, 2].map(|corner| {
                let (from, to) = (corners[corner], corners[(corner + 1) % 3]);
                EdgeUse { edge: [from.min(to), from.max(to)], triangle: triangle as u32, corner: corner as u8, forward: from < to }
            })
        };
        let mut uses: Vec<EdgeUse> = mesh.triangles.iter().enumerate().flat_map(sides).collect();
        uses.par_sort_unstable();
        Self { uses }
    }

    /// The triangle edges at each edge; edges are sorted by their vertices, and triangles at an edge by index.
    pub fn edges(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.uses.chunk_by(|first, second| first.edge == second.edge)
    }
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
