//! Bodies that contain or cover the fluid, split so that one can see inside.
//!
//! Faces towards the cavity are visible only from the cavity: one sees the far ones and looks through the near ones. The other faces are
//! drawn like thin glass.

use glam::DVec3;
use parry3d_f64::{
    query::{Ray, RayCast},
    shape::TriMesh,
};
use plimsoll_base::math::Aabb;
use plimsoll_contract::frame::{BodyFrame, Frame};
use plimsoll_shape::{TriangleMesh, topology};

use super::shading::{ShadedMesh, face_normal};

/// A body around or above more than this share of the particles is taken to hide them.
const HIDDEN: f64 = 0.6;
/// Number of ray directions with which a face looks for the body itself.
const DIRECTIONS: usize = 24;
/// Distance of the ray origin from the face, in sizes of the body.
const CLEARANCE: f64 = 1e-6;

/// The two parts of such a body.
pub struct Container {
    /// Faces towards the cavity, with normals into it.
    pub inner: ShadedMesh,
    pub outer: ShadedMesh,
}

/// Whether most particles are within or below the bounding box of `body`, so that the body contains them or covers them like a lid.
pub fn hides_particles(body: &BodyFrame, frame: &Frame) -> bool {
    let aabb = Aabb::around(body.mesh.vertices.iter().map(|&vertex| body.pose.transform_point(vertex)));
    let column = Aabb { min: aabb.min.with_y(f64::NEG_INFINITY), ..aabb };
    let inside = |position: &&[f32; 3]| column.contains(glam::Vec3::from(**position).as_dvec3());
    let particles = &frame.particles.positions;
    !particles.is_empty() && particles.iter().filter(inside).count() as f64 > HIDDEN * particles.len() as f64
}

impl Container {
    pub fn of(mesh: &TriangleMesh) -> Self {
        let surface = TriMesh::new(mesh.vertices.clone(), mesh.triangles.clone()).expect("a body has triangles");
        let closed = topology::EdgeTable::of(mesh).edges().all(|sides| sides.len() == 2 && topology::consistent(&sides[0], &sides[1]));
        let front: Vec<bool> = (0..mesh.triangles.len()).map(|index| sees_itself(&surface, mesh, index, 1.0)).collect();
        // The back of a face of a closed body is inside its material; that of a sheet may face the cavity.
        let back: Vec<bool> = (0..mesh.triangles.len()).map(|index| !closed && sees_itself(&surface, mesh, index, -1.0)).collect();
        let mut inner = ShadedMesh::of(mesh, |index| front[index]);
        inner.append(ShadedMesh::of(mesh, |index| back[index] && !front[index]).reversed());
        Self { inner, outer: ShadedMesh::of(mesh, |index| !front[index] && !back[index]) }
    }
}

/// Whether any other part of the body is visible from the side of the face to which `side` (1 or -1) times its normal points.
fn sees_itself(surface: &TriMesh, mesh: &TriangleMesh, index: usize, side: f64) -> bool {
    let normal = side * face_normal(mesh, index);
    let [a, b, c] = mesh.corners(index);
    let size = mesh.aabb().extent().length();
    let origin = (a + b + c) / 3.0 + CLEARANCE * size * normal;
    let tangent = normal.any_orthonormal_vector();
    let across = normal.cross(tangent);
    (0..DIRECTIONS).any(|number| {
        // Evenly distributed around the normal, up to nearly parallel to the face.
        let height = (number as f64 + 0.5) / DIRECTIONS as f64;
        let (sin, cos) = (number as f64 * 2.399_963).sin_cos();
        let direction: DVec3 = height * normal + (1.0 - height * height).sqrt() * (cos * tangent + sin * across);
        surface.intersects_local_ray(&Ray::new(origin, direction), 4.0 * size)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use plimsoll_shape::{ImportOptions, import};

    use super::*;

    fn mesh(name: &str) -> TriangleMesh {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("meshes").join(name);
        import::load(&path, &ImportOptions::default()).expect("a mesh")
    }

    #[test]
    fn the_inside_of_a_tank_is_what_sees_itself() {
        let tank = mesh("tank.obj");
        let Container { inner, outer } = Container::of(&tank);
        assert_eq!(inner.positions.len() + outer.positions.len(), 3 * tank.triangles.len());
        // Four walls and a floor, 2 x 1 x 1 m, whose normals point to the middle.
        let middle = glam::Vec3::new(1.0, 0.5, 0.5);
        let mut area = 0.0;
        for (corners, normals) in inner.positions.chunks_exact(3).zip(inner.normals.chunks_exact(3)) {
            area += 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
            assert!(normals[0].dot(middle - corners[0]) > 0.0, "{corners:?} {normals:?}");
        }
        assert!((area - 8.0).abs() < 1e-4, "{area} m²");
    }

    #[test]
    fn from_a_corner_above_three_sides_of_a_tank_face_the_eye() {
        let inner = Container::of(&mesh("tank.obj")).inner.facing(glam::Vec3::new(5.0, 4.0, 6.0));
        let corners = inner.positions.chunks_exact(3);
        let area: f32 = corners.map(|corners| 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length()).sum();
        // The floor, 2 x 1 m, the back, 2 x 1 m, and the left, 1 x 1 m.
        assert!((area - 5.0).abs() < 1e-4, "{area} m²");
    }

    #[test]
    fn nothing_of_a_ball_sees_itself() {
        assert!(Container::of(&mesh("sphere.obj")).inner.is_empty());
    }
}
