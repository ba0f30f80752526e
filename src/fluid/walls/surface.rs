//! The surface of a body, ready for wall integrals.
//!
//! Segments say what is near a particle; what is integrated are whole triangles and clusters. A triangle that was cut for the segments is
//! integrated once, however many of its pieces are near, and small triangles are integrated by the cluster.

use std::{collections::HashMap, ops::Range};

use glam::{DMat3, DVec3};

use crate::{
    fluid::walls::{
        RadialFunction, SurfaceIntegral, WallTriangle,
        cluster::{Cluster, ClusterIntegral, ClusterParts, OPENING},
    },
    math::lanes,
    shape::{SegmentLimits, Segmentation},
};

/// Longest side of the box of the largest and the smallest clusters, in cutoffs.
const CLUSTER_SIZES: [f64; 2] = [0.4, 0.1];
/// Smaller clusters count as this large, in cutoffs, so that no distance is too small for single precision.
const MIN_EXTENT: f64 = 1e-4;
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
    /// Triangles of the smallest clusters.
    members: Vec<u32>,
}

/// What belongs to a segment.
#[derive(Clone, Debug)]
struct Section {
    pieces: Range<u32>,
    /// Range of `singles`.
    singles: Range<u32>,
    /// Range of `clusters`: those that are part of no other.
    clusters: Range<u32>,
}

/// Buffers of an integral: what is near the point.
#[derive(Clone, Debug, Default)]
pub struct NearParts {
    triangles: Vec<u32>,
    clusters: Vec<u32>,
}

impl NearParts {
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
            surface.add_section(segmentation, segment.triangles.clone(), &whole, cutoff);
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

    fn add_section(&mut self, segmentation: &Segmentation, pieces: Range<u32>, whole: &[u32], cutoff: f64) {
        let first_single = self.singles.len();
        let mut sides: [Vec<u32>; 6] = Default::default();
        for piece in pieces.clone().filter(|&piece| whole[piece as usize] == piece) {
            sides[side(self.triangles[piece as usize].normal)].push(piece);
        }
        let size = CLUSTER_SIZES[0] * cutoff;
        let mut clusters = Vec::new();
        for group in sides.iter().flat_map(|side| segmentation.mesh.groups(side, &limits(size))) {
            // A single triangle may be larger.
            if group.len() > 1 || 2.0 * self.triangles[group[0] as usize].extent() <= size {
                clusters.push(self.cluster(segmentation, &group, size, cutoff));
            } else {
                self.singles.extend(group);
            }
        }
        let first_cluster = self.clusters.len();
        self.clusters.extend(clusters);
        let pieces_of_cut = pieces.clone().map(|piece| whole[piece as usize]).filter(|&triangle| triangle as usize >= whole.len());
        self.singles.extend(pieces_of_cut);
        self.singles[first_single..].sort_unstable();
        let mut singles = self.singles.split_off(first_single);
        singles.dedup();
        self.singles.extend(singles);
        self.sections.push(Section {
            pieces,
            singles: first_single as u32..self.singles.len() as u32,
            clusters: first_cluster as u32..self.clusters.len() as u32,
        });
    }

    /// A cluster of `triangles` within `size` (m), made of clusters half as large.
    fn cluster(&mut self, segmentation: &Segmentation, triangles: &[u32], size: f64, cutoff: f64) -> Cluster {
        let half = 0.5 * size;
        let mut groups = Vec::new();
        if triangles.len() > 1 && half >= CLUSTER_SIZES[1] * cutoff {
            groups = segmentation.mesh.groups(triangles, &limits(half));
        }
        let parts = if groups.len() > 1 {
            let clusters: Vec<Cluster> = groups.iter().map(|group| self.cluster(segmentation, group, half, cutoff)).collect();
            let first = self.clusters.len() as u32;
            self.clusters.extend(clusters);
            ClusterParts::Clusters(first..self.clusters.len() as u32)
        } else {
            let first = self.members.len() as u32;
            self.members.extend(triangles);
            ClusterParts::Triangles(first..self.members.len() as u32)
        };
        Cluster::around(triangles.iter().map(|&triangle| &self.triangles[triangle as usize]), parts)
    }

    /// Makes an edge between triangles of one plane sharp if it separates a cluster from what is outside: the two sides may be integrated in
    /// different ways, so that their edge terms would not cancel.
    fn separate(&mut self, segmentation: &Segmentation, whole: &[u32]) {
        let mut unit_of = vec![ALONE; self.triangles.len()];
        for (index, cluster) in self.clusters.iter().enumerate() {
            if let ClusterParts::Triangles(range) = &cluster.parts {
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
        let Section { singles, clusters, .. } = &self.sections[segment as usize];
        singles.len() + clusters.len()
    }

    /// Adds what is near `point` (m) in a segment to `parts`; returns a lower bound of its distance, m.
    pub fn choose(&self, segment: u32, point: DVec3, cutoff: f64, parts: &mut NearParts) -> f64 {
        let Section { singles, clusters, .. } = &self.sections[segment as usize];
        let mut bound = cutoff;
        for cluster in clusters.clone() {
            bound = bound.min(self.choose_cluster(cluster, point, cutoff, parts));
        }
        for &triangle in &self.singles[singles.start as usize..singles.end as usize] {
            if let Some(distance) = self.triangles[triangle as usize].distance_bound(point, cutoff) {
                bound = bound.min(distance);
                parts.triangles.push(triangle);
            }
        }
        bound
    }

    fn choose_cluster(&self, index: u32, point: DVec3, cutoff: f64, parts: &mut NearParts) -> f64 {
        let cluster = &self.clusters[index as usize];
        let squared = point.distance_squared(cluster.center);
        let far = cluster.extent + cutoff;
        if squared >= far * far {
            return cutoff;
        }
        let distance = squared.sqrt();
        if cluster.extent.max(MIN_EXTENT * cutoff) < OPENING * distance {
            parts.clusters.push(index);
            return cluster.distance_bound(point, distance);
        }
        match &cluster.parts {
            ClusterParts::Clusters(range) => {
                range.clone().map(|part| self.choose_cluster(part, point, cutoff, parts)).fold(cutoff, f64::min)
            }
            ClusterParts::Triangles(range) => {
                let triangles = &self.members[range.start as usize..range.end as usize];
                parts.triangles.extend(triangles);
                let bound = |&triangle: &u32| self.triangles[triangle as usize].distance_bound(point, cutoff).unwrap_or(cutoff);
                triangles.iter().map(bound).fold(cutoff, f64::min)
            }
        }
    }

    /// Integrates `function` over `parts` around `point` (m), and empties them.
    pub fn integrate(&self, function: &RadialFunction, point: DVec3, cutoff: f64, parts: &mut NearParts) -> (SurfaceIntegral, DMat3) {
        let NearParts { triangles, clusters } = parts;
        let of_clusters = ClusterIntegral { function, clusters: &self.clusters, chosen: clusters, point, cutoff };
        let (mut sum, mut moment) = lanes::compute(of_clusters);
        // Segments share the triangles that were cut.
        triangles.sort_unstable();
        triangles.dedup();
        for &triangle in &*triangles {
            let was_cut = triangle as usize >= self.pieces;
            let triangle = &self.triangles[triangle as usize];
            // Those that were cut are large: quadrature would not do.
            let part =
                if was_cut { triangle.integrate_exactly(function, point, cutoff) } else { triangle.integrate(function, point, cutoff) };
            moment += triangle.normal_moment(point, &part);
            sum += part;
        }
        triangles.clear();
        clusters.clear();
        (sum, moment)
    }
}

fn limits(size: f64) -> SegmentLimits {
    SegmentLimits { size, triangles: usize::MAX }
}

/// One of six directions: the axis closest to `normal`, and its sign.
fn side(normal: DVec3) -> usize {
    let axis = normal.abs().max_position();
    2 * axis + usize::from(normal[axis] < 0.0)
}
