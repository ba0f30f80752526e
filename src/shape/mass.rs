//! Volume, center of mass and inertia of a closed polyhedron, exact up to rounding.
//!
//! Each triangle `(a, b, c)`, relative to a reference point `o`, spans a signed tetrahedron with `D = a · (b × c)`. Over it
//!
//! ```text
//! ∫ dV     = D / 6
//! ∫ x dV   = D / 24  (a + b + c)
//! ∫ x xᵀ dV = D / 120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),   s = a + b + c
//! ```
//!
//! and the tetrahedra outside the body cancel in the sum over a closed surface. With the second moment `C` moved to the center of
//! mass, the inertia tensor is `tr(C) 1 - C`. The reference point is the center of the bounding box, so that a body far from the origin
//! loses no digits. (Tonon 2004, Explicit exact formulas for the 3-D tetrahedron inertia tensor, J. Math. Stat. 1, 8-11.)

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::{
    TriangleMesh,
    principal::{eigen, outer},
};

/// Of the homogeneous solid inside a closed mesh, at density one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// m³; negative if the mesh is inside out. Of an open mesh the flux through it, of no meaning for a solid.
    pub volume: f64,
    /// m; for a mesh without volume, the centroid of its surface.
    pub center_of_mass: DVec3,
    /// About the center of mass, per unit density: m⁵. Multiplied by kg/m³ it is the inertia tensor in kg m². Positive whichever way
    /// the mesh is wound.
    pub inertia: DMat3,
}

impl MassProperties {
    /// Of `mesh`, closed and wound outwards, at density 1.
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

    /// The principal moments per unit density, m⁵, and the rotation from principal axes to the axes of the mesh, so that
    /// `inertia = R diag(moments) Rᵀ`; exact to rounding also where moments are equal.
    pub fn principal(&self) -> (DVec3, DQuat) {
        let (moments, axes) = eigen(self.inertia);
        (moments, DQuat::from_mat3(&axes).normalize())
    }
}

/// The area of the surface, m².
pub fn surface_area(mesh: &TriangleMesh) -> f64 {
    (0..mesh.triangles.len()).map(|index| triangle_area(mesh.corners(index))).sum()
}

/// m².
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
