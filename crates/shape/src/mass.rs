//! Volume, center of mass and inertia tensor of a closed polyhedron, exact up to rounding.
//!
//! Each triangle `(a, b, c)`, relative to a reference point `o`, spans a signed tetrahedron with `D = a · (b × c)`. Over it
//!
//! ```text
//! ∫ dV     = D / 6
//! ∫ x dV   = D / 24  (a + b + c)
//! ∫ x xᵀ dV = D / 120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),   s = a + b + c
//! ```
//!
//! The tetrahedra outside the body cancel in the sum over a closed surface. With the second moment `C` about the center of mass, the
//! inertia tensor is `tr(C) 1 - C`. The reference point is the center of the bounding box, to avoid cancellation for a body far from the
//! origin. (Tonon 2004, Explicit exact formulas for the 3-D tetrahedron inertia tensor, J. Math. Stat. 1, 8-11.)

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::{
    TriangleMesh,
    principal::{eigen, outer},
    sheets::solid_part,
};

/// Mass properties of the homogeneous solid inside a closed mesh, at density one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// Volume, m³; negative if the mesh is inside out. For an open mesh it is only a flux through the mesh, without meaning for a solid.
    pub volume: f64,
    /// Center of mass, m; for a mesh without volume, the centroid of its surface.
    pub center_of_mass: DVec3,
    /// Inertia tensor about the center of mass per unit density, m⁵; multiplied by a density in kg/m³, it is in kg m². Positive for either
    /// winding of the mesh.
    pub inertia: DMat3,
}

impl MassProperties {
    /// Mass properties of `mesh`, which is closed and wound outward, at density one.
    pub fn of(mesh: &TriangleMesh) -> Self {
        let aabb = mesh.aabb();
        let reference = if aabb.is_empty() { DVec3::ZERO } else { aabb.center() };
        let mut volume = 0.0;
        let mut first_moment = DVec3::ZERO;
        let mut second_moment = DMat3::ZERO;
        for index in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(index).map(|corner| corner - reference);
            let determinant = a.dot(b.cross(c));
            let sum = a + b + c;
            volume += determinant / 6.0;
            first_moment += determinant / 24.0 * sum;
            second_moment += (outer(a) + outer(b) + outer(c) + outer(sum)) * (determinant / 120.0);
        }
        let box_volume = aabb.extent().max_element().powi(3);
        if aabb.is_empty() || volume.abs() <= 1e-14 * box_volume {
            return Self { volume, center_of_mass: surface_centroid(mesh), inertia: DMat3::ZERO };
        }
        let offset = first_moment / volume;
        let central = second_moment - outer(offset) * volume;
        let trace = central.x_axis.x + central.y_axis.y + central.z_axis.z;
        let inertia = (DMat3::from_diagonal(DVec3::splat(trace)) - central) * volume.signum();
        Self { volume, center_of_mass: reference + offset, inertia }
    }

    /// Mass properties of the closed components of `mesh`, or of all of it if there are none.
    pub fn of_solid_part(mesh: &TriangleMesh) -> Self {
        solid_part(mesh).map_or_else(|| Self::of(mesh), |solid| Self::of(&solid))
    }

    /// The principal moments per unit density, m⁵, and the rotation from principal axes to mesh axes, so that
    /// `inertia = R diag(moments) Rᵀ`. Exact up to rounding, also for equal moments.
    pub fn principal(&self) -> (DVec3, DQuat) {
        let (moments, axes) = eigen(self.inertia);
        (moments, DQuat::from_mat3(&axes).normalize())
    }
}

/// Area of the surface, m².
pub fn surface_area(mesh: &TriangleMesh) -> f64 {
    (0..mesh.triangles.len()).map(|index| triangle_area(mesh.corners(index))).sum()
}

/// Area of a triangle, m².
pub fn triangle_area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

fn surface_centroid(mesh: &TriangleMesh) -> DVec3 {
    let (mut area, mut moment) = (0.0, DVec3::ZERO);
    for index in 0..mesh.triangles.len() {
        let corners = mesh.corners(index);
        let share = triangle_area(corners);
        area += share;
        moment += share * (corners[0] + corners[1] + corners[2]) / 3.0;
    }
    if area > 0.0 { moment / area } else { DVec3::ZERO }
}
