//! A canonical order of the parts of a mesh. Marching cubes numbers vertices and triangles by subdomains, in an order that depends on the
//! machine; sums over neighbours, and files, would depend on it.

use splashsurf_lib::{
    mesh::{Mesh3d, TriMesh3d},
    nalgebra::Vector3,
};

/// Numbers vertices by their coordinates, and coincident ones by the coordinates of their neighbours. Rotates each triangle so that it
/// begins with its lowest vertex, which keeps the winding, and sorts the triangles.
pub fn put_in_order(mesh: &mut TriMesh3d<f32>) {
    let keys: Vec<[i32; 3]> = mesh.vertices.iter().map(key).collect();
    let neighbours = mesh.vertex_vertex_connectivity();
    let surroundings = |vertex: usize| {
        let mut keys: Vec<[i32; 3]> = neighbours[vertex].iter().map(|&neighbour| keys[neighbour]).collect();
        keys.sort_unstable();
        keys
    };
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_unstable_by(|&one, &other| keys[one].cmp(&keys[other]).then_with(|| surroundings(one).cmp(&surroundings(other))));
    let mut numbers = vec![0; order.len()];
    for (number, &vertex) in order.iter().enumerate() {
        numbers[vertex] = number;
    }
    mesh.vertices = order.iter().map(|&vertex| mesh.vertices[vertex]).collect();
    for triangle in &mut mesh.triangles {
        *triangle = triangle.map(|vertex| numbers[vertex]);
        let least = (0..3).min_by_key(|&corner| triangle[corner]).unwrap_or(0);
        triangle.rotate_left(least);
    }
    mesh.triangles.sort_unstable();
}

/// Integers with the same order as the coordinates.
fn key(vertex: &Vector3<f32>) -> [i32; 3] {
    let ordered = |value: f32| {
        let bits = value.to_bits() as i32;
        bits ^ (((bits >> 31) as u32) >> 1) as i32
    };
    [ordered(vertex.x), ordered(vertex.y), ordered(vertex.z)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_that_differ_in_numbers_only_become_one() {
        let points = [[0.0, -1.5, 0.0], [-2.0, 0.5, 1.0], [1.0, 0.0, -0.0], [1.0, 0.0, -3.0]].map(Vector3::from);
        let mut first = TriMesh3d { vertices: points.to_vec(), triangles: vec![[0, 1, 2], [3, 2, 1], [0, 3, 1]] };
        let shuffled = [2, 0, 3, 1];
        let mut vertices = vec![Vector3::zeros(); 4];
        shuffled.iter().zip(points).for_each(|(&number, point)| vertices[number] = point);
        // The same three triangles in another order, starting at other corners.
        let triangles = [[1, 3, 2], [1, 2, 0], [3, 1, 0]].map(|triangle: [usize; 3]| triangle.map(|vertex| shuffled[vertex]));
        let mut second = TriMesh3d { vertices, triangles: triangles.to_vec() };
        put_in_order(&mut first);
        put_in_order(&mut second);
        assert_eq!((&first.vertices, &first.triangles), (&second.vertices, &second.triangles));
        assert!(first.vertices.is_sorted_by(|one, other| one.x <= other.x));
    }
}
