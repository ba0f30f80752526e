//! Bodies as obstacles to fluid that is being placed.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain};
use plimsoll_bodies::Body;
use plimsoll_shape::{BoxTree, Obstacle, has_inside};
use rayon::prelude::*;

/// Bodies and the distance that fluid keeps from them.
pub struct Obstacles {
    bodies: Vec<Obstacle>,
    /// The boxes of the bodies, each at the image whose center is in the domain, with the distance.
    tree: BoxTree,
    domain: Domain,
    /// m
    distance: f64,
}

impl Obstacles {
    pub fn new(bodies: &[&Body], domain: &Domain, distance: f64) -> Self {
        let bodies: Vec<Obstacle> = bodies.par_iter().map(|body| Obstacle::new(&body.mesh, body.pose, has_inside(&body.mesh))).collect();
        let boxes = bodies.iter().map(|body| {
            let center = body.aabb().center();
            body.aabb().translated(domain.wrap(center) - center).inflated(distance)
        });
        Self { tree: BoxTree::new(boxes), bodies, domain: *domain, distance }
    }

    /// Whether a body or one of its periodic images has `point` inside or closer than the distance.
    pub fn take(&self, point: DVec3) -> bool {
        self.any_near(point, |body| self.takes(body, point))
    }

    /// Distance of `point` from the nearest body or periodic image, negative inside, m; infinite if none is closer than the distance of the obstacles.
    pub fn clearance(&self, point: DVec3) -> f64 {
        let mut clearance = f64::INFINITY;
        self.any_near(point, |body| {
            let near = self.images(body, point).filter(|&point| body.takes(point, self.distance));
            clearance = near.map(|point| body.signed_distance(point)).fold(clearance, f64::min);
            false
        });
        clearance
    }

    /// Whether a body or one of its periodic images has `point` inside.
    pub fn hold(&self, point: DVec3) -> bool {
        self.any_near(point, |body| self.images(body, point).any(|point| body.contains(point)))
    }

    /// Whether `wanted` is true for one of the bodies near `point`.
    fn any_near(&self, point: DVec3, mut wanted: impl FnMut(&Obstacle) -> bool) -> bool {
        let home = self.domain.wrap(point);
        self.domain.images().any(|image| {
            let place = Aabb::around([home + self.domain.shift(image)]);
            self.tree.any_overlapping(&place, |index| wanted(&self.bodies[index]))
        })
    }

    fn takes(&self, body: &Obstacle, point: DVec3) -> bool {
        self.images(body, point).any(|point| body.takes(point, self.distance))
    }

    /// The images of `point` near a body.
    fn images(&self, body: &Obstacle, point: DVec3) -> impl Iterator<Item = DVec3> {
        let images = self.domain.images_toward(point, body.aabb().center());
        images.map(move |image| point + self.domain.shift(image))
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::Random;
    use plimsoll_bodies::BodyDefinition;
    use plimsoll_shape::TriangleMesh;

    use super::*;
    use crate::{Fill, FillShape, FluidSettings, FluidSimulation};

    /// Against a search through all bodies, with and without periodic axes.
    #[test]
    fn takes_what_any_body_takes() {
        let periodic = Domain { low: DVec3::splat(-1.0), size: DVec3::splat(4.0), periodic: [true, false, true], dimension: 3 };
        for domain in [Domain::OPEN, periodic] {
            let mut random = Random::new(5);
            let mut at = || DVec3::splat(-1.0) + 4.0 * random.point();
            // Half of them are three periods away.
            let mut place = |index: usize| at() + if index.is_multiple_of(2) { DVec3::ZERO } else { 12.0 * DVec3::X };
            let cube = || TriangleMesh::cuboid(DVec3::splat(0.7));
            let definitions = (0..40).map(|index| BodyDefinition::fixed(format!("{index}"), cube()).at(place(index)));
            let mut settings = FluidSettings::new(0.1);
            settings.domain = domain;
            // A simulation needs some fluid.
            let apart = FillShape::Box { min: DVec3::new(0.0, 9.0, 0.0), max: DVec3::new(1.0, 10.0, 1.0) };
            settings.fills = vec![Fill::at_rest(apart)];
            let simulation = FluidSimulation::new(settings, definitions.collect()).unwrap();
            let bodies: Vec<&Body> = simulation.bodies().iter().collect();
            let obstacles = Obstacles::new(&bodies, &domain, 0.05);
            let mut taken = 0;
            for _ in 0..4000 {
                let point = at() * DVec3::new(1.5, 1.0, 1.5);
                let expected = obstacles.bodies.iter().any(|body| obstacles.takes(body, point));
                assert_eq!(obstacles.take(point), expected, "{point}");
                taken += usize::from(expected);
            }
            assert!(taken > 100, "{taken}");
        }
    }
}
