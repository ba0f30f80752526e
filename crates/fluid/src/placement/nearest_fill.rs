//! The fill in which a place is, or which is nearest: its material is the one of settled fluid there.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain};
use plimsoll_shape::{BoxTree, InsideTest};

use crate::{Fill, FillShape, FluidSettings};

/// The fills of a scene, found by place.
pub struct NearestFill<'a> {
    fills: Vec<(&'a Fill, Option<InsideTest>)>,
    tree: BoxTree,
    domain: Domain,
    /// Distance within which the nearest fill is searched first, m.
    reach: f64,
}

impl<'a> NearestFill<'a> {
    /// The fills of `settings`.
    pub fn new(settings: &'a FluidSettings) -> Self {
        let reach = 2.0 * settings.particle_radius;
        let inside = |fill: &Fill| match &fill.shape {
            FillShape::Mesh(mesh) => Some(InsideTest::new(mesh)),
            FillShape::Box { .. } | FillShape::Sphere { .. } => None,
        };
        let fills: Vec<_> = settings.fills.iter().map(|fill| (fill, inside(fill))).collect();
        let tree = BoxTree::new(settings.fills.iter().map(|fill| fill.shape.aabb().inflated(reach)));
        Self { fills, tree, domain: settings.domain, reach }
    }

    /// Material of the fill at `point` (m).
    pub fn material(&self, point: DVec3) -> u8 {
        let images: Vec<DVec3> = self.domain.images().map(|image| point + self.domain.shift(image)).collect();
        let near = self.tree.overlapping(images.iter().map(|&point| Aabb::around([point]).inflated(self.reach)));
        let distance = |index: usize| images.iter().map(|&point| self.distance(index, point)).fold(f64::INFINITY, f64::min);
        let nearest = |indices: &mut dyn Iterator<Item = usize>| indices.min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        let found = nearest(&mut near.into_iter()).or_else(|| nearest(&mut (0..self.fills.len())));
        found.map_or(0, |index| self.fills[index].0.material)
    }

    /// Distance of `point` from fill `index`, negative inside, m.
    fn distance(&self, index: usize, point: DVec3) -> f64 {
        match &self.fills[index] {
            (_, Some(inside)) => inside.signed_distance(point),
            (Fill { shape: FillShape::Sphere { center, radius }, .. }, None) => point.distance(*center) - radius,
            (fill, None) => {
                let aabb = fill.shape.aabb();
                let beyond = (aabb.min - point).max(point - aabb.max);
                beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
            }
        }
    }
}
