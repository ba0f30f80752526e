//! Search for boxes that overlap, in a bounding-volume tree of `parry`.

use glam::DVec3;
use parry3d_f64::{
    bounding_volume::Aabb as Bounds,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy},
};
use plimsoll_base::math::Aabb;

/// Margin of the boxes, as a share of the largest coordinate, so that those that touch overlap whatever is rounded.
const ROUNDING: f64 = 1e-12;

/// Axis-aligned boxes, found by what overlaps them.
pub struct BoxTree {
    tree: Bvh,
}

impl BoxTree {
    /// Boxes with the indices 0, 1, and so on.
    pub fn new(boxes: impl IntoIterator<Item = Aabb>) -> Self {
        let boxes: Vec<Bounds> = boxes.into_iter().map(|aabb| bounds(&aabb)).collect();
        Self { tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes) }
    }

    /// Calls `visit` with the index of each box that overlaps `aabb`, in no particular order.
    pub fn for_each_overlapping(&self, aabb: &Aabb, mut visit: impl FnMut(usize)) {
        for index in self.tree.intersect_aabb(&bounds(aabb)) {
            visit(index as usize);
        }
    }

    /// Whether `test` holds for any box that overlaps `aabb`; they are tested in no particular order.
    pub fn any_overlapping(&self, aabb: &Aabb, mut test: impl FnMut(usize) -> bool) -> bool {
        self.tree.intersect_aabb(&bounds(aabb)).any(|index| test(index as usize))
    }

    /// The indices of the boxes that overlap any of `others`, each once, in ascending order.
    pub fn overlapping(&self, others: impl IntoIterator<Item = Aabb>) -> Vec<usize> {
        let mut found = Vec::new();
        for other in others {
            self.for_each_overlapping(&other, |index| found.push(index));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn bounds(aabb: &Aabb) -> Bounds {
    let margin = DVec3::splat(ROUNDING * aabb.max.abs().max(aabb.min.abs()).max_element());
    let vector = |point: DVec3| Vector::new(point.x, point.y, point.z);
    Bounds::new(vector(aabb.min - margin), vector(aabb.max + margin))
}
