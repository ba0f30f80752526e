//! The region of a fill.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_shape::InsideTest;

use crate::FillShape;

/// The shape of a fill, with what queries need.
pub struct Region<'f> {
    shape: &'f FillShape,
    aabb: Aabb,
    boundary: Boundary,
}

/// The surface, as far as lattices do not fit it.
enum Boundary {
    /// That of a box.
    Fits,
    Sphere {
        center: DVec3,
        radius: f64,
    },
    Mesh(Box<InsideTest>),
}

impl<'f> Region<'f> {
    pub fn new(shape: &'f FillShape) -> Self {
        let boundary = match shape {
            FillShape::Box { .. } => Boundary::Fits,
            FillShape::Sphere { center, radius } => Boundary::Sphere { center: *center, radius: *radius },
            FillShape::Mesh(mesh) => Boundary::Mesh(Box::new(InsideTest::new(mesh))),
        };
        Self { shape, aabb: shape.aabb(), boundary }
    }

    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// m³
    pub fn volume(&self) -> f64 {
        self.shape.volume()
    }

    pub fn contains(&self, point: DVec3) -> bool {
        self.aabb.contains(point) && self.depth(point) >= 0.0
    }

    /// Whether lattices fit the region: it is a box.
    pub fn is_box(&self) -> bool {
        matches!(self.boundary, Boundary::Fits)
    }

    /// Distance of `point`, in the box around the region, from the boundary, negative outside, m; infinite if lattices fit.
    pub fn depth(&self, point: DVec3) -> f64 {
        match &self.boundary {
            Boundary::Fits => f64::INFINITY,
            Boundary::Sphere { center, radius } => radius - point.distance(*center),
            Boundary::Mesh(solid) => -solid.signed_distance(point),
        }
    }
}
