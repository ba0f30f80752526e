//! Meshes cut off at planes.

use std::collections::HashMap;

use glam::DVec3;

use super::TriangleMesh;

/// A vertex closer to a plane than this share of the kept width counts as on it. Coordinates read from decimal numbers are far more exact.
const ON_PLANE: f64 = 1e-6;

impl TriangleMesh {
    /// The part between the planes `normal · x = low` and `normal · x = high`, with `normal` a unit vector. Cuts stay open. Triangles within
    /// a plane are left out: where the part is repeated, they would be inside.
    pub fn between(&self, normal: DVec3, [low, high]: [f64; 2]) -> Self {
        let margin = ON_PLANE * (high - low);
        self.cut_off(normal, high, margin).cut_off(-normal, -low, margin)
    }

    /// The part with `normal · x < limit`; vertices within `margin` of the plane are on it.
    fn cut_off(&self, normal: DVec3, limit: f64, margin: f64) -> Self {
        let excess = |vertex: &DVec3| {
            let distance = normal.dot(*vertex) - limit;
            if distance.abs() <= margin { 0.0 } else { distance }
        };
        let excesses: Vec<f64> = self.vertices.iter().map(excess).collect();
        let mut vertices = self.vertices.clone();
        let triangles = cut_off(&self.triangles, &excesses, |a, b, share| {
            vertices.push(vertices[a as usize].lerp(vertices[b as usize], share));
            vertices.len() as u32 - 1
        });
        Self { vertices, triangles }.without_unused_vertices()
    }

    fn without_unused_vertices(self) -> Self {
        let mut places = vec![None; self.vertices.len()];
        let mut vertices = Vec::new();
        let triangles = self.triangles.iter().map(|triangle| {
            triangle.map(|corner| {
                *places[corner as usize].get_or_insert_with(|| {
                    vertices.push(self.vertices[corner as usize]);
                    vertices.len() as u32 - 1
                })
            })
        });
        let triangles = triangles.collect();
        Self { vertices, triangles }
    }
}

/// The parts of `triangles` where `excesses`, one per vertex and linear between them, is negative (Sutherland & Hodgman 1974).
/// `cross(a, b, share)` adds a vertex between `a` and `b` and returns its index; it is called once per edge. Triangles with no vertex
/// below zero are left out.
pub fn cut_off(triangles: &[[u32; 3]], excesses: &[f64], mut cross: impl FnMut(u32, u32, f64) -> u32) -> Vec<[u32; 3]> {
    let excess = |corner: u32| excesses[corner as usize];
    let mut crossings = HashMap::new();
    let mut parts = Vec::with_capacity(triangles.len());
    for &triangle in triangles.iter().filter(|triangle| triangle.iter().any(|&corner| excess(corner) < 0.0)) {
        let mut polygon = Vec::with_capacity(4);
        for k in 0..3 {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            if excess(from) <= 0.0 {
                polygon.push(from);
            }
            if excess(from) * excess(to) < 0.0 {
                let [a, b] = [from.min(to), from.max(to)];
                polygon.push(*crossings.entry([a, b]).or_insert_with(|| cross(a, b, excess(a) / (excess(a) - excess(b)))));
            }
        }
        parts.extend((1..polygon.len() - 1).map(|k| [polygon[0], polygon[k], polygon[k + 1]]));
    }
    parts
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::Aabb;

    use super::*;
    use crate::surface_area;

    #[test]
    fn a_box_cut_between_planes_is_an_open_tube() {
        let room = TriangleMesh::room(&Aabb { min: DVec3::new(-1.0, 0.0, 0.0), max: DVec3::new(2.0, 0.5, 0.25) });
        for (low, high) in [(-0.5, 0.75), (-1.0, 2.0), (-3.0, 5.0), (-1.0 + 1e-9, 2.0 - 1e-9)] {
            let part = room.between(DVec3::X, [low, high]);
            let [from, to] = [low.max(-1.0), high.min(2.0)];
            // Ends within the planes are left out, and so are ends beyond them; ends between the planes stay.
            let ends = if low < -2.0 { 2.0 * 0.125 } else { 0.0 };
            let area = 2.0 * (0.5 + 0.25) * (to - from) + ends;
            assert!((surface_area(&part) - area).abs() < 1e-6, "{low} to {high}: {} m², expected {area}", surface_area(&part));
            let aabb = part.aabb();
            assert!((aabb.min.x - from).abs() < 1e-6 && (aabb.max.x - to).abs() < 1e-6, "{aabb:?}");
        }
        assert!(room.between(DVec3::X, [3.0, 4.0]).triangles.is_empty());
    }
}
