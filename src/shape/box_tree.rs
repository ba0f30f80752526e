//! Search for boxes that overlap, in a bounding-volume tree of `parry`.

use glam::DVec3;
use rapier3d_f64::parry::{
    bounding_volume::Aabb as Bounds,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy},
};

use crate::math::Aabb;

/// Margin of the boxes, as a share of the largest coordinate, so that those that touch overlap whatever is rounded.
const ROUNDING: f64 = 1e-12;

/// Boxes by their index.
pub struct BoxTree {
    tree: Bvh,
}

impl BoxTree {
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
}

fn bounds(aabb: &Aabb) -> Bounds {
    let margin = DVec3::splat(ROUNDING * aabb.max.abs().max(aabb.min.abs()).max_element());
    let vector = |point: DVec3| Vector::new(point.x, point.y, point.z);
    Bounds::new(vector(aabb.min - margin), vector(aabb.max + margin))
}
