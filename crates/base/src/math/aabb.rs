//! Axis-aligned bounding box.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Axis-aligned box between two corners, in meters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// Lowest corner.
    pub min: DVec3,
    /// Highest corner.
    pub max: DVec3,
}

impl Aabb {
    /// The empty box. Extending it by a point gives that point.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The bounding box of `points`; [`Aabb::EMPTY`] if there are none.
    #[inline]
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |aabb, point| aabb.including(point))
    }

    /// The bounding box of this box and `point`.
    #[inline]
    pub fn including(self, point: DVec3) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The bounding box of both.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box widened by `margin` on every side.
    #[inline]
    pub fn inflated(self, margin: f64) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// The box moved by `shift`.
    #[inline]
    pub fn translated(self, shift: DVec3) -> Self {
        Self { min: self.min + shift, max: self.max + shift }
    }

    /// Whether the box contains no point.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Lengths of the edges.
    #[inline]
    pub fn extent(&self) -> DVec3 {
        self.max - self.min
    }

    /// Center of the box.
    #[inline]
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Index (0, 1, 2) of the longest edge.
    #[inline]
    pub fn longest_axis(&self) -> usize {
        let extent = self.extent();
        if extent.x >= extent.y && extent.x >= extent.z {
            0
        } else if extent.y >= extent.z {
            1
        } else {
            2
        }
    }

    /// Product of the edges; zero if empty.
    #[inline]
    pub fn volume(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.extent().element_product() }
    }

    /// Whether `point` is in the box or on its boundary.
    #[inline]
    pub fn contains(&self, point: DVec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// Squared distance from `point` to the box, zero inside.
    #[inline]
    pub fn distance_squared(&self, point: DVec3) -> f64 {
        point.distance_squared(point.clamp(self.min, self.max))
    }

    /// Distance between the nearest points of two boxes, m; zero if they overlap.
    #[inline]
    pub fn distance_to(&self, other: &Self) -> f64 {
        (self.min - other.max).max(other.min - self.max).max(DVec3::ZERO).length()
    }

    /// The eight corners.
    #[inline]
    pub fn corners(&self) -> [DVec3; 8] {
        let [low, high] = [self.min, self.max];
        std::array::from_fn(|corner| {
            let at = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
            DVec3::new(at(0), at(1), at(2))
        })
    }

    /// Whether the boxes have a point in common; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}
