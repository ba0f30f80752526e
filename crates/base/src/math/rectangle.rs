//! Axis-aligned rectangle in the plane.

use glam::DVec2;
use serde::{Deserialize, Serialize};

/// Axis-aligned rectangle between two corners, in meters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rectangle {
    /// Lowest corner.
    pub min: DVec2,
    /// Highest corner.
    pub max: DVec2,
}

impl Rectangle {
    /// The empty rectangle. Extending it by a point gives that point.
    pub const EMPTY: Self = Self { min: DVec2::INFINITY, max: DVec2::NEG_INFINITY };

    /// The bounding rectangle of `points`; [`Rectangle::EMPTY`] if there are none.
    pub fn around(points: impl IntoIterator<Item = DVec2>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, point| Self { min: all.min.min(point), max: all.max.max(point) })
    }

    /// Widened by `margin` on every side.
    pub fn inflated(self, margin: f64) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// The bounding rectangle of both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the rectangle contains no point.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Lengths of the edges.
    pub fn extent(&self) -> DVec2 {
        self.max - self.min
    }

    /// Product of the edges; zero if empty.
    pub fn area(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.extent().element_product() }
    }

    /// Whether `point` is in the rectangle or on its boundary.
    pub fn contains(&self, point: DVec2) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// Whether the rectangles have a point in common; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (self.min.x <= other.max.x) & (other.min.x <= self.max.x) & (self.min.y <= other.max.y) & (other.min.y <= self.max.y)
    }
}
