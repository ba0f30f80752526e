//! A corner of a polygon, and whether it can rest on an edge.

use glam::DVec2;

/// Sine of the angle by which a corner may dip below an edge and still rest on it (3°): touching faces are not exactly parallel.
pub const ANGLE_TOLERANCE: f64 = 0.05;

/// A vertex with the unit vectors towards its neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// Index among the vertices of all blocks; likewise the next two.
    pub index: u32,
    pub before: u32,
    pub after: u32,
    pub point: DVec2,
    /// Unit vectors towards the previous and the next vertex.
    pub rays: [DVec2; 2],
    pub convex: bool,
}

/// An edge with its unit vectors.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Index of its first vertex among the vertices of all blocks.
    pub index: u32,
    pub start: DVec2,
    pub length: f64,
    pub tangent: DVec2,
    /// Outward.
    pub normal: DVec2,
}

impl Edge {
    pub fn new(index: u32, start: DVec2, end: DVec2) -> Self {
        let length = start.distance(end);
        let tangent = (end - start) / length;
        Self { index, start, length, tangent, normal: DVec2::new(tangent.y, -tangent.x) }
    }

    /// Distance of `point` from the line, positive outside.
    pub fn gap(&self, point: DVec2) -> f64 {
        (point - self.start).dot(self.normal)
    }

    /// How far the projection of `point` is beyond the ends; zero if it is between them.
    pub fn overshoot(&self, point: DVec2) -> f64 {
        let along = (point - self.start).dot(self.tangent);
        (-along).max(along - self.length).max(0.0)
    }

    /// Whether the corner can approach this edge from outside and be the first part to touch it.
    pub fn can_carry(&self, corner: &Corner) -> bool {
        corner.rays.iter().all(|ray| ray.dot(self.normal) >= -ANGLE_TOLERANCE)
    }
}

/// The polygon of one block within the vertices of all blocks.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Vertices of all blocks.
    pub vertices: &'a [DVec2],
    pub first: u32,
    pub end: u32,
}

impl Shape<'_> {
    pub fn next(&self, index: u32) -> u32 {
        if index + 1 == self.end { self.first } else { index + 1 }
    }

    pub fn previous(&self, index: u32) -> u32 {
        if index == self.first { self.end - 1 } else { index - 1 }
    }

    pub fn point(&self, index: u32) -> DVec2 {
        self.vertices[index as usize]
    }

    pub fn corner(&self, index: u32) -> Corner {
        let (before, after, point) = (self.previous(index), self.next(index), self.point(index));
        let rays = [before, after].map(|other| (self.point(other) - point).normalize());
        // A vertex within a straight face counts as convex, so that it can rest on edges along its face.
        Corner { index, before, after, point, rays, convex: rays[1].perp_dot(rays[0]) >= -1e-9 }
    }

    pub fn edge(&self, index: u32) -> Edge {
        Edge::new(index, self.point(index), self.point(self.next(index)))
    }
}
