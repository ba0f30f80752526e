//! How the mesh of a body is cut into segments.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain, Pose};
use plimsoll_shape::{SegmentLimits, Segmentation, TriangleMesh};

use crate::BodyKind;

/// A body that is as long as a period within this share repeats itself without a gap.
const WHOLE_PERIOD: f64 = 1e-6;

/// The limits for cutting the mesh of a body: those of `limits` around their region for a static body, and everywhere for a body that may move there.
/// In a periodic domain, a particle may be near a segment in one image only, so flat segments are not larger than others.
pub fn limits_of(kind: &BodyKind, pose: &Pose, limits: &SegmentLimits, domain: &Domain) -> SegmentLimits {
    match kind {
        _ if domain.is_periodic() => limits.even(),
        BodyKind::Static => limits.in_body(pose),
        BodyKind::Moving(_) | BodyKind::Floating(_) => limits.everywhere(),
    }
}

/// The segments of a body. A static or moving body that reaches through a whole period repeats itself there: only one period of it is kept.
/// The segments of a body that deforms are those of its first shape.
pub(super) fn segmentation(mesh: &TriangleMesh, kind: &BodyKind, pose: &Pose, limits: &SegmentLimits, domain: &Domain) -> Segmentation {
    let limits = limits_of(kind, pose, limits, domain);
    if let Some(deformation) = kind.deformation() {
        let first = TriangleMesh { vertices: deformation.shapes[0].clone(), triangles: mesh.triangles.clone() };
        return Segmentation::deformable(&first, &limits);
    }
    if !domain.is_periodic() || matches!(kind, BodyKind::Floating(_)) {
        return Segmentation::build(mesh, &limits);
    }
    let pose = match kind {
        BodyKind::Moving(motion) => motion.pose(pose, 0.0),
        _ => *pose,
    };
    let world = Aabb::around(mesh.vertices.iter().map(|&vertex| pose.transform_point(vertex)));
    let mut part = mesh.clone();
    for axis in (0..3).filter(|&axis| domain.periodic[axis] && world.extent()[axis] >= (1.0 - WHOLE_PERIOD) * domain.size[axis]) {
        let normal = pose.rotation.conjugate() * DVec3::AXES[axis];
        // A body of exactly one period keeps its own ends, wherever the domain begins.
        let exact = world.extent()[axis] <= (1.0 + WHOLE_PERIOD) * domain.size[axis];
        let low = if exact { world.min[axis] } else { domain.low[axis] } - pose.translation[axis];
        part = part.between(normal, [low, low + domain.size[axis]]);
    }
    Segmentation::build(&part, &limits)
}
