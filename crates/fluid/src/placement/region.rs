//! The region of a fill.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_shape::InsideTest;
use rayon::prelude::*;

use super::Obstacles;
use crate::FillShape;

/// Samples of a region that bodies cut: at least this many, and up to this many if it has as many particles.
const SAMPLES: [usize; 2] = [1000, 20_000];

/// The shape of a fill with an inside test.
pub struct Region<'f> {
    shape: &'f FillShape,
    solid: Option<InsideTest>,
}

impl<'f> Region<'f> {
    pub fn new(shape: &'f FillShape) -> Self {
        let solid = match shape {
            FillShape::Mesh(mesh) => Some(InsideTest::new(mesh)),
            FillShape::Box { .. } | FillShape::Sphere { .. } => None,
        };
        Self { shape, solid }
    }

    pub fn aabb(&self) -> Aabb {
        self.shape.aabb()
    }

    /// Whether `point`, in the box around the region, is in it.
    pub fn contains(&self, point: DVec3) -> bool {
        match (self.shape, &self.solid) {
            (FillShape::Sphere { center, radius }, _) => point.distance_squared(*center) < radius * radius,
            (FillShape::Mesh(_), Some(solid)) => solid.contains(point),
            (FillShape::Box { .. } | FillShape::Mesh(_), _) => true,
        }
    }

    /// Share of the region outside of the bodies, measured with about `count` samples. Multiples of irrational numbers fill a box evenly wherever the
    /// walls in it are; a lattice would miss a wall or count it twice.
    pub fn free_share(&self, obstacles: &Obstacles, count: usize) -> f64 {
        let (aabb, steps) = (self.aabb(), DVec3::from_array([2.0, 3.0, 5.0].map(f64::sqrt)));
        let sample = |index: usize| aabb.min + aabb.extent() * ((index as f64 + 0.5) * steps).fract();
        let samples = (0..count.clamp(SAMPLES[0], SAMPLES[1])).into_par_iter().map(sample);
        let inside: Vec<DVec3> = samples.filter(|&point| self.contains(point)).collect();
        let free = inside.par_iter().filter(|&&point| !obstacles.hold(point)).count();
        if inside.is_empty() { 1.0 } else { free as f64 / inside.len() as f64 }
    }
}
