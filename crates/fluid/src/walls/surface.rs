//! The surface of a body, ready for wall integrals.
//!
//! Segments say what is near a particle; what is integrated are whole triangles and clusters. A triangle that was cut for the segments is
//! integrated once, however many of its pieces are near, and small triangles are integrated by the cluster.

mod deforming;

use std::{collections::HashMap, ops::Range};

use glam::DVec3;
use plimsoll_base::math::lanes::{self, LANES};
use plimsoll_shape::{PartitionItem, Segment, SegmentLimits, Segmentation, partition_items};

use crate::walls::{
    NormalParts, SurfaceFlow, SurfaceIntegral, TriangleMotion, WallTriangle,
    cluster::{Cluster, ClusterBounds, ClusterIntegral, ClusterParts},
    cluster_block::{ClusterBlock, ClusterChoice},
    mirror_layer,
};

/// Longest side of the box of the largest and the smallest clusters, in cutoffs.
const CLUSTER_SIZES: [f64; 2] = [0.4, 0.1];
const ALONE: u32 = u32::MAX;

/// Triangles and clusters of a body, in body coordinates.
#[derive(Clone, Debug, Default)]
pub struct WallSurface {
    /// The pieces of the segmentation, then the triangles that were cut.
    triangles: Vec<WallTriangle>,
    /// Number of pieces.
    pieces: usize,
    sections: Vec<Section>,
    /// Triangles of the sections that are in no cluster.
    singles: Vec<u32>,
    clusters: Vec<Cluster>,
    /// What each cluster is made of.
    parts: Vec<ClusterParts>,
    blocks: Vec<ClusterBlock>,
    /// Triangles of the smallest clusters.
    members: Vec<u32>,
    /// How each triangle of a surface that deforms moves; otherwise empty.
    motions: Vec<TriangleMotion>,
}

/// What belongs to a segment.
#[derive(Clone, Debug)]
struct Section {
    pieces: Range<u32>,
    /// Range of `singles`.
    singles: Range<u32>,
    /// Range of `blocks`: the clusters that are part of no other.
    blocks: Range<u32>,
    /// Number of these clusters.
    cluster_count: usize,
    /// Center of the segment, m.
    center: DVec3,
}

/// Buffers of an integral: what is near the point.
#[derive(Clone, Debug, Default)]
pub struct NearParts {
    triangles: Vec<u32>,
    clusters: Vec<u32>,
    /// The last triangle that is in no cluster, and its distance (m).
    last_single: Option<(u32, f64)>,
    /// Blocks of clusters to be tested.
    pending: Vec<u32>,
    /// Triangles of clusters too large for their distance: ranges of the members.
    opened: Vec<Range<u32>>,
}

impl NearParts {
    /// Removes all.
    pub fn clear(&mut self) {
        self.triangles.clear();
        self.clusters.clear();
        self.last_single = None;
    }

    /// Number of triangles and clusters, those of neighbouring segments counted twice.
    pub fn len(&self) -> usize {
        self.triangles.len() + self.clusters.len()
    }

    /// Whether nothing is near.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl WallSurface {
    /// Prepares a mesh cut into `segmentation` for integrals with this `cutoff` (m).
    pub fn new(segmentation: &Segmentation, cutoff: f64) -> Self {
        let pieces = segmentation.mesh.triangles.len();
        let mut surface = Self { triangles: Vec::with_capacity(pieces), pieces, ..Self::default() };
        let corners = (0..pieces).map(|piece| segmentation.mesh.corners(piece));
        surface.triangles.extend(corners.zip(&segmentation.sharp_edges).map(|(corners, &sharp)| WallTriangle::new(corners, sharp)));
        let whole = surface.add_cut_triangles(segmentation);
        for segment in &segmentation.segments {
            surface.add_section(segmentation, segment, &whole, cutoff);
        }
        surface.separate(segmentation, &whole);
        surface
    }

    /// Appends the triangles that were cut; returns the whole triangle of each piece.
    fn add_cut_triangles(&mut self, segmentation: &Segmentation) -> Vec<u32> {
        let source = &segmentation.source;
        let mut counts = vec![0_u32; segmentation.originals.len()];
        source.iter().for_each(|&source| counts[source as usize] += 1);
        let mut cut = HashMap::new();
        let mut whole = Vec::with_capacity(source.len());
        for (piece, &source) in source.iter().enumerate() {
            whole.push(match counts[source as usize] {
                1 => piece as u32,
                _ => *cut.entry(source).or_insert_with(|| {
                    let sharp = segmentation.sharp_originals[source as usize];
                    self.triangles.push(WallTriangle::new(segmentation.original_corners(source as usize), sharp));
                    self.triangles.len() as u32 - 1
                }),
            });
        }
        whole
    }

    fn add_section(&mut self, segmentation: &Segmentation, segment: &Segment, whole: &[u32], cutoff: f64) {
        let (pieces, place) = (segment.triangles.clone(), Place { center: segment.ball.center, cutoff });
        let mut sides: [Vec<PartitionItem>; 6] = Default::default();
        for piece in pieces.clone().filter(|&piece| whole[piece as usize] == piece) {
            sides[side(self.triangles[piece as usize].normal)].push(PartitionItem::of(&segmentation.mesh, piece));
        }
        let size = CLUSTER_SIZES[0] * cutoff;
        let (mut singles, mut clusters) = (Vec::new(), Vec::new());
        for side in &mut sides {
            for group in partition_items(side, &limits(size)) {
                let group = &mut side[group.start as usize..group.end as usize];
                // A single triangle may be larger.
                if group.len() > 1 || 2.0 * self.triangles[group[0].index as usize].extent() <= size {
                    clusters.push(self.cluster(group, size, place));
                } else {
                    singles.push(group[0].index);
                }
            }
        }
        singles.extend(pieces.clone().map(|piece| whole[piece as usize]).filter(|&triangle| triangle as usize >= whole.len()));
        singles.sort_unstable();
        singles.dedup();
        let first_single = self.singles.len() as u32;
        self.singles.extend(singles);
        let (singles, cluster_count) = (first_single..self.singles.len() as u32, clusters.len());
        let blocks = self.add_clusters(clusters, place);
        self.sections.push(Section { pieces, singles, blocks, cluster_count, center: place.center });
    }

    /// A cluster of triangles within `size` (m), made of clusters half as large.
    fn cluster(&mut self, triangles: &mut [PartitionItem], size: f64, place: Place) -> NewCluster {
        let half = 0.5 * size;
        let mut groups = Vec::new();
        if triangles.len() > 1 && half >= CLUSTER_SIZES[1] * place.cutoff {
            groups = partition_items(triangles, &limits(half));
        }
        let parts = if groups.len() > 1 {
            let group = |range: Range<u32>| range.start as usize..range.end as usize;
            let clusters = groups.into_iter().map(|range| self.cluster(&mut triangles[group(range)], half, place)).collect();
            ClusterParts::Clusters(self.add_clusters(clusters, place))
        } else {
            let first = self.members.len() as u32;
            self.members.extend(triangles.iter().map(|item| item.index));
            ClusterParts::Triangles(first..self.members.len() as u32)
        };
        let (cluster, bounds) = Cluster::around(triangles.iter().map(|item| &self.triangles[item.index as usize]), place.cutoff);
        NewCluster { cluster, bounds, parts }
    }

    /// Appends clusters that are parts of the same cluster or segment; returns the range of their blocks.
    fn add_clusters(&mut self, clusters: Vec<NewCluster>, place: Place) -> Range<u32> {
        let first_block = self.blocks.len() as u32;
        let bounds: Vec<ClusterBounds> = clusters.iter().map(|new| new.bounds).collect();
        for (first, eight) in (self.clusters.len() as u32..).step_by(LANES).zip(bounds.chunks(LANES)) {
            self.blocks.push(ClusterBlock::new(first, eight, place.center, place.cutoff));
        }
        for NewCluster { cluster, parts, .. } in clusters {
            self.clusters.push(cluster);
            self.parts.push(parts);
        }
        first_block..self.blocks.len() as u32
    }

    /// Makes an edge between triangles of one plane sharp if it separates a cluster from what is outside: the two sides may be integrated in
    /// different ways, so that their edge terms would not cancel.
    fn separate(&mut self, segmentation: &Segmentation, whole: &[u32]) {
        let mut unit_of = vec![ALONE; self.triangles.len()];
        for (index, parts) in self.parts.iter().enumerate() {
            if let ClusterParts::Triangles(range) = parts {
                for &triangle in &self.members[range.start as usize..range.end as usize] {
                    unit_of[triangle as usize] = index as u32;
                }
            }
        }
        let mut units = vec![ALONE; segmentation.originals.len()];
        for (&source, &triangle) in segmentation.source.iter().zip(whole) {
            units[source as usize] = unit_of[triangle as usize];
        }
        let flat = |original: usize, edge: usize| !segmentation.sharp_originals[original][edge];
        let edge_of = |original: usize, edge: usize| {
            let corners = segmentation.originals[original];
            [corners[edge], corners[(edge + 1) % 3]]
        };
        let mut across = HashMap::new();
        for (original, &unit) in units.iter().enumerate() {
            for edge in (0..3).filter(|&edge| flat(original, edge)) {
                across.insert(edge_of(original, edge), unit);
            }
        }
        for (&source, &triangle) in segmentation.source.iter().zip(whole) {
            for edge in (0..3).filter(|&edge| flat(source as usize, edge)) {
                let [from, to] = edge_of(source as usize, edge);
                if across.get(&[to, from]).is_some_and(|&unit| unit != units[source as usize]) {
                    self.triangles[triangle as usize].make_sharp(edge);
                }
            }
        }
    }

    /// The pieces of a segment.
    pub fn pieces(&self, segment: u32) -> &[WallTriangle] {
        let range = &self.sections[segment as usize].pieces;
        &self.triangles[range.start as usize..range.end as usize]
    }

    /// Number of clusters, smaller ones included.
    pub fn cluster_count(&self) -> usize {
        self.clusters.len()
    }

    /// Number of triangles and clusters of a segment.
    pub fn part_count(&self, segment: u32) -> usize {
        let Section { singles, cluster_count, .. } = &self.sections[segment as usize];
        singles.len() + cluster_count
    }

    /// Adds what is near `point` (m) in a segment to `parts`; returns a lower bound of its distance, m.
    pub fn choose(&self, segment: u32, point: DVec3, cutoff: f64, parts: &mut NearParts) -> f64 {
        let section = &self.sections[segment as usize];
        let mut bound = if section.cluster_count > 0 { self.choose_clusters(section, point, cutoff, parts) } else { cutoff };
        let singles = &self.singles[section.singles.start as usize..section.singles.end as usize];
        for &triangle in singles {
            // Consecutive segments often share a triangle that was cut.
            if let Some((_, distance)) = parts.last_single.filter(|&(last, _)| last == triangle) {
                bound = bound.min(distance);
            } else if let Some(distance) = self.triangles[triangle as usize].distance_bound(point, cutoff) {
                bound = bound.min(distance);
                parts.triangles.push(triangle);
                parts.last_single = Some((triangle, distance));
            }
        }
        bound
    }

    fn choose_clusters(&self, section: &Section, point: DVec3, cutoff: f64, parts: &mut NearParts) -> f64 {
        let NearParts { triangles, clusters, pending, opened, .. } = parts;
        opened.clear();
        let bound = lanes::compute(ClusterChoice {
            blocks: &self.blocks,
            parts: &self.parts,
            of_segment: section.blocks.clone(),
            offset: (point - section.center) / cutoff,
            pending,
            chosen: clusters,
            opened,
        });
        let members = opened.iter().flat_map(|range| &self.members[range.start as usize..range.end as usize]);
        members.fold(cutoff * bound, |bound, &triangle| {
            triangles.push(triangle);
            bound.min(self.triangles[triangle as usize].distance_bound(point, cutoff).unwrap_or(cutoff))
        })
    }

    /// Integrates the mirror layer over `parts` around `point` (m), and empties them. If the surface deforms, `flow` gets how it moves there.
    pub fn integrate(&self, point: DVec3, cutoff: f64, parts: &mut NearParts, flow: &mut SurfaceFlow) -> (SurfaceIntegral, NormalParts) {
        let NearParts { triangles, clusters, .. } = parts;
        let (mut sum, mut along_normals) = match clusters.is_empty() {
            true => Default::default(),
            false => lanes::compute(ClusterIntegral { clusters: &self.clusters, chosen: clusters, point, cutoff }),
        };
        sort(triangles);
        for &triangle in &*triangles {
            let part = self.integrate_triangle(triangle, point, cutoff);
            along_normals += self.triangles[triangle as usize].normal_parts(point, &part);
            if self.deforms() {
                self.add_flow(triangle, point, part.gradient, flow);
            }
            sum += part;
        }
        parts.clear();
        (sum, along_normals)
    }

    fn integrate_triangle(&self, index: u32, point: DVec3, cutoff: f64) -> SurfaceIntegral {
        let (triangle, function) = (&self.triangles[index as usize], mirror_layer());
        // Those that were cut are large: quadrature would not do.
        let was_cut = index as usize >= self.pieces;
        if was_cut { triangle.integrate_exactly(function, point, cutoff) } else { triangle.integrate(function, point, cutoff) }
    }
}

/// Segments share the triangles that were cut.
fn sort(triangles: &mut Vec<u32>) {
    if triangles.len() > 1 {
        triangles.sort_unstable();
        triangles.dedup();
    }
}

/// A cluster that is not yet listed.
struct NewCluster {
    cluster: Cluster,
    bounds: ClusterBounds,
    parts: ClusterParts,
}

/// Where clusters are built.
#[derive(Clone, Copy)]
struct Place {
    /// Center of the segment, m.
    center: DVec3,
    /// m
    cutoff: f64,
}

fn limits(size: f64) -> SegmentLimits {
    SegmentLimits::new(size, usize::MAX).even()
}

/// One of six directions: the axis closest to `normal`, and its sign.
fn side(normal: DVec3) -> usize {
    let axis = normal.abs().max_position();
    2 * axis + usize::from(normal[axis] < 0.0)
}
