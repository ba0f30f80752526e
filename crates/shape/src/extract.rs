//! Some triangles of a mesh as a mesh of their own.

use super::TriangleMesh;

/// The given triangles as a separate mesh. `places` is a buffer with one entry per vertex; all entries are `u32::MAX` before and after.
pub(super) fn extract(mesh: &TriangleMesh, triangles: &[usize], places: &mut [u32]) -> TriangleMesh {
    let mut surface = TriangleMesh::default();
    for &triangle in triangles {
        surface.triangles.push(mesh.triangles[triangle].map(|vertex| {
            let place = &mut places[vertex as usize];
            if *place == u32::MAX {
                *place = surface.vertices.len() as u32;
                surface.vertices.push(mesh.vertices[vertex as usize]);
            }
            *place
        }));
    }
    triangles.iter().flat_map(|&triangle| mesh.triangles[triangle]).for_each(|vertex| places[vertex as usize] = u32::MAX);
    surface
}
