//! A surface with a given vertical: heights of its vertices, and horizontal coordinates.

use glam::{DVec2, DVec3};

use super::surface::Surface;

pub(super) struct Heights<'h> {
    pub surface: &'h Surface,
    pub up: DVec3,
    /// Horizontal axes with `axes[0] × axes[1] = up`.
    pub axes: [DVec3; 2],
    /// Heights of the vertices along `up`, m.
    pub of_vertices: Vec<f64>,
    pub lowest: f64,
    pub highest: f64,
}

impl<'h> Heights<'h> {
    pub fn new(surface: &'h Surface, up: DVec3) -> Self {
        let of_vertices: Vec<f64> = surface.mesh.vertices.iter().map(|vertex| up.dot(*vertex)).collect();
        let (lowest, highest) = of_vertices.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &y| (low.min(y), high.max(y)));
        let first = up.any_orthonormal_vector();
        Self { surface, up, axes: [first, up.cross(first)], of_vertices, lowest, highest }
    }

    pub fn of(&self, vertex: u32) -> f64 {
        self.of_vertices[vertex as usize]
    }

    /// Horizontal coordinates of a point.
    pub fn flat(&self, point: DVec3) -> DVec2 {
        DVec2::new(point.dot(self.axes[0]), point.dot(self.axes[1]))
    }

    /// Heights of a triangle's corners over `level`.
    pub fn over(&self, level: f64, triangle: usize) -> [f64; 3] {
        self.surface.mesh.triangles[triangle].map(|vertex| self.of(vertex) - level)
    }
}
