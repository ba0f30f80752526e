//! Cuts triangles too large for a segment into coplanar pieces by longest-edge bisection.
//!
//! An edge is halved if and only if it is longer than the limit. This depends only on its two end points, so both triangles at an edge
//! halve it at the same points, and the pieces match at their corners like the original triangles. (Rivara 1984, Algorithms for refining
//! triangular grids suitable for adaptive and multigrid techniques, IJNME 20, 745-756.)
//!
//! The limit on edges equals the limit on flat segments and is not smaller. Every piece then fits into a segment, and a particle near a large
//! flat wall has as few nearby triangles as possible. Bisection produces edges between half the limit and the limit.

use std::collections::HashMap;

use glam::DVec3;

use crate::shape::TriangleMesh;

/// Marks an edge of a piece that is not on an original edge.
const WITHIN: u8 = 3;

/// The pieces, with data inherited from the original triangles.
pub(super) struct Pieces {
    pub mesh: TriangleMesh,
    pub sharp_edges: Vec<[bool; 3]>,
    pub source: Vec<u32>,
}

/// Cuts every triangle with an edge longer than `longest_edge` (m).
pub(super) fn coplanar_pieces(mesh: &TriangleMesh, sharp_originals: &[[bool; 3]], longest_edge: f64) -> Pieces {
    let mut cutter = Cutter { vertices: mesh.vertices.clone(), midpoints: HashMap::new(), limit_squared: longest_edge * longest_edge };
    let count = mesh.triangles.len();
    let mut pieces = Pieces {
        mesh: TriangleMesh { vertices: Vec::new(), triangles: Vec::with_capacity(count) },
        sharp_edges: Vec::with_capacity(count),
        source: Vec::with_capacity(count),
    };
    let mut uncut = Vec::new();
    for (source, &corners) in mesh.triangles.iter().enumerate() {
        uncut.push(Piece { corners, origins: [0, 1, 2] });
        while let Some(piece) = uncut.pop() {
            if let Some(halves) = cutter.bisect(&piece) {
                uncut.extend(halves);
                continue;
            }
            let sharp = piece.origins.map(|origin| origin != WITHIN && sharp_originals[source][usize::from(origin)]);
            pieces.mesh.triangles.push(piece.corners);
            pieces.sharp_edges.push(sharp);
            pieces.source.push(source as u32);
        }
    }
    pieces.mesh.vertices = cutter.vertices;
    pieces
}

/// Part of an original triangle.
struct Piece {
    corners: [u32; 3],
    /// The original edge that contains each edge, or [`WITHIN`].
    origins: [u8; 3],
}

struct Cutter {
    vertices: Vec<DVec3>,
    midpoints: HashMap<[u32; 2], u32>,
    limit_squared: f64,
}

impl Cutter {
    /// The two halves of a piece whose longest edge exceeds the limit, the second half first; `None` if no edge does.
    fn bisect(&mut self, piece: &Piece) -> Option<[Piece; 2]> {
        let position = |corner: usize| self.vertices[piece.corners[corner % 3] as usize];
        let lengths = [0, 1, 2].map(|corner| position(corner).distance_squared(position(corner + 1)));
        let longest = (1..3).fold(0, |longest, edge| if lengths[edge] > lengths[longest] { edge } else { longest });
        if lengths[longest] <= self.limit_squared {
            return None;
        }
        let [from, to, apex] = [0, 1, 2].map(|step| piece.corners[(longest + step) % 3]);
        let [along, second, third] = [0, 1, 2].map(|step| piece.origins[(longest + step) % 3]);
        let middle = self.midpoint(from, to);
        Some([
            Piece { corners: [middle, to, apex], origins: [along, second, WITHIN] },
            Piece { corners: [from, middle, apex], origins: [along, WITHIN, third] },
        ])
    }

    /// The vertex at the midpoint of an edge, the same from both sides.
    fn midpoint(&mut self, from: u32, to: u32) -> u32 {
        let Self { vertices, midpoints, .. } = self;
        *midpoints.entry([from.min(to), from.max(to)]).or_insert_with(|| {
            let index = u32::try_from(vertices.len()).expect("the pieces of a mesh have fewer than 2^32 vertices");
            vertices.push(0.5 * (vertices[from as usize] + vertices[to as usize]));
            index
        })
    }
}
