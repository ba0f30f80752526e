//! The surface of a body that deforms. It is rebuilt in each step and has no clusters, as each triangle moves by itself.

use glam::DVec3;
use plimsoll_shape::Segmentation;
use rayon::prelude::*;

use super::{Section, WallSurface};
use crate::walls::{SurfaceFlow, TriangleMotion, WallTriangle};

impl WallSurface {
    /// Prepares a deforming mesh whose vertices move with these `velocities` (m/s); none of a mesh at rest.
    pub fn deforming(segmentation: &Segmentation, velocities: &[DVec3]) -> Self {
        let pieces = segmentation.mesh.triangles.len();
        let triangle = |piece| WallTriangle::new(segmentation.mesh.corners(piece), segmentation.sharp_edges[piece]);
        let mut surface = Self { triangles: (0..pieces).into_par_iter().map(triangle).collect(), pieces, ..Self::default() };
        let whole = surface.add_cut_triangles(segmentation);
        let mut corners = segmentation.mesh.triangles.clone();
        corners.resize(surface.triangles.len(), [0; 3]);
        for (&triangle, &source) in whole.iter().zip(&segmentation.source).filter(|(triangle, _)| **triangle as usize >= pieces) {
            corners[triangle as usize] = segmentation.originals[source as usize];
        }
        let velocity = |vertex: u32| velocities.get(vertex as usize).copied().unwrap_or(DVec3::ZERO);
        let motion = |(triangle, corners): (&WallTriangle, &[u32; 3])| {
            let corners = corners.map(velocity);
            TriangleMotion { corners, spin: triangle.spin(&corners) }
        };
        surface.motions = surface.triangles.iter().zip(&corners).map(motion).collect();
        for segment in &segmentation.segments {
            let first_single = surface.singles.len();
            let mut singles: Vec<u32> = segment.triangles.clone().map(|piece| whole[piece as usize]).collect();
            singles.sort_unstable();
            singles.dedup();
            surface.singles.extend(singles);
            surface.sections.push(Section {
                pieces: segment.triangles.clone(),
                singles: first_single as u32..surface.singles.len() as u32,
                blocks: 0..0,
                cluster_count: 0,
                center: segment.ball.center,
            });
        }
        surface
    }

    /// Whether the surface deforms.
    pub fn deforms(&self) -> bool {
        !self.motions.is_empty()
    }

    /// Adds to `flow` how triangle `index`, whose integral has this `gradient` (1/m), moves near `point` (m).
    pub(super) fn add_flow(&self, index: u32, point: DVec3, gradient: DVec3, flow: &mut SurfaceFlow) {
        let (closest, weights) = self.triangles[index as usize].closest(point);
        let TriangleMotion { corners, spin } = &self.motions[index as usize];
        let velocity: DVec3 = corners.iter().zip(weights).map(|(&velocity, weight)| weight * velocity).sum();
        flow.add(gradient, velocity + spin.cross(point - closest));
    }
}
