//! Collision shapes with what the search for contacts needs to know about them.

use glam::DVec3;
use parry3d_f64::{
    bounding_volume::{Aabb, BoundingVolume},
    math::Pose,
    shape::{Shape, TriMesh},
};
use plimsoll_shape::TriangleMesh;

use crate::{
    edge_limits::{TriangleLimits, limits_of},
    hull::Hull,
    polyhedron::Polyhedron,
    touching::{ContactPoint, Touch, Touching},
    triangle::Triangle,
};

/// A collision shape.
#[derive(Clone, Debug)]
pub enum Solid {
    /// A convex polyhedron.
    Hull(Box<Hull>),
    /// A body of convex polyhedra.
    Parts(Vec<Part>),
    /// Triangles, which are sheets where the surface is open.
    Mesh(Mesh),
}

/// A convex part of a body.
#[derive(Clone, Debug)]
pub struct Part {
    /// Part to body.
    pose: Pose,
    hull: Hull,
}

/// The triangles of a mesh.
#[derive(Clone, Debug)]
pub struct Mesh {
    limits: Vec<TriangleLimits>,
}

impl Solid {
    /// What is known about a shape: a convex polyhedron, a compound of such, or a triangle mesh; `None` for others.
    pub fn new(shape: &dyn Shape) -> Option<Self> {
        if let Some(polyhedron) = shape.as_convex_polyhedron() {
            return Some(Self::Hull(Box::new(Hull::new(polyhedron))));
        }
        if let Some(compound) = shape.as_compound() {
            let part = |(pose, shape): &(Pose, parry3d_f64::shape::SharedShape)| {
                Some(Part { pose: *pose, hull: Hull::new(shape.as_convex_polyhedron()?) })
            };
            return compound.shapes().iter().map(part).collect::<Option<_>>().map(Self::Parts);
        }
        let mesh = shape.as_trimesh()?;
        let mesh = TriangleMesh { vertices: mesh.vertices().to_vec(), triangles: mesh.indices().to_vec() };
        Some(Self::Mesh(Mesh { limits: limits_of(&mesh) }))
    }

    /// The convex parts with their poses; none of a mesh.
    fn parts(&self) -> Vec<(Pose, &Hull)> {
        match self {
            Self::Hull(hull) => vec![(Pose::IDENTITY, hull)],
            Self::Parts(parts) => parts.iter().map(|part| (part.pose, &part.hull)).collect(),
            Self::Mesh(_) => Vec::new(),
        }
    }
}

impl Touching {
    /// The contacts of two bodies of convex parts, the second one at `pose` in the frame of the first, that are closer than `prediction` (m).
    pub fn of_parts(&mut self, [first, second]: [&Solid; 2], pose: &Pose, prediction: f64) -> Vec<ContactPoint> {
        let (first_parts, second_parts) = (first.parts(), second.parts());
        let second_bounds: Vec<Aabb> = second_parts.iter().map(|(place, hull)| bounds(hull, &(*pose * *place))).collect();
        let (mut contacts, mut of_pair) = (Vec::new(), Vec::new());
        for (place, hull) in &first_parts {
            let first_bounds = bounds(hull, place).loosened(prediction);
            for ((other_place, other), other_bounds) in second_parts.iter().zip(&second_bounds) {
                if !first_bounds.intersects(other_bounds) {
                    continue;
                }
                let relative = place.inverse() * *pose * *other_place;
                let guess = between(hull, other, &relative);
                of_pair.clear();
                self.of_hulls([hull, other], &relative, prediction, guess, &mut of_pair);
                contacts.extend(of_pair.drain(..).map(|contact| contact.moved(place)));
            }
        }
        contacts
    }

    /// The contacts of a triangle mesh and a body of convex parts at `pose` in the frame of the mesh that are closer than `prediction` (m).
    pub fn of_mesh(&mut self, (mesh, shape): (&Mesh, &TriMesh), body: &Solid, pose: &Pose, prediction: f64) -> Vec<ContactPoint> {
        let mut contacts = Vec::new();
        for (place, hull) in body.parts() {
            let pose = *pose * place;
            for number in shape.bvh().intersect_aabb(&bounds(hull, &pose).loosened(prediction)) {
                let corners = shape.triangle(number);
                if let Some(triangle) = Triangle::new([corners.a, corners.b, corners.c]) {
                    self.of_triangle((&triangle, &mesh.limits[number as usize]), hull, &pose, prediction, &mut contacts);
                }
            }
        }
        contacts
    }

    /// Adds the contacts of two hulls, and returns the direction in which to search first in the next step.
    pub fn of_single_hulls(
        &mut self,
        hulls: [&Hull; 2],
        pose: &Pose,
        prediction: f64,
        guess: Option<DVec3>,
        contacts: &mut Vec<ContactPoint>,
    ) -> DVec3 {
        let guess = guess.unwrap_or_else(|| between(hulls[0], hulls[1], pose));
        match self.of_hulls(hulls, pose, prediction, guess, contacts) {
            Touch::Apart(direction) | Touch::Contact(direction) => direction,
            Touch::Ignored => guess,
        }
    }
}

impl ContactPoint {
    /// The contact in the frame of the body of which the first polyhedron, at `place`, is a part.
    fn moved(mut self, place: &Pose) -> Self {
        self.normal = place.rotation * self.normal;
        self.on_first = *place * self.on_first;
        self.on_second = *place * self.on_second;
        self
    }
}

fn bounds(hull: &Hull, pose: &Pose) -> Aabb {
    Aabb::from_points(hull.points().iter().map(|&point| *pose * point))
}

/// The direction from the middle of the first to that of the second.
fn between(first: &Hull, second: &Hull, pose: &Pose) -> DVec3 {
    let middle = |hull: &Hull| hull.points().iter().sum::<DVec3>() / hull.points().len() as f64;
    (*pose * middle(second) - middle(first)).try_normalize().unwrap_or(DVec3::X)
}
