//! Surfaces from rows of points.

use glam::DVec3;
use plimsoll_shape::TriangleMesh;

/// Adds rows of vertices to `mesh` and returns their indices.
pub fn add_rows(mesh: &mut TriangleMesh, rows: &[Vec<DVec3>]) -> Vec<Vec<u32>> {
    rows.iter().map(|row| row.iter().map(|&point| add(mesh, point)).collect()).collect()
}

pub fn add(mesh: &mut TriangleMesh, point: DVec3) -> u32 {
    mesh.vertices.push(point);
    mesh.vertices.len() as u32 - 1
}

/// Two triangles `abc`, `acd`, split along the shorter diagonal.
pub fn quad(mesh: &mut TriangleMesh, [a, b, c, d]: [u32; 4]) {
    let length = |from: u32, to: u32| mesh.vertices[from as usize].distance_squared(mesh.vertices[to as usize]);
    // The tolerance keeps the choice between equal diagonals from depending on rounding.
    if length(a, c) <= length(b, d) * (1.0 + 1e-9) {
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    } else {
        mesh.triangles.extend([[a, b, d], [b, c, d]]);
    }
}

/// Joins two rows of equal length by quadrilaterals; the surface faces `along the row × from first to second`.
pub fn stitch(mesh: &mut TriangleMesh, first: &[u32], second: &[u32], closed: bool) {
    let count = first.len();
    for i in 0..if closed { count } else { count - 1 } {
        let next = (i + 1) % count;
        quad(mesh, [first[i], first[next], second[next], second[i]]);
    }
}

/// Joins a closed row to one point; it faces as [`stitch`] would with all of the second row at that point.
pub fn fan(mesh: &mut TriangleMesh, row: &[u32], tip: u32) {
    for i in 0..row.len() {
        mesh.triangles.push([row[i], row[(i + 1) % row.len()], tip]);
    }
}

/// Removes vertices that no triangle uses.
pub fn drop_unused(mesh: &mut TriangleMesh) {
    let mut new_index = vec![u32::MAX; mesh.vertices.len()];
    mesh.triangles.iter().flatten().for_each(|&vertex| new_index[vertex as usize] = 0);
    let mut kept = Vec::new();
    for (index, &vertex) in new_index.iter_mut().zip(&mesh.vertices).filter(|(index, _)| **index == 0) {
        *index = kept.len() as u32;
        kept.push(vertex);
    }
    mesh.vertices = kept;
    mesh.triangles.iter_mut().flatten().for_each(|vertex| *vertex = new_index[*vertex as usize]);
}
