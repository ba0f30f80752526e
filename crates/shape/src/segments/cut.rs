//! Cuts triangles too large for a segment into coplanar pieces by longest-edge bisection.
//!
//! An edge is halved if and only if it is longer than its limit. This depends only on its two end points, so both triangles at an edge
//! halve it at the same points, and the pieces match at their corners like the original triangles. (Rivara 1984, Algorithms for refining
//! triangular grids suitable for adaptive and multigrid techniques, IJNME 20, 745-756.)
//!
//! The limit on edges equals the limit on flat segments and is not smaller. Every piece then fits into a segment, and a particle near a large
//! flat wall has as few nearby triangles as possible. Bisection produces edges between half the limit and the limit. Far from the fluid the limit grows
//! with the distance.

use std::collections::HashMap;

use glam::DVec3;

use super::limits::SegmentLimits;
use crate::TriangleMesh;

/// Marks an edge of a piece that is not on an original edge.
const WITHIN: u8 = 3;

/// The pieces, with data inherited from the original triangles.
pub(super) struct Pieces {
    pub mesh: TriangleMesh,
    pub sharp_edges: Vec<[bool; 3]>,
    pub source: Vec<u32>,
    /// The ends of the edge whose midpoint each added vertex is.
    pub halved: Vec<[u32; 2]>,
}

/// Whether cutting `mesh` within `limits` gives more than `most` pieces. Takes no memory, and time in proportion to `most`.
pub(super) fn has_more_pieces(mesh: &TriangleMesh, limits: &SegmentLimits, most: usize) -> bool {
    let mut count = 0;
    let mut uncut = Vec::new();
    for index in 0..mesh.triangles.len() {
        uncut.push(mesh.corners(index));
        while let Some(corners) = uncut.pop() {
            if count > most {
                return true;
            }
            let Some(longest) = edge_to_halve(corners, limits) else {
                count += 1;
                continue;
            };
            let [from, to, apex] = [0, 1, 2].map(|step| corners[(longest + step) % 3]);
            let middle = 0.5 * (from + to);
            uncut.extend([[middle, to, apex], [from, middle, apex]]);
        }
    }
    count > most
}

/// The longest edge of a triangle, if it exceeds its limit, by the corner where it begins.
fn edge_to_halve(corners: [DVec3; 3], limits: &SegmentLimits) -> Option<usize> {
    let ends = [0, 1, 2].map(|corner| [corners[corner], corners[(corner + 1) % 3]]);
    let lengths = ends.map(|[from, to]| from.distance_squared(to));
    let longest = (1..3).fold(0, |longest, edge| if lengths[edge] > lengths[longest] { edge } else { longest });
    let fits = lengths[longest] <= limits.flat_size * limits.flat_size || lengths[longest] <= limits.edge(ends[longest]).powi(2);
    (!fits).then_some(longest)
}

/// Cuts every triangle with an edge longer than allowed.
pub(super) fn coplanar_pieces(mesh: &TriangleMesh, sharp_originals: &[[bool; 3]], limits: &SegmentLimits) -> Pieces {
    let mut cutter = Cutter { vertices: mesh.vertices.clone(), midpoints: HashMap::new(), halved: Vec::new(), limits };
    let count = mesh.triangles.len();
    let mut pieces = Pieces {
        mesh: TriangleMesh { vertices: Vec::new(), triangles: Vec::with_capacity(count) },
        sharp_edges: Vec::with_capacity(count),
        source: Vec::with_capacity(count),
        halved: Vec::new(),
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
    (pieces.mesh.vertices, pieces.halved) = (cutter.vertices, cutter.halved);
    pieces
}

/// Part of an original triangle.
struct Piece {
    corners: [u32; 3],
    /// The original edge that contains each edge, or [`WITHIN`].
    origins: [u8; 3],
}

struct Cutter<'a> {
    vertices: Vec<DVec3>,
    midpoints: HashMap<[u32; 2], u32>,
    halved: Vec<[u32; 2]>,
    limits: &'a SegmentLimits,
}

impl Cutter<'_> {
    /// The two halves of a piece whose longest edge exceeds the limit, the second half first; `None` if no edge does.
    fn bisect(&mut self, piece: &Piece) -> Option<[Piece; 2]> {
        let longest = edge_to_halve(piece.corners.map(|corner| self.vertices[corner as usize]), self.limits)?;
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
        let Self { vertices, midpoints, halved, .. } = self;
        *midpoints.entry([from.min(to), from.max(to)]).or_insert_with(|| {
            let index = u32::try_from(vertices.len()).expect("the pieces of a mesh have fewer than 2^32 vertices");
            vertices.push(0.5 * (vertices[from as usize] + vertices[to as usize]));
            halved.push([from, to]);
            index
        })
    }
}
