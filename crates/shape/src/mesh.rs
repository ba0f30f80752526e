//! Triangle mesh: welded vertices and triangles.

use std::collections::HashMap;

use glam::DVec3;
use plimsoll_base::math::Aabb;
use serde::{Deserialize, Serialize};

/// Triangles with shared vertices, wound counterclockwise as seen from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriangleMesh {
    /// Vertex positions, m.
    pub vertices: Vec<DVec3>,
    /// Three vertex indices each.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// The walls of a room: the faces of `aabb`, wound counterclockwise as seen from inside.
    pub fn room(aabb: &Aabb) -> Self {
        let corner = |number: u32| {
            let pick = |axis: usize| if number >> axis & 1 == 0 { aabb.min[axis] } else { aabb.max[axis] };
            DVec3::new(pick(0), pick(1), pick(2))
        };
        // The corners of each face, counterclockwise as seen from inside.
        let faces = [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Self { vertices: (0..8).map(corner).collect(), triangles }
    }

    /// A box with edges of lengths `extent` along the axes, centered at the origin, wound outward.
    pub fn cuboid(extent: DVec3) -> Self {
        let mut mesh = Self::room(&Aabb { min: -0.5 * extent, max: 0.5 * extent });
        for triangle in &mut mesh.triangles {
            triangle.swap(1, 2);
        }
        mesh
    }

    /// An open tank with walls without thickness, y up: the floor and four sides of a box with edges of lengths `extent`. The center of the
    /// floor is at the origin.
    pub fn basin(extent: DVec3) -> Self {
        let floor = DVec3::new(-0.5 * extent.x, 0.0, -0.5 * extent.z);
        let mut mesh = Self::room(&Aabb { min: floor, max: floor + extent });
        mesh.triangles.retain(|triangle| triangle.iter().any(|&vertex| mesh.vertices[vertex as usize].y < extent.y));
        mesh
    }

    /// The corners of triangle `index`.
    pub fn corners(&self, index: usize) -> [DVec3; 3] {
        self.triangles[index].map(|vertex| self.vertices[vertex as usize])
    }

    /// The mesh with each triangle wound like the same triangle of `other`, which has the same corners. Triangles that `other` lacks stay.
    pub fn wound_like(mut self, other: &Self) -> Self {
        // Corners in the order of their coordinates, and the sign of the permutation.
        let sorted = |mesh: &Self, index: usize| {
            let corners = mesh.corners(index).map(|corner| corner.to_array().map(|x| (x + 0.0).to_bits()));
            let mut places = [0, 1, 2];
            places.sort_by_key(|&place| corners[place]);
            let even = matches!(places, [0, 1, 2] | [1, 2, 0] | [2, 0, 1]);
            (places.map(|place| corners[place]), even)
        };
        let known: HashMap<_, bool> = (0..other.triangles.len()).map(|index| sorted(other, index)).collect();
        for index in 0..self.triangles.len() {
            let (corners, even) = sorted(&self, index);
            if known.get(&corners).is_some_and(|&other| other != even) {
                self.triangles[index].swap(1, 2);
            }
        }
        self
    }

    /// The text of an OBJ file with this mesh. Coordinates are exact.
    pub fn to_obj(&self) -> String {
        let vertices = self.vertices.iter().map(|DVec3 { x, y, z }| format!("v {x} {y} {z}\n"));
        let triangles = self.triangles.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
        vertices.chain(triangles).collect()
    }

    /// The bounding box of the vertices.
    pub fn aabb(&self) -> Aabb {
        Aabb::around(self.vertices.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MassProperties, surface_area};

    #[test]
    fn the_walls_of_a_room_face_its_middle() {
        let aabb = Aabb { min: DVec3::new(-1.0, 2.0, 0.5), max: DVec3::new(3.0, 3.0, 0.75) };
        let room = TriangleMesh::room(&aabb);
        let mut area = 0.0;
        for index in 0..room.triangles.len() {
            let [a, b, c] = room.corners(index);
            let normal = (b - a).cross(c - a);
            assert!(normal.dot(aabb.center() - a) > 0.0, "{index}: {normal}");
            area += 0.5 * normal.length();
        }
        let sides = aabb.extent();
        assert!((area - 2.0 * (sides.x * sides.y + sides.y * sides.z + sides.z * sides.x)).abs() < 1e-12, "{area} m²");
        assert_eq!(room.aabb(), aabb);
    }

    #[test]
    fn a_cuboid_faces_outwards_about_the_origin() {
        let extent = DVec3::new(1.0, 2.0, 0.5);
        let cuboid = TriangleMesh::cuboid(extent);
        assert_eq!(cuboid.aabb(), Aabb { min: -0.5 * extent, max: 0.5 * extent });
        let mass = MassProperties::of(&cuboid);
        assert!((mass.volume - 1.0).abs() < 1e-12 && mass.center_of_mass.length() < 1e-12, "{mass:?}");
    }

    #[test]
    fn a_basin_has_no_lid() {
        let basin = TriangleMesh::basin(DVec3::new(1.0, 2.0, 0.5));
        assert_eq!(basin.aabb(), Aabb { min: DVec3::new(-0.5, 0.0, -0.25), max: DVec3::new(0.5, 2.0, 0.25) });
        let area = surface_area(&basin);
        assert!((area - (0.5 + 2.0 * 2.0 * 1.5)).abs() < 1e-12, "{area} m²");
    }
}
