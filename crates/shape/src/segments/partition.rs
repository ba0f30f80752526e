//! Recursive binary partition of triangles into groups within limits of size and number.
//!
//! A group within the limits is a segment; coplanar triangles have a larger limit. Any other group is split by the pivot plane through the center
//! of its box, perpendicular to the longest axis of the box, according to the centroids of the triangles. If one side is empty, it is split at the
//! median centroid.

use std::{cmp::Ordering, ops::Range};

use glam::DVec3;
use plimsoll_base::math::Aabb;
use rayon::prelude::*;

use super::limits::SegmentLimits;
use crate::TriangleMesh;

/// Groups with more triangles than this are split in parallel on two threads.
const PARALLEL: usize = 4096;

/// Tolerance of the angle between triangles of one plane, and of their distance from it as a share of the size.
const COPLANAR: f64 = 1e-9;

/// The data of a triangle for the partition.
#[derive(Clone, Copy, Debug)]
pub struct PartitionItem {
    aabb: Aabb,
    centroid: DVec3,
    normal: DVec3,
    /// Index of the triangle.
    pub index: u32,
}

/// The order of the triangles, and the ranges of that order that form segments.
pub(super) fn partition(mesh: &TriangleMesh, limits: &SegmentLimits) -> (Vec<u32>, Vec<Range<u32>>) {
    let mut items: Vec<PartitionItem> =
        (0..mesh.triangles.len()).into_par_iter().map(|index| PartitionItem::of(mesh, index as u32)).collect();
    let ranges = partition_items(&mut items, limits);
    (items.iter().map(|item| item.index).collect(), ranges)
}

/// Groups `items` by the same partition and reorders them so that groups are contiguous; returns the range of each group.
pub fn partition_items(items: &mut [PartitionItem], limits: &SegmentLimits) -> Vec<Range<u32>> {
    if items.is_empty() { Vec::new() } else { split(items, 0, limits) }
}

impl PartitionItem {
    /// The data of triangle `index` of `mesh`.
    pub fn of(mesh: &TriangleMesh, index: u32) -> Self {
        let corners = mesh.corners(index as usize);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        Self { aabb: Aabb::around(corners), centroid: (corners[0] + corners[1] + corners[2]) / 3.0, normal, index }
    }
}

/// Groups `items`, which begin at index `first` of the order, and reorders them so that groups are contiguous.
fn split(items: &mut [PartitionItem], first: u32, limits: &SegmentLimits) -> Vec<Range<u32>> {
    let aabb = items.iter().fold(Aabb::EMPTY, |aabb, item| aabb.union(item.aabb));
    let side = aabb.extent().max_element();
    let fits = side <= limits.size || (side <= limits.flat_size && are_coplanar(items, side));
    let small = fits && items.len() <= limits.triangles;
    // A single triangle has already been cut to fit. Only rounding of its box could make it appear too large.
    if small || items.len() == 1 {
        items.sort_unstable_by_key(|item| item.index);
        return std::iter::once(first..first + items.len() as u32).collect();
    }
    let pivot = divide(items, &aabb);
    let count = items.len();
    let (low, high) = items.split_at_mut(pivot);
    let (mut ranges, after) = if count > PARALLEL {
        rayon::join(|| split(low, first, limits), || split(high, first + pivot as u32, limits))
    } else {
        (split(low, first, limits), split(high, first + pivot as u32, limits))
    };
    ranges.extend(after);
    ranges
}

/// Whether all triangles, in a box of this side (m), are in one plane and face the same way.
fn are_coplanar(items: &[PartitionItem], side: f64) -> bool {
    let PartitionItem { centroid, normal, .. } = items[0];
    let in_plane = |item: &PartitionItem| (item.centroid - centroid).dot(normal).abs() <= COPLANAR * side;
    items.iter().all(|item| item.normal.distance(normal) <= COPLANAR && in_plane(item))
}

/// Moves the items below the pivot plane to the front. Returns their number, which is neither zero nor the number of all items.
fn divide(items: &mut [PartitionItem], aabb: &Aabb) -> usize {
    let axis = aabb.longest_axis();
    let plane = aabb.center()[axis];
    let mut below = 0;
    for index in 0..items.len() {
        if items[index].centroid[axis] < plane {
            items.swap(below, index);
            below += 1;
        }
    }
    if below > 0 && below < items.len() {
        return below;
    }
    let median = items.len() / 2;
    let order = |first: &PartitionItem, second: &PartitionItem| -> Ordering {
        first.centroid[axis].total_cmp(&second.centroid[axis]).then(first.index.cmp(&second.index))
    };
    items.select_nth_unstable_by(median, order);
    median
}
