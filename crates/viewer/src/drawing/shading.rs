//! Meshes ready for shading: smooth where the surface bends gently, with a crease where it bends sharply.

use glam::{DVec3, Vec3};
use kiss3d::resource::GpuMesh3d;
use plimsoll_shape::TriangleMesh;

/// Cosine of the crease angle (40°): faces that meet at a larger angle have a crease between them.
const CREASE: f64 = 0.766;

/// Triangles with a normal at each corner, three vertices each.
#[derive(Clone, Debug, Default)]
pub struct ShadedMesh {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
}

impl ShadedMesh {
    /// The triangles of `mesh` that `wanted` selects; the normals do not depend on the selection.
    ///
    /// The normal at a corner is the mean of the face normals there that differ by less than the crease angle, weighted by the angles of
    /// the faces (Thürmer and Wüthrich 1998, "Computing vertex normals from polygonal facets").
    pub fn of(mesh: &TriangleMesh, wanted: impl Fn(usize) -> bool) -> Self {
        let faces: Vec<DVec3> = (0..mesh.triangles.len()).map(|index| face_normal(mesh, index)).collect();
        let corners = corners_by_vertex(mesh);
        let mut shaded = Self::default();
        for (index, triangle) in mesh.triangles.iter().enumerate().filter(|(index, _)| wanted(*index)) {
            for &vertex in triangle {
                let alike = corners[vertex as usize].iter().filter(|(face, _)| faces[*face as usize].dot(faces[index]) > CREASE);
                let sum: DVec3 = alike.map(|(face, angle)| *angle * faces[*face as usize]).sum();
                shaded.positions.push(mesh.vertices[vertex as usize].as_vec3());
                shaded.normals.push(sum.try_normalize().unwrap_or(faces[index]).as_vec3());
            }
        }
        shaded
    }

    /// The same surface seen from the other side.
    pub fn reversed(mut self) -> Self {
        for (positions, normals) in self.positions.chunks_exact_mut(3).zip(self.normals.chunks_exact_mut(3)) {
            positions.swap(1, 2);
            normals.swap(1, 2);
        }
        self.normals.iter_mut().for_each(|normal| *normal = -*normal);
        self
    }

    /// Removes the triangles that face away from `eye`.
    pub fn facing(self, eye: Vec3) -> Self {
        let mut facing = Self::default();
        for (positions, normals) in self.positions.chunks_exact(3).zip(self.normals.chunks_exact(3)) {
            let normal = (positions[1] - positions[0]).cross(positions[2] - positions[0]);
            if normal.dot(eye - positions[0]) > 0.0 {
                facing.positions.extend_from_slice(positions);
                facing.normals.extend_from_slice(normals);
            }
        }
        facing
    }

    pub fn append(&mut self, mut other: Self) {
        self.positions.append(&mut other.positions);
        self.normals.append(&mut other.normals);
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    pub fn upload(self) -> GpuMesh3d {
        let faces = (0..self.positions.len() as u32 / 3).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
        GpuMesh3d::new(self.positions, faces, Some(self.normals), None, false)
    }
}

/// Ends of the edges at which faces meet at more than the crease angle, and of the edges of only one face.
pub fn feature_edges(mesh: &TriangleMesh) -> Vec<[Vec3; 2]> {
    let table = plimsoll_shape::topology::EdgeTable::of(mesh);
    let is_feature = |sides: &[plimsoll_shape::topology::EdgeUse]| match sides {
        [first, second] => face_normal(mesh, first.triangle as usize).dot(face_normal(mesh, second.triangle as usize)) < CREASE,
        _ => true,
    };
    let ends = |edge: [u32; 2]| edge.map(|vertex| mesh.vertices[vertex as usize].as_vec3());
    table.edges().filter(|sides| is_feature(sides)).map(|sides| ends(sides[0].edge)).collect()
}

/// Unit normal; zero for a face without area.
pub fn face_normal(mesh: &TriangleMesh, index: usize) -> DVec3 {
    let [a, b, c] = mesh.corners(index);
    (b - a).cross(c - a).normalize_or_zero()
}

/// For each vertex, the faces around it with their angles there.
fn corners_by_vertex(mesh: &TriangleMesh) -> Vec<Vec<(u32, f64)>> {
    let mut corners = vec![Vec::new(); mesh.vertices.len()];
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let points = mesh.corners(index);
        for corner in 0..3 {
            let (here, next, last) = (points[corner], points[(corner + 1) % 3], points[(corner + 2) % 3]);
            let angle = (next - here).angle_between(last - here);
            corners[triangle[corner] as usize].push((index as u32, if angle.is_finite() { angle } else { 0.0 }));
        }
    }
    corners
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
    fn a_ball_is_smooth_and_a_box_has_edges() {
        let ball = ShadedMesh::of(&mesh("sphere.obj"), |_| true);
        for (position, normal) in ball.positions.iter().zip(&ball.normals) {
            assert!(position.normalize().dot(*normal) > 0.9999, "{position} {normal}");
        }
        let cube = ShadedMesh::of(&mesh("box.obj"), |_| true);
        for normal in &cube.normals {
            assert!((normal.abs().max_element() - 1.0).abs() < 1e-6, "{normal}");
        }
        assert_eq!((feature_edges(&mesh("sphere.obj")).len(), feature_edges(&mesh("box.obj")).len()), (0, 12));
    }

    #[test]
    fn the_other_side_is_wound_the_other_way() {
        let cube = ShadedMesh::of(&mesh("box.obj"), |_| true);
        let back = cube.clone().reversed();
        for (corners, normals) in back.positions.chunks_exact(3).zip(back.normals.chunks_exact(3)) {
            let wound = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
            assert!(wound.dot(normals[0]) > 0.999 && normals[0].dot(corners[0]) < 0.0);
        }
    }
}
