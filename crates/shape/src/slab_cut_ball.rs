//! Slab-cut ball: a ball cut by two parallel planes, a tight and cheap bound for a nearly flat piece of surface.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_base::math::Pose;
use serde::{Deserialize, Serialize};

use super::principal::min_extent;

/// If the mean normal is shorter than this fraction of the summed areas, the normals are considered to cancel.
const CANCELLED: f64 = 0.05;

/// The points within `radius` of `center` whose signed distance from it along `normal` is between `lower` and `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlabCutBall {
    /// m
    pub center: DVec3,
    /// m
    pub radius: f64,
    /// Unit vector normal to both planes.
    pub normal: DVec3,
    /// Minimum signed distance of a vertex from the center along the normal, m.
    pub lower: f64,
    /// Maximum signed distance of a vertex from the center along the normal, m.
    pub upper: f64,
}

impl SlabCutBall {
    /// Bounds triangles given by their corners. The ball is centered at the mean of their centroids and cut perpendicular to their mean
    /// normal, or to the direction of minimum extent if the normals cancel.
    ///
    /// # Panics
    /// If there are no triangles.
    pub fn around(triangles: &[[DVec3; 3]]) -> Self {
        assert!(!triangles.is_empty(), "a slab-cut ball bounds at least one triangle");
        let center = triangles.iter().map(|[a, b, c]| (a + b + c) / 3.0).sum::<DVec3>() / triangles.len() as f64;
        let vertices = || triangles.iter().flatten().copied();
        let area_vectors = || triangles.iter().map(|&[a, b, c]| (b - a).cross(c - a));
        let sum: DVec3 = area_vectors().sum();
        let area: f64 = area_vectors().map(DVec3::length).sum();
        let normal = if sum.length() > CANCELLED * area { sum.normalize() } else { min_extent(vertices()) };
        let radius = vertices().map(|vertex| vertex.distance(center)).fold(0.0, f64::max);
        let heights = || vertices().map(|vertex| (vertex - center).dot(normal));
        let lower = heights().fold(f64::INFINITY, f64::min);
        let upper = heights().fold(f64::NEG_INFINITY, f64::max);
        Self { center, radius, normal, lower, upper }
    }

    /// Whether `point` is in the ball and between the planes, all inflated by `inflation` m.
    pub fn contains(&self, point: DVec3, inflation: f64) -> bool {
        let offset = point - self.center;
        let height = offset.dot(self.normal);
        height >= self.lower - inflation && height <= self.upper + inflation && offset.length() <= self.radius + inflation
    }

    /// A lower bound of the distance (m) from `point` to what is inside.
    pub fn distance_bound(&self, point: DVec3) -> f64 {
        let offset = point - self.center;
        let height = offset.dot(self.normal);
        (height - self.upper).max(self.lower - height).max(offset.length() - self.radius).max(0.0)
    }

    /// The part of a line along x for which [`SlabCutBall::contains`] is true, relative to the center. The line passes the center at `y`
    /// and `z` (m).
    pub fn chord(&self, y: f64, z: f64, inflation: f64) -> Option<(f64, f64)> {
        let radius = self.radius + inflation;
        let half = (radius * radius - y * y - z * z).sqrt();
        let height = y * self.normal.y + z * self.normal.z;
        let (lower, upper) = (self.lower - inflation - height, self.upper + inflation - height);
        let (from, to) = match self.normal.x {
            // The line is parallel to the planes: all of it is between them, or none.
            0.0 if lower <= 0.0 && upper >= 0.0 => (-half, half),
            0.0 => return None,
            slope => {
                let (one, other) = (lower / slope, upper / slope);
                (one.min(other).max(-half), one.max(other).min(half))
            }
        };
        // False if the line misses the ball: `half` is NaN in this case.
        (half >= 0.0 && from <= to).then_some((from, to))
    }

    /// The bound of the same piece of surface after the motion `pose`.
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self { center: pose.transform_point(self.center), normal: pose.transform_vector(self.normal), ..*self }
    }

    /// Volume, m³: `∫ π (r² - z²) dz` between the planes, `= π [r² z - z³/3]`.
    pub fn volume(&self) -> f64 {
        let below = |height: f64| {
            let z = height.clamp(-self.radius, self.radius);
            PI * (self.radius * self.radius * z - z * z * z / 3.0)
        };
        below(self.upper) - below(self.lower)
    }

    /// Volume of the ball without the planes, m³.
    pub fn ball_volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.radius.powi(3)
    }
}
