//! Recursive binary partition of triangles into groups within limits of size and number.
//!
//! A group within the limits is a segment. Any other group is split by the pivot plane through the center of its box, perpendicular to the
//! longest axis of the box, according to the centroids of the triangles. If one side is empty, it is split at the median centroid.

use std::{cmp::Ordering, ops::Range};

use glam::DVec3;
use rayon::prelude::*;

use super::limits::SegmentLimits;
use crate::{math::Aabb, shape::TriangleMesh};

/// Groups with more triangles than this are split in parallel on two threads.
const PARALLEL: usize = 4096;

/// The data of a triangle for the partition.
#[derive(Clone, Copy, Debug)]
pub struct PartitionItem {
    aabb: Aabb,
    centroid: DVec3,
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
        Self { aabb: Aabb::around(corners), centroid: (corners[0] + corners[1] + corners[2]) / 3.0, index }
    }
}

/// Groups `items`, which begin at index `first` of the order, and reorders them so that groups are contiguous.
fn split(items: &mut [PartitionItem], first: u32, limits: &SegmentLimits) -> Vec<Range<u32>> {
    let aabb = items.iter().fold(Aabb::EMPTY, |aabb, item| aabb.union(item.aabb));
    let small = aabb.extent().max_element() <= limits.size && items.len() <= limits.triangles;
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
