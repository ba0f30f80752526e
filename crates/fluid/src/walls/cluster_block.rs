//! Choice of the clusters near a point that are small enough for their distance, eight at a time in single precision.

use std::ops::Range;

use glam::DVec3;
use plimsoll_base::math::lanes::{LANES, LaneWork, Lanes, consecutive};

use crate::walls::cluster::{ClusterBounds, ClusterParts};

/// A cluster is integrated by quadrature if its extent is less than this share of its distance. The error of the density that a wall adds
/// is then below 0.3 %, that of its gradient below 1 % (`cargo test --release --test fluid clusters`).
const OPENING: f64 = 0.36;
/// Smaller clusters count as this large, in cutoffs, so that no distance is too small for single precision.
const MIN_EXTENT: f64 = 1e-4;
/// Bounds of distances are reduced by this share of the cutoff, more than the error of single precision.
const ROUNDING: f64 = 4e-6;

/// Up to eight consecutive clusters that are part of the same cluster or segment, in columns. Lengths are in cutoffs, coordinates relative to
/// the center of the segment, so that single precision is enough in a large body.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct ClusterBlock {
    // What is read first comes first.
    center: [[f32; LANES]; 3],
    /// Squares of the distances below which a cluster is near, below which it is too large, and below which one of its points is near. Negative
    /// if there is no cluster.
    near: [f32; LANES],
    opened: [f32; LANES],
    acting: [f32; LANES],
    normal: [[f32; LANES]; 3],
    /// Extent of the triangles along the normal, relative to the center.
    slab: [[f32; LANES]; 2],
    extent: [f32; LANES],
    /// Index of the first cluster.
    first: u32,
}

impl ClusterBlock {
    /// The block of clusters with these bounds, of which `first` is the index of the first one. `origin` (m) is the center of the segment.
    pub fn new(first: u32, bounds: &[ClusterBounds], origin: DVec3, cutoff: f64) -> Self {
        let mut block = Self {
            center: [[0.0; LANES]; 3],
            normal: [[0.0; LANES]; 3],
            slab: [[0.0; LANES]; 2],
            extent: [0.0; LANES],
            near: [-1.0; LANES],
            acting: [-1.0; LANES],
            opened: [-1.0; LANES],
            first,
        };
        for (lane, ClusterBounds { center, extent, normal, slab, spread }) in bounds.iter().enumerate() {
            let (center, extent) = ((*center - origin) / cutoff, extent / cutoff);
            for axis in 0..3 {
                block.center[axis][lane] = center[axis] as f32;
                block.normal[axis][lane] = normal[axis] as f32;
            }
            for (side, height) in slab.iter().enumerate() {
                block.slab[side][lane] = (height / cutoff) as f32;
            }
            block.extent[lane] = extent as f32;
            block.near[lane] = (extent + 1.0).powi(2) as f32;
            block.acting[lane] = (spread / cutoff + 1.0).powi(2) as f32;
            block.opened[lane] = (extent.max(MIN_EXTENT) / OPENING).powi(2) as f32;
        }
        block
    }
}

/// Chooses clusters near a point, and triangles where the clusters are too large.
pub struct ClusterChoice<'a> {
    pub blocks: &'a [ClusterBlock],
    /// Parts of each cluster.
    pub parts: &'a [ClusterParts],
    /// The blocks of a segment.
    pub of_segment: Range<u32>,
    /// The point relative to the center of the segment, in cutoffs.
    pub offset: DVec3,
    /// Buffer for blocks to be tested.
    pub pending: &'a mut Vec<u32>,
    pub chosen: &'a mut Vec<u32>,
    /// Ranges of triangles of clusters too large.
    pub opened: &'a mut Vec<Range<u32>>,
}

impl LaneWork for ClusterChoice<'_> {
    /// A lower bound of the distance to the chosen clusters, in cutoffs; at most 1.
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Self { blocks, parts, of_segment, offset, pending, chosen, opened } = self;
        let point = offset.as_vec3();
        let (px, py, pz) = (L::splat(point.x), L::splat(point.y), L::splat(point.z));
        let one = L::splat(1.0);
        let mut bounds = one;
        pending.clear();
        pending.extend(of_segment.rev());
        while let Some(index) = pending.pop() {
            if let Some(&next) = pending.last() {
                let next = &blocks[next as usize];
                L::prefetch(&next.center, 0);
                L::prefetch(&next.near, 0);
            }
            let block = &blocks[index as usize];
            let [cx, cy, cz] = &block.center;
            let (x, y, z) = (px - L::load(cx), py - L::load(cy), pz - L::load(cz));
            let squared = x * x + y * y + z * z;
            let near = squared.bits_less(L::load(&block.near));
            if near == 0 {
                continue;
            }
            let too_large = near & squared.bits_less(L::load(&block.opened));
            let accepted = near & !too_large;
            if accepted != 0 {
                let [nx, ny, nz] = &block.normal;
                let height = x * L::load(nx) + y * L::load(ny) + z * L::load(nz);
                let [lowest, highest] = &block.slab;
                let outside_slab = (L::load(lowest) - height).max(height - L::load(highest));
                let bound = outside_slab.max(squared.sqrt() - L::load(&block.extent));
                // Only those that are accepted count.
                let bound = squared.select_less(L::load(&block.opened), one, bound);
                bounds = bounds.min(squared.select_less(L::load(&block.near), bound, one));
                let acting = accepted & squared.bits_less(L::load(&block.acting));
                let end = chosen.len();
                chosen.resize(end + LANES, 0);
                let end = L::append(&consecutive(block.first), acting, chosen, end);
                chosen.truncate(end);
            }
            let mut rest = too_large;
            while rest != 0 {
                match &parts[(block.first + rest.trailing_zeros()) as usize] {
                    ClusterParts::Clusters(blocks) => pending.extend(blocks.clone()),
                    ClusterParts::Triangles(triangles) => opened.push(triangles.clone()),
                }
                rest &= rest - 1;
            }
        }
        let lowest = bounds.store().into_iter().fold(1.0, f32::min);
        if lowest < 1.0 { (f64::from(lowest) - ROUNDING).max(0.0) } else { 1.0 }
    }
}
