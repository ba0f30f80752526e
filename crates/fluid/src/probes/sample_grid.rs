//! Grids of points at which the fluid is measured for each frame.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use serde::{Deserialize, Serialize};

/// Points at equal distances along the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleGrid {
    /// Unique among the grids; part of the names of files.
    pub name: String,
    /// The first point, m.
    pub first: DVec3,
    /// Distances along each axis, m.
    pub spacing: DVec3,
    /// Points along each axis, at least one.
    pub counts: [usize; 3],
}

impl SampleGrid {
    /// Points in `region` and on its sides, at distances of about `spacing` (m): along each axis the whole number of distances that fits best. Along an
    /// axis without extent there is one point.
    pub fn over(name: String, region: &Aabb, spacing: f64) -> Self {
        let (extent, mut distances) = (region.extent(), DVec3::splat(spacing));
        let counts = [0, 1, 2].map(|axis| {
            if extent[axis] <= 0.0 {
                return 1;
            }
            let intervals = (extent[axis] / spacing).round().max(1.0);
            distances[axis] = extent[axis] / intervals;
            intervals as usize + 1
        });
        Self { name, first: region.min, spacing: distances, counts }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Point `[i, j, k]`, m.
    pub fn point(&self, [i, j, k]: [usize; 3]) -> DVec3 {
        self.first + self.spacing * DVec3::new(i as f64, j as f64, k as f64)
    }
}
