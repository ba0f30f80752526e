//! Obstacle: a mesh at a pose, with contact and distance queries and, if it is closed, inside tests.

use std::{borrow::Cow, sync::OnceLock};

use glam::DVec3;
use parry3d_f64::{
    math::Pose as ParryPose,
    query::{Ray, RayCast, intersection_test},
};
use plimsoll_base::math::{Aabb, Pose};

use super::{InsideTest, TriangleMesh, sheets};

/// A mesh in the world; of a closed mesh that is wound inward, the solid is what is around it, as far as its bounding box. All points are in world coordinates, m.
#[derive(Clone)]
pub struct Obstacle {
    mesh: TriangleMesh,
    pose: Pose,
    closed: bool,
    aabb: Aabb,
    /// Built for the first query near the mesh.
    test: OnceLock<Surfaces>,
}

/// The surface of the solid, and sheets.
#[derive(Clone)]
struct Surfaces {
    solid: Option<InsideTest>,
    sheets: Option<InsideTest>,
}

impl Surfaces {
    fn of(mesh: &TriangleMesh, closed: bool) -> Self {
        if !closed {
            return Self { solid: None, sheets: Some(InsideTest::new(mesh)) };
        }
        let (solid, sheets) = sheets::divide(mesh);
        let test = |part: Option<Cow<TriangleMesh>>| part.map(|part| InsideTest::new(&part));
        Self { solid: test(solid), sheets: test(sheets) }
    }

    fn parts(&self) -> impl Iterator<Item = &InsideTest> {
        self.solid.iter().chain(&self.sheets)
    }

    /// Distance to the closest surface, or to that of the solid if `point` is in it, then negative.
    fn signed_distance(&self, point: DVec3) -> f64 {
        let to_solid = self.solid.as_ref().map_or(f64::INFINITY, |solid| solid.signed_distance(point));
        match &self.sheets {
            Some(sheets) if to_solid > 0.0 => to_solid.min(sheets.distance(point)),
            _ => to_solid,
        }
    }
}

impl Obstacle {
    /// Places `mesh`, in body coordinates, at `pose`. Only a `closed` mesh has an inside, that of its closed components (watertight, consistently
    /// wound); the others are sheets. Queries panic if the mesh has no triangles.
    pub fn new(mesh: &TriangleMesh, pose: Pose, closed: bool) -> Self {
        let aabb = Aabb::around(mesh.vertices.iter().map(|&vertex| pose.transform_point(vertex)));
        Self { mesh: mesh.clone(), pose, closed, aabb, test: OnceLock::new() }
    }

    /// The test is built without a lock: building it runs parallel loops, in which a thread may steal work that needs the same test, and with a lock that work
    /// would wait for its own thread. Tests built at the same time are equal, and one of them is kept.
    fn test(&self) -> &Surfaces {
        match self.test.get() {
            Some(test) => test,
            None => {
                let built = Surfaces::of(&self.mesh, self.closed);
                self.test.get_or_init(|| built)
            }
        }
    }

    /// The axis-aligned bounding box.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Whether `point` is inside the solid or on its surface; false for an open mesh.
    pub fn contains(&self, point: DVec3) -> bool {
        self.closed && self.aabb.contains(point) && self.signed_distance(point) <= 0.0
    }

    /// Distance to the surface, negative inside the solid.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.test().signed_distance(self.pose.inverse_transform_point(point))
    }

    /// Whether `point` is inside the solid or closer to the surface than `distance`.
    pub fn takes(&self, point: DVec3, distance: f64) -> bool {
        self.aabb.inflated(distance).contains(point) && self.signed_distance(point) < distance
    }

    /// Penetration depth of a sphere through the surface; its radius if its center is inside the solid.
    pub fn overlap(&self, center: DVec3, radius: f64) -> f64 {
        if self.aabb.distance_squared(center) > radius * radius {
            return 0.0;
        }
        (radius - self.signed_distance(center).max(0.0)).max(0.0)
    }

    /// Whether a ray from `point` along `direction` meets the surface.
    pub fn is_hit(&self, point: DVec3, direction: DVec3) -> bool {
        let ray = Ray::new(self.pose.inverse_transform_point(point), self.pose.rotation.inverse() * direction);
        self.test().parts().any(|part| part.tree().intersects_local_ray(&ray, f64::MAX))
    }

    /// Whether the two surfaces intersect, or a vertex of one is inside the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.aabb.overlaps(&other.aabb)
            && (self.touches(other)
                || self.vertices().any(|vertex| other.contains(vertex))
                || other.vertices().any(|vertex| self.contains(vertex)))
    }

    fn touches(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|one| ParryPose::from_parts(one.pose.translation, one.pose.rotation));
        let meet = |one: &InsideTest, two: &InsideTest| {
            let test = intersection_test(&own, one.tree(), &others, two.tree());
            test.expect("two triangle meshes can be tested for intersection").intersecting
        };
        self.test().parts().any(|one| other.test().parts().any(|two| meet(one, two)))
    }

    fn vertices(&self) -> impl Iterator<Item = DVec3> {
        self.mesh.vertices.iter().map(|&vertex| self.pose.transform_point(vertex))
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    /// A cube with edges of 2 m around the origin of the body.
    fn cube() -> TriangleMesh {
        let mut mesh = TriangleMesh::room(&Aabb { min: DVec3::splat(-1.0), max: DVec3::ONE });
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        mesh
    }

    #[test]
    fn distances_are_those_of_a_cube_wherever_it_is() {
        let pose = Pose::new(DQuat::from_rotation_z(0.7), DVec3::new(3.0, -2.0, 0.5));
        let obstacle = Obstacle::new(&cube(), pose, true);
        for (local, distance) in [(DVec3::new(1.5, 0.2, 0.3), 0.5), (DVec3::new(0.0, 0.9, 0.0), -0.1), (DVec3::new(4.0, 5.0, 1.0), 5.0)] {
            let point = pose.transform_point(local);
            assert!((obstacle.signed_distance(point) - distance).abs() < 1e-12, "{local}");
            assert_eq!(obstacle.contains(point), distance < 0.0);
            for width in [0.05, 0.4, 0.6, 5.5] {
                assert_eq!(obstacle.takes(point, width), distance < width);
            }
            let overlap = if distance < 0.0 { 0.7 } else { (0.7 - distance).max(0.0) };
            assert!((obstacle.overlap(point, 0.7) - overlap).abs() < 1e-12);
        }
        let open = Obstacle::new(&cube(), pose, false);
        let inside = pose.transform_point(DVec3::new(0.0, 0.9, 0.0));
        assert!(!open.contains(inside) && !open.takes(inside, 0.05) && open.takes(inside, 0.2));
        assert!((open.overlap(inside, 0.3) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_mesh_wound_inward_is_solid_around_its_inside() {
        let room = TriangleMesh::room(&Aabb { min: DVec3::splat(-1.0), max: DVec3::ONE });
        let obstacle = Obstacle::new(&room, Pose::new(DQuat::from_rotation_z(0.7), DVec3::Y), true);
        let at = |x: f64, y: f64| DVec3::new(x, 1.0 + y, 0.0);
        assert!(!obstacle.contains(at(0.0, 0.0)) && !obstacle.takes(at(0.0, 0.0), 0.9) && obstacle.takes(at(0.0, 0.0), 1.1));
        // In a corner of the bounding box, and beyond it.
        assert!(obstacle.contains(at(1.3, 1.3)) && !obstacle.contains(at(1.5, 0.0)));
        let mut ball = cube();
        ball.vertices.iter_mut().for_each(|vertex| *vertex *= 0.2);
        let ball = |x: f64, y: f64| Obstacle::new(&ball, Pose::from_translation(at(x, y)), true);
        assert!(!obstacle.overlaps(&ball(0.1, 0.3)) && obstacle.overlaps(&ball(1.0, 0.0)) && obstacle.overlaps(&ball(1.15, 1.15)));
    }

    #[test]
    fn rays_meet_the_surface_where_it_is() {
        let obstacle = Obstacle::new(&cube(), Pose::new(DQuat::from_rotation_y(0.3), DVec3::new(3.0, 0.0, 0.0)), true);
        for (point, expected) in
            [(DVec3::new(3.0, 5.0, 0.0), true), (DVec3::new(3.0, -5.0, 0.0), false), (DVec3::new(4.5, 5.0, 0.0), false)]
        {
            assert_eq!(obstacle.is_hit(point, -DVec3::Y), expected, "{point}");
        }
    }

    #[test]
    fn overlaps_are_found_from_either_side() {
        let at = |x: f64| Obstacle::new(&cube(), Pose::from_translation(DVec3::new(x, 0.3, 0.1)), true);
        let mut small = cube();
        small.vertices.iter_mut().for_each(|vertex| *vertex *= 0.2);
        let small = Obstacle::new(&small, Pose::from_translation(DVec3::new(0.1, 0.0, 0.0)), true);
        for (one, other, expected) in
            [(at(0.0), at(1.9), true), (at(0.0), at(2.1), false), (at(0.0), small.clone(), true), (at(1.5), small, false)]
        {
            assert_eq!((one.overlaps(&other), other.overlaps(&one)), (expected, expected));
        }
    }
}
