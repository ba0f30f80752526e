//! The segments of a mesh: small groups of neighbouring triangles, each bounded by its own slab-cut ball.
//!
//! Triangles too large for a segment are first cut into coplanar pieces ([`cut`]). A recursive binary partition ([`partition`]) then groups
//! the pieces, and each group gets a ball. The balls are independent of each other: there is no hierarchy.

mod cut;
mod limits;
mod partition;
mod ply;
mod sharp_edges;

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use limits::SegmentLimits;
pub use partition::{PartitionItem, partition_items};
use plimsoll_base::math::Aabb;

use super::{SlabCutBall, TriangleMesh};

/// A mesh with its triangles grouped into segments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Segmentation {
    /// The mesh with large triangles cut into coplanar pieces, reordered so that each segment is contiguous.
    pub mesh: TriangleMesh,
    /// For each triangle and its edge k, from corner k to corner (k + 1) % 3, whether the surface bends or ends there. False if the face
    /// across the original edge is coplanar and consistently wound, and for cuts within an original triangle. True for open edges, creases
    /// and edges of more than two faces.
    pub sharp_edges: Vec<[bool; 3]>,
    /// The same for the original triangles.
    pub sharp_originals: Vec<[bool; 3]>,
    /// The original triangles; their vertices are the first ones of [`Segmentation::mesh`].
    pub originals: Vec<[u32; 3]>,
    /// The original triangle of each triangle.
    pub source: Vec<u32>,
    /// The ends of the edge whose midpoint each vertex is that cutting has added.
    pub halved: Vec<[u32; 2]>,
    /// Segments, in the order of the triangles.
    pub segments: Vec<Segment>,
}

/// Neighbouring triangles and their bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Indices into [`Segmentation::mesh`].
    pub triangles: Range<u32>,
    /// The bounding box of its triangles.
    pub aabb: Aabb,
    /// The slab-cut ball around its triangles.
    pub ball: SlabCutBall,
}

impl Segmentation {
    /// Corners of an original triangle.
    pub fn original_corners(&self, original: usize) -> [DVec3; 3] {
        self.originals[original].map(|vertex| self.mesh.vertices[vertex as usize])
    }

    /// Whether `mesh` has more than `most` triangles after those too large for a segment have been cut. Takes time in proportion to `most`.
    pub fn exceeds(mesh: &TriangleMesh, limits: &SegmentLimits, most: usize) -> bool {
        cut::has_more_pieces(mesh, limits, most)
    }

    /// Cuts and groups the triangles of `mesh`. The result does not depend on the number of threads.
    ///
    /// # Panics
    /// If the limits are not positive, or so small that the pieces cannot be counted in 32 bits.
    pub fn build(mesh: &TriangleMesh, limits: &SegmentLimits) -> Self {
        assert!(limits.size > 0.0 && limits.size.is_finite(), "the size of a segment is {} m, expected more than 0", limits.size);
        assert!(limits.flat_size >= limits.size, "flat segments are at least as large as others");
        assert!(limits.triangles > 0, "a segment holds at least one triangle");
        let sharp_originals = sharp_edges::of(mesh);
        let originals = mesh.triangles.clone();
        let pieces = cut::coplanar_pieces(mesh, &sharp_originals, limits);
        let (order, ranges) = partition::partition(&pieces.mesh, limits);
        let mesh = TriangleMesh {
            triangles: order.iter().map(|&piece| pieces.mesh.triangles[piece as usize]).collect(),
            vertices: pieces.mesh.vertices,
        };
        let segments = ranges.into_par_iter().map(|range| Segment::of(&mesh, range)).collect();
        Self {
            sharp_edges: order.iter().map(|&piece| pieces.sharp_edges[piece as usize]).collect(),
            sharp_originals,
            originals,
            source: order.iter().map(|&piece| pieces.source[piece as usize]).collect(),
            halved: pieces.halved,
            mesh,
            segments,
        }
    }

    /// The segments of a mesh whose vertices will move relative to each other. Every edge counts as sharp, because flat parts may bend.
    ///
    /// # Panics
    /// Same as [`Segmentation::build`].
    pub fn deformable(mesh: &TriangleMesh, limits: &SegmentLimits) -> Self {
        let mut segmentation = Self::build(mesh, &limits.even());
        segmentation.sharp_edges.fill([true; 3]);
        segmentation.sharp_originals.fill([true; 3]);
        segmentation
    }

    /// Values at all vertices that are linear over the original triangles, from those at the original vertices.
    pub fn at_all_vertices(&self, original: &[DVec3]) -> Vec<DVec3> {
        let mut values = Vec::with_capacity(self.mesh.vertices.len());
        values.extend_from_slice(original);
        for &[from, to] in &self.halved {
            values.push(0.5 * (values[from as usize] + values[to as usize]));
        }
        values
    }

    /// Moves the original vertices to `positions` (m): the segments keep their triangles and get new bounds.
    pub fn refit(&mut self, positions: &[DVec3]) {
        self.mesh.vertices = self.at_all_vertices(positions);
        let mesh = &self.mesh;
        self.segments.par_iter_mut().for_each(|segment| *segment = Segment::of(mesh, segment.triangles.clone()));
    }
}

impl Segment {
    fn of(mesh: &TriangleMesh, triangles: Range<u32>) -> Self {
        let corners: Vec<[DVec3; 3]> = triangles.clone().map(|index| mesh.corners(index as usize)).collect();
        Self { triangles, aabb: Aabb::around(corners.iter().flatten().copied()), ball: SlabCutBall::around(&corners) }
    }
}
