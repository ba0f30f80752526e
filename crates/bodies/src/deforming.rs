//! How a body deforms in a step.

use std::sync::Arc;

use glam::DVec3;

use super::{
    Body, Deformation,
    deformation::{SurfaceMotion, longest},
};

impl Body {
    /// How the body deforms.
    pub fn deformation(&self) -> Option<&Arc<Deformation>> {
        self.kind.deformation()
    }

    /// Begins a step of `dt` seconds from `time`: finds the velocities with which vertices reach the next shape.
    pub(super) fn begin_deforming(&mut self, time: f64, dt: f64) {
        let Some(deformation) = self.deformation() else { return };
        let next = deformation.positions(time + dt);
        let current = &self.mesh.vertices;
        let velocities: Vec<DVec3> = current.iter().zip(&next).map(|(&from, &to)| (to - from) / dt).collect();
        let path = longest(current, &next);
        self.surface_motion = SurfaceMotion { velocities: self.segmentation.at_all_vertices(&velocities), path };
    }

    /// Gives the body the shape that it has at `time` (s).
    pub fn deform(&mut self, time: f64) {
        if let Some(positions) = self.deformation().map(|deformation| deformation.positions(time)) {
            Arc::make_mut(&mut self.mesh).vertices = positions;
            self.refit_segments();
        }
    }

    /// Gives the segments of a deforming body its current shape.
    pub(super) fn refit_segments(&mut self) {
        if self.deformation().is_some() {
            Arc::make_mut(&mut self.segmentation).refit(&self.mesh.vertices);
        }
    }

    /// Velocities of the vertices of a body that deforms relative to its rigid motion, m/s, world axes; empty for others.
    pub(super) fn surface_velocities(&self) -> Vec<DVec3> {
        if self.deformation().is_none() {
            return Vec::new();
        }
        let velocity = |vertex: usize| self.surface_motion.velocities.get(vertex).copied().unwrap_or(DVec3::ZERO);
        (0..self.mesh.vertices.len()).map(|vertex| self.pose.transform_vector(velocity(vertex))).collect()
    }

    /// Whether the body's definition has the mesh of the definition of `other`.
    pub(super) fn has_mesh_of(&self, other: &Self) -> bool {
        self.is_defined_by(other.defined_vertices(), &other.mesh.triangles)
    }

    /// Whether the body's definition has these `vertices` (m) and triangles.
    pub(super) fn is_defined_by(&self, vertices: &[DVec3], triangles: &[[u32; 3]]) -> bool {
        self.mesh.triangles == *triangles && self.defined_vertices() == vertices
    }

    /// The vertices of the mesh of the body's definition.
    fn defined_vertices(&self) -> &[DVec3] {
        self.deformation().map_or(&self.mesh.vertices, |deformation| &deformation.shapes[0])
    }
}
